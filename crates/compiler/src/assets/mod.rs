//! Pictures of a ruleset: the files of its `assets` folder, checked and ready to be served.
//!
//! SVG files are rebuilt from a list of allowed elements and attributes, so nothing in
//! them can run, load or style anything else on a page.

mod svg;
mod webp;

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};

/// Maximum size of an SVG file, in bytes.
pub const MAX_SVG_BYTES: usize = 256 * 1024;
/// Maximum size of a WebP file, in bytes.
pub const MAX_WEBP_BYTES: usize = 512 * 1024;
/// Maximum number of files.
pub const MAX_ASSETS: usize = 200;

/// The pictures of a ruleset, by path.
#[derive(Default, Debug)]
pub struct Assets(BTreeMap<String, Asset>);

/// A checked picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asset {
    pub kind: AssetKind,
    /// The contents to serve: sanitised SVG, or WebP as it is.
    pub bytes: Vec<u8>,
    /// Hash of the contents, as hexadecimal digits.
    pub hash: String,
    /// Names of the drawings in an SVG file that has several.
    pub parts: Vec<String>,
    /// In an SVG file, the ids of the drawings are this prefix and their name.
    pub prefix: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssetKind {
    Svg,
    WebP,
}

impl AssetKind {
    /// Returns the kind of a file by the end of its path.
    #[must_use]
    pub fn of(path: &str) -> Option<AssetKind> {
        match path.rsplit_once('.')?.1 {
            "svg" => Some(AssetKind::Svg),
            "webp" => Some(AssetKind::WebP),
            _ => None,
        }
    }

    /// Returns the file name extension.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            AssetKind::Svg => "svg",
            AssetKind::WebP => "webp",
        }
    }
}

impl Assets {
    /// Checks the files, each with its path such as `assets/dragon.svg`. Reports those that cannot be used.
    pub(crate) fn read(
        files: &[(String, Vec<u8>)],
        sources: &mut SourceMap,
        out: &mut Vec<Diagnostic>,
    ) -> Assets {
        let mut assets = BTreeMap::new();
        for (path, bytes) in files {
            let shown = if AssetKind::of(path) == Some(AssetKind::Svg) { bytes.as_slice() } else { &[] };
            let file = sources.add(path, String::from_utf8_lossy(shown).into_owned());
            match read_asset(path, bytes, assets.len()) {
                Ok(asset) => {
                    assets.insert(path.clone(), asset);
                }
                Err(problem) => {
                    let span = Span::at(file, problem.at.0, problem.at.1);
                    let diagnostic = Diagnostic::error("E-ASSET", span, problem.message);
                    out.push(
                        diagnostic
                            .hint("docs/reference/language/pictures.md lists what a picture may contain"),
                    );
                }
            }
        }
        Assets(assets)
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Asset> {
        self.0.get(path)
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the pictures with their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Asset)> {
        self.0.iter().map(|(path, asset)| (path.as_str(), asset))
    }
}

/// A reason why a file cannot be used, with the bytes it is about.
struct AssetProblem {
    at: (u32, u32),
    message: String,
}

impl AssetProblem {
    fn whole(message: String) -> AssetProblem {
        AssetProblem { at: (0, 0), message }
    }
}

fn read_asset(path: &str, bytes: &[u8], count: usize) -> Result<Asset, AssetProblem> {
    let Some(kind) = AssetKind::of(path) else {
        return Err(AssetProblem::whole("a picture is an .svg or .webp file".to_owned()));
    };
    let limit = match kind {
        AssetKind::Svg => MAX_SVG_BYTES,
        AssetKind::WebP => MAX_WEBP_BYTES,
    };
    if bytes.len() > limit || count >= MAX_ASSETS {
        let message = format!(
            "this file has {} bytes; a ruleset has at most {MAX_ASSETS} pictures, of at most {MAX_SVG_BYTES} bytes \
             (SVG) and {MAX_WEBP_BYTES} bytes (WebP)",
            bytes.len()
        );
        return Err(AssetProblem::whole(message));
    }
    let prefix = format!("a{}-", &blake3::hash(bytes).to_hex()[..10]);
    let (bytes, parts) = match kind {
        AssetKind::Svg => svg::sanitise(bytes, &prefix)?,
        AssetKind::WebP => webp::check(bytes).map(|()| (bytes.to_vec(), Vec::new()))?,
    };
    let hash = blake3::hash(&bytes).to_hex()[..32].to_owned();
    Ok(Asset { kind, bytes, hash, parts, prefix })
}

/// Returns the contents of a picture as text: SVG as it is, WebP as Base64.
#[must_use]
pub fn to_text(kind: AssetKind, bytes: &[u8]) -> String {
    match kind {
        AssetKind::Svg => String::from_utf8_lossy(bytes).into_owned(),
        AssetKind::WebP => bytes
            .chunks(3)
            .flat_map(|chunk| {
                let group =
                    (0..3).fold(0_u32, |group, at| group << 8 | u32::from(*chunk.get(at).unwrap_or(&0)));
                (0..4).map(move |at| match at <= chunk.len() {
                    true => char::from(BASE64[(group >> (18 - 6 * at) & 63) as usize]),
                    false => '=',
                })
            })
            .collect(),
    }
}

/// Returns the contents of a picture that [`to_text`] wrote; `None` if the text is not Base64.
#[must_use]
pub fn from_text(kind: AssetKind, text: &str) -> Option<Vec<u8>> {
    if kind == AssetKind::Svg {
        return Some(text.as_bytes().to_vec());
    }
    let digits = text.trim().trim_end_matches('=').bytes();
    let digits = digits.map(|digit| BASE64.iter().position(|known| *known == digit));
    let digits: Vec<u8> = digits.map(|digit| digit.map(|digit| digit as u8)).collect::<Option<_>>()?;
    let mut bytes = Vec::with_capacity(digits.len());
    for chunk in digits.chunks(4) {
        let group = (0..4).fold(0_u32, |group, at| group << 6 | u32::from(*chunk.get(at).unwrap_or(&0)));
        bytes.extend_from_slice(&group.to_be_bytes()[1..chunk.len().max(1)]);
    }
    Some(bytes)
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_survive_being_sent_as_text() {
        for bytes in [&b""[..], b"f", b"fo", b"foo", b"foob", b"fooba", b"foobar", &[0, 255, 62, 63]] {
            let text = to_text(AssetKind::WebP, bytes);
            assert_eq!(from_text(AssetKind::WebP, &text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(to_text(AssetKind::WebP, b"fooba"), "Zm9vYmE=");
        assert_eq!(from_text(AssetKind::WebP, "<svg>"), None);
        assert_eq!(from_text(AssetKind::Svg, "<svg>").as_deref(), Some(&b"<svg>"[..]));
    }
}
