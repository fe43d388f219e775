//! SVG files, rebuilt from allowed elements and attributes.
//!
//! The result has only `symbol`s. Their ids begin with a prefix from the contents, so that a page can hold the drawings of
//! many files. A file without symbols becomes one symbol.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use roxmltree::{Attribute, Document, Node};

use super::AssetProblem;

const NAMESPACE: &str = "http://www.w3.org/2000/svg";
const MAX_ELEMENTS: usize = 5000;
const MAX_USES: usize = 200;
const MAX_DEPTH: usize = 32;

const ELEMENTS: &[&str] = &[
    "svg",
    "g",
    "defs",
    "symbol",
    "use",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "clipPath",
    "mask",
    "linearGradient",
    "radialGradient",
    "stop",
    "pattern",
];
/// Elements that describe a drawing. They are left out.
const DROPPED: &[&str] = &["title", "desc", "metadata"];
const ATTRIBUTES: &[&str] = &[
    "id",
    "viewBox",
    "width",
    "height",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "fx",
    "fy",
    "d",
    "points",
    "transform",
    "fill",
    "fill-opacity",
    "fill-rule",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-dasharray",
    "stroke-dashoffset",
    "opacity",
    "clip-path",
    "clip-rule",
    "clipPathUnits",
    "mask",
    "maskUnits",
    "maskContentUnits",
    "offset",
    "stop-color",
    "stop-opacity",
    "gradientUnits",
    "gradientTransform",
    "spreadMethod",
    "patternUnits",
    "patternContentUnits",
    "patternTransform",
    "preserveAspectRatio",
    "overflow",
    "paint-order",
    "vector-effect",
    "href",
    "version",
];

/// Returns the sanitised file and the names of its drawings.
pub(super) fn sanitise(bytes: &[u8], prefix: &str) -> Result<(Vec<u8>, Vec<String>), AssetProblem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        AssetProblem::whole(format!("this file is not UTF-8 (byte {})", error.valid_up_to()))
    })?;
    let document = Document::parse(text).map_err(|error| {
        let at = position(text, error.pos());
        AssetProblem { at: (at, at + 1), message: format!("this is not an SVG file: {error}") }
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(problem(
            &root,
            format!("the root of a picture is `svg`, not `{}`", root.tag_name().name()),
        ));
    }
    let mut writer =
        Writer { prefix: prefix.to_owned(), out: String::new(), elements: 0, uses: 0, ids: BTreeSet::new() };
    let parts = writer.document(root)?;
    Ok((writer.out.into_bytes(), parts))
}

struct Writer {
    prefix: String,
    out: String,
    elements: usize,
    uses: usize,
    ids: BTreeSet<String>,
}

impl Writer {
    /// Writes the drawings as symbols. The first one is also shown, for programs that show the file as a picture.
    fn document(&mut self, root: Node<'_, '_>) -> Result<Vec<String>, AssetProblem> {
        self.check_element(root)?;
        let own = root.attributes().collect::<Vec<_>>();
        for attribute in &own {
            self.check_attribute(&root, attribute)?;
        }
        let symbols: Vec<Node<'_, '_>> =
            root.children().filter(|node| node.is_element() && node.tag_name().name() == "symbol").collect();
        let view_box = |node: &Node<'_, '_>| node.attribute("viewBox").map(str::to_owned);
        let Some(first_box) = symbols.first().map_or_else(|| view_box(&root), view_box) else {
            return Err(problem(&root, "a drawing needs a `viewBox`, such as `0 0 100 100`".to_owned()));
        };
        let _ = write!(self.out, "<svg xmlns=\"{NAMESPACE}\" viewBox=\"{}\">", escape(&first_box));
        let parts: Vec<String> =
            symbols.iter().filter_map(|symbol| symbol.attribute("id")).map(str::to_owned).collect();
        if parts.len() != symbols.len() {
            return Err(problem(&root, "each `symbol` needs an `id`".to_owned()));
        }
        if symbols.is_empty() {
            let _ = write!(self.out, "<symbol id=\"{}\" viewBox=\"{}\">", self.prefix, escape(&first_box));
            self.children(root, 0)?;
            self.out.push_str("</symbol>");
        } else {
            self.children(root, 0)?;
        }
        let first = parts.first().map_or("", String::as_str);
        let _ = write!(self.out, "<use href=\"#{}{}\"/></svg>", self.prefix, escape(first));
        Ok(parts)
    }

    fn children(&mut self, parent: Node<'_, '_>, depth: usize) -> Result<(), AssetProblem> {
        for child in parent.children() {
            if child.is_element() {
                self.element(child, depth + 1)?;
            } else if child.is_text() && child.text().is_some_and(|text| !text.trim().is_empty()) {
                return Err(problem(
                    &child,
                    "a picture contains no text; draw the letters as paths".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn element(&mut self, node: Node<'_, '_>, depth: usize) -> Result<(), AssetProblem> {
        let name = node.tag_name().name();
        if DROPPED.contains(&name) {
            return Ok(());
        }
        self.check_element(node)?;
        if depth > MAX_DEPTH {
            return Err(problem(&node, format!("elements are nested deeper than {MAX_DEPTH}")));
        }
        if matches!(name, "svg") || (name == "symbol" && depth > 1) {
            return Err(problem(&node, format!("`{name}` cannot stand inside another element")));
        }
        self.out.push('<');
        self.out.push_str(name);
        for attribute in node.attributes() {
            let value = self.check_attribute(&node, &attribute)?;
            let _ = write!(self.out, " {}=\"{}\"", attribute.name(), escape(&value));
        }
        if node.has_children() {
            self.out.push('>');
            self.children(node, depth)?;
            let _ = write!(self.out, "</{name}>");
        } else {
            self.out.push_str("/>");
        }
        Ok(())
    }

    fn check_element(&mut self, node: Node<'_, '_>) -> Result<(), AssetProblem> {
        let name = node.tag_name().name();
        let is_svg = node.tag_name().namespace() == Some(NAMESPACE);
        if !is_svg || !ELEMENTS.contains(&name) {
            return Err(problem(&node, format!("the element `{name}` is not allowed in a picture")));
        }
        self.elements += 1;
        self.uses += usize::from(name == "use");
        if self.elements > MAX_ELEMENTS || self.uses > MAX_USES {
            let message = format!("a picture has at most {MAX_ELEMENTS} elements, {MAX_USES} of them `use`");
            return Err(problem(&node, message));
        }
        // A `use` of a `use` could grow without bound.
        let target = node.attribute("href").and_then(|href| href.strip_prefix('#'));
        if name == "use"
            && let Some(target) = target
            && let Some(found) =
                node.document().descendants().find(|node| node.attribute("id") == Some(target))
            && found.descendants().any(|inner| inner.tag_name().name() == "use")
        {
            return Err(problem(&node, format!("`use` refers to `{target}`, which contains another `use`")));
        }
        Ok(())
    }

    /// Returns the value to write. Local references get the prefix.
    fn check_attribute(
        &mut self,
        node: &Node<'_, '_>,
        attribute: &Attribute<'_, '_>,
    ) -> Result<String, AssetProblem> {
        let (name, value) = (attribute.name(), attribute.value());
        let range = attribute.range();
        let refuse = |message: String| AssetProblem { at: (range.start as u32, range.end as u32), message };
        // Only the plain `href` is known; older files write `xlink:href`.
        if attribute.namespace().is_some() || !ATTRIBUTES.contains(&name) {
            return Err(refuse(format!("the attribute `{name}` is not allowed in a picture")));
        }
        match name {
            "id" => {
                let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
                if value.is_empty() || !value.chars().all(is_plain) {
                    return Err(refuse(format!("`{value}` is no id; use letters, digits, `-` and `_`")));
                }
                if !self.ids.insert(value.to_owned()) {
                    return Err(refuse(format!("the id `{value}` occurs twice")));
                }
                Ok(format!("{}{value}", self.prefix))
            }
            "href" => match value.strip_prefix('#').filter(|id| Self::has_id(node, id)) {
                Some(id) => Ok(format!("#{}{id}", self.prefix)),
                None => Err(refuse("a reference must be `#id` of the same file".to_owned())),
            },
            _ if value.contains("url") => {
                let id = value.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')'));
                match id.filter(|id| Self::has_id(node, id)) {
                    Some(id) => Ok(format!("url(#{}{id})", self.prefix)),
                    None => Err(refuse("a reference must be `url(#id)` of the same file".to_owned())),
                }
            }
            _ if value.contains([':', '\\', ';', '@', '<', '&']) => {
                Err(refuse(format!("`{value}` is not allowed as a value")))
            }
            _ => Ok(value.to_owned()),
        }
    }

    fn has_id(node: &Node<'_, '_>, id: &str) -> bool {
        node.document().descendants().any(|other| other.attribute("id") == Some(id))
    }
}

fn problem(node: &Node<'_, '_>, message: String) -> AssetProblem {
    let range = node.range();
    let end = range.end.min(range.start + 1 + node.tag_name().name().len());
    AssetProblem { at: (range.start as u32, end as u32), message }
}

/// Returns the byte of a position that counts rows and columns from 1.
fn position(text: &str, at: roxmltree::TextPos) -> u32 {
    let before: usize =
        text.split_inclusive('\n').take(at.row.saturating_sub(1) as usize).map(str::len).sum();
    let line = text[before..].chars().take(at.col.saturating_sub(1) as usize);
    (before + line.map(char::len_utf8).sum::<usize>()) as u32
}

fn escape(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(inner: &str) -> Result<(String, Vec<String>), String> {
        let text = format!("<svg xmlns=\"{NAMESPACE}\" viewBox=\"0 0 10 10\">{inner}</svg>");
        let read = sanitise(text.as_bytes(), "a1-").map_err(|problem| problem.message)?;
        Ok((String::from_utf8(read.0).expect("UTF-8"), read.1))
    }

    #[test]
    fn a_plain_drawing_becomes_a_symbol() {
        let (svg, parts) =
            picture("<title>A sun</title><circle r=\"3\" fill=\"var(--body, red)\"/>").expect("allowed");
        assert!(parts.is_empty());
        assert!(
            svg.contains("<symbol id=\"a") && svg.contains("<circle r=\"3\" fill=\"var(--body, red)\"/>"),
            "{svg}"
        );
        assert!(!svg.contains("title"), "{svg}");
    }

    #[test]
    fn ids_and_references_get_a_prefix() {
        let drawn = "<symbol id=\"sun\" viewBox=\"0 0 9 9\"><linearGradient id=\"glow\"/><path d=\"M0 0\" fill=\"url(#glow)\"/></symbol>";
        let (svg, parts) = picture(drawn).expect("allowed");
        assert_eq!(parts, ["sun"]);
        assert!(svg.contains("-glow)\"") && svg.contains("-sun\" viewBox=\"0 0 9 9\""), "{svg}");
    }

    #[test]
    fn nothing_that_runs_or_loads_is_allowed() {
        for inner in [
            "<script>alert(1)</script>",
            "<style>path { fill: red }</style>",
            "<foreignObject/>",
            "<image href=\"https://example.org/x.png\"/>",
            "<path d=\"M0 0\" onload=\"alert(1)\"/>",
            "<path d=\"M0 0\" style=\"fill: red\"/>",
            "<path d=\"M0 0\" class=\"button\"/>",
            "<path d=\"M0 0\" fill=\"url(https://example.org)\"/>",
            "<path d=\"M0 0\" fill=\"u\\72l(x)\"/>",
            "<use href=\"https://example.org/x.svg#y\"/>",
            "<use href=\"#missing\"/>",
            "<a href=\"javascript:alert(1)\"/>",
            "<animate attributeName=\"href\"/>",
            "<text>Hello</text>",
            "Hello",
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"/>",
            "<g id=\"a\"/><g id=\"a\"/>",
            "<g id=\"a\"><use href=\"#b\"/></g><g id=\"b\"><use href=\"#a\"/></g>",
        ] {
            assert!(picture(inner).is_err(), "{inner}");
        }
        assert!(
            sanitise(b"<!DOCTYPE svg [<!ENTITY x \"y\">]><svg xmlns=\"http://www.w3.org/2000/svg\"/>", "a1-")
                .is_err()
        );
        assert!(sanitise(b"\xff\xfe", "a1-").is_err());
        assert!(sanitise(b"<p/>", "a1-").is_err());
    }

    #[test]
    fn the_result_is_accepted_again() {
        let (svg, _) = picture("<g id=\"sun\"><circle r=\"3\"/></g><use href=\"#sun\"/>").expect("allowed");
        assert!(Document::parse(&svg).is_ok(), "{svg}");
    }
}
