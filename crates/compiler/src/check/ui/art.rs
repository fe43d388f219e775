//! `ui.art` and `ui.theme`: pictures of the ruleset's own, and built-in prints.

use crate::check::Checker;
use crate::check::types::Ty;
use crate::grammar::Object;
use crate::grammar::presentation::{self, SCENES, TILES};
use crate::tree::{MapEntry, SourceNode, SourceText};

/// Figures of the built-in prints.
pub(crate) const FIGURES: &[&str] = &[
    "aegis",
    "aqueduct",
    "bat",
    "bazaar",
    "bolt",
    "bomber",
    "captain",
    "counter",
    "drake",
    "dye",
    "echo",
    "fort",
    "guard",
    "guild",
    "h-archer",
    "h-barb",
    "h-bard",
    "h-fighter",
    "h-pike",
    "h-rogue",
    "h-warlock",
    "h-wizard",
    "hand",
    "harbour",
    "heal",
    "kindle",
    "mill",
    "minster",
    "ogre",
    "prodigy",
    "raider",
    "scholar",
    "shield",
    "skull",
    "sword",
    "tales",
    "tower",
    "viper",
    "wolf",
];

impl Checker<'_> {
    pub(super) fn check_art(&mut self, node: &SourceNode) {
        for entry in self.ui_entries(node, &presentation::ART) {
            let node = &entry.value;
            match entry.key.value.as_str() {
                "defs" => {
                    for def in self.ui_names(node, "`defs`") {
                        self.known_def(&def.key);
                        self.check_picture(&def.value, &presentation::PICTURE);
                    }
                }
                "values" => self.each_value(node, &mut |checker, value| {
                    checker.check_picture(&value.value, &presentation::VALUE_PICTURE);
                }),
                "hues" => self.each_value(node, &mut |checker, value| {
                    checker.check_range(&value.value, "a hue", 0..=360);
                }),
                "scenes" => self.each_value(node, &mut |checker, value| {
                    checker.word(&value.value, "scene", SCENES);
                }),
                "tiles" => {
                    for def in self.ui_names(node, "`tiles`") {
                        self.known_def(&def.key);
                        self.word(&def.value, "tile", TILES);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn known_def(&mut self, name: &SourceText) {
        if !self.symbols.defs.contains(&name.value) {
            let known = self.symbols.defs.owned_names();
            self.report_unknown("E-NAME", name.span, "def", &name.value, known.iter().map(String::as_str));
        }
    }

    /// Checks an object of properties, each with an object of its values.
    fn each_value(&mut self, node: &SourceNode, check: &mut dyn FnMut(&mut Self, &MapEntry)) {
        for prop in self.ui_names(node, "an object of properties") {
            let types: Vec<Ty> =
                self.symbols.props_named(&prop.key.value).map(|prop| prop.ty.clone()).collect();
            if types.is_empty() {
                let props = self.symbols.props.iter();
                let known: Vec<String> =
                    props.map(|prop| self.symbols.spelling(prop.name).to_owned()).collect();
                let known = known.iter().map(String::as_str);
                self.report_unknown("E-PROP", prop.key.span, "property", &prop.key.value, known);
                continue;
            }
            let enums = types.iter().filter(|ty| matches!(ty.present(), Ty::Enum(_)));
            let members: Vec<String> = enums.flat_map(|ty| self.symbols.members(&ty.present())).collect();
            for value in self.ui_names(&prop.value, "an object of values") {
                if !members.is_empty() && !members.contains(&value.key.value) {
                    let what = format!("value of `{}`", prop.key.value);
                    let known = members.iter().map(String::as_str);
                    self.report_unknown("E-ENUM", value.key.span, &what, &value.key.value, known);
                }
                check(self, value);
            }
        }
    }

    /// Checks a picture: `scene/figure`, a file of the ruleset, or an object of them.
    pub(super) fn check_picture(&mut self, node: &SourceNode, object: &Object) {
        if let Some(text) = node.as_text() {
            match text.value.starts_with("assets/") {
                true => self.check_asset(text),
                false => self.check_print(text),
            }
            return;
        }
        for entry in self.ui_entries(node, object) {
            let node = &entry.value;
            match entry.key.value.as_str() {
                "print" => {
                    let text = self.text(node, "`print`");
                    text.into_iter().for_each(|text| self.check_print(text));
                }
                "file" => {
                    let text = self.text(node, "`file`");
                    text.into_iter().for_each(|text| self.check_asset(text));
                }
                "scene" => {
                    self.word(node, "scene", SCENES);
                }
                "hue" => self.check_range(node, "`hue`", 0..=360),
                key => self.check_text(node, &format!("`{key}`")),
            }
        }
    }

    fn check_print(&mut self, text: &SourceText) {
        let Some((scene, figure)) = text.value.split_once('/') else {
            let message = format!("`{}` is no picture", text.value);
            let hint = "write `scene/figure`, such as `rays/sword`, or a file such as `assets/sword.svg`";
            self.report(crate::diagnostic::Diagnostic::error("E-TYPE", text.span, message).hint(hint));
            return;
        };
        for (what, word, known) in [("scene", scene, SCENES), ("figure", figure, FIGURES)] {
            if !known.contains(&word) {
                self.report_unknown("E-ENUM", text.span, what, word, known.iter().copied());
            }
        }
    }

    fn check_asset(&mut self, text: &SourceText) {
        let Some(assets) = self.assets else { return };
        let (path, part) = match text.value.split_once('#') {
            Some((path, part)) => (path, Some(part)),
            None => (text.value.as_str(), None),
        };
        let Some(asset) = assets.get(path) else {
            let known: Vec<&str> = assets.paths().collect();
            self.report_unknown("E-ASSET", text.span, "file", path, known);
            return;
        };
        if let Some(part) = part
            && !asset.parts.iter().any(|known| known == part)
        {
            let what = format!("drawing of `{path}`");
            let known: Vec<&str> = asset.parts.iter().map(String::as_str).collect();
            self.report_unknown("E-ASSET", text.span, &what, part, known);
        }
    }
}
