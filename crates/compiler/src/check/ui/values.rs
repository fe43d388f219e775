//! Simple values under `ui`: texts, numbers and names of declarations.

use std::ops::RangeInclusive;

use intermezzo_program::{KindId, Type};

use crate::check::Checker;
use crate::check::types::Ty;
use crate::tree::{SourceNode, SourceText};

impl Checker<'_> {
    pub(super) fn check_text(&mut self, node: &SourceNode, what: &str) {
        self.text(node, what);
    }

    pub(super) fn check_range(&mut self, node: &SourceNode, what: &str, range: RangeInclusive<i64>) {
        if !node.as_int().is_some_and(|number| range.contains(&number)) {
            let message = format!("{what} is a whole number from {} to {}", range.start(), range.end());
            self.report_error("E-TYPE", node.span, message);
        }
    }

    pub(super) fn known_zone(&mut self, name: &SourceText) -> bool {
        let is_known = self.symbols.zones.contains(&name.value);
        if !is_known {
            let known = self.symbols.zones.owned_names();
            self.report_unknown("E-NAME", name.span, "zone", &name.value, known.iter().map(String::as_str));
        }
        is_known
    }

    /// Returns the types of all properties of this name. Reports a name that no kind has.
    pub(super) fn known_prop(&mut self, node: &SourceNode, what: &str) -> Vec<Ty> {
        self.check_prop_of(node, what, None, false)
    }

    pub(super) fn check_prop_list(&mut self, node: &SourceNode, what: &str) {
        for item in self.items(node, what) {
            self.known_prop(item, &format!("a property of {what}"));
        }
    }

    /// Checks the name of a property of that kind, or of any. Returns the types of the properties of that name.
    pub(super) fn check_prop_of(
        &mut self,
        node: &SourceNode,
        what: &str,
        kind: Option<KindId>,
        is_number: bool,
    ) -> Vec<Ty> {
        let Some(text) = self.text(node, what) else { return Vec::new() };
        let of_kind = |owner: KindId| kind.is_none_or(|kind| owner == kind);
        let props = self.symbols.props_named(&text.value).filter(|prop| of_kind(prop.kind));
        let types: Vec<Ty> = props.map(|prop| prop.ty.clone()).collect();
        if types.is_empty() {
            let known = self.symbols.props.iter().filter(|prop| of_kind(prop.kind));
            let known: Vec<String> = known.map(|prop| self.symbols.spelling(prop.name).to_owned()).collect();
            let what = if kind == Some(KindId::PLAYER) { "property of players" } else { "property" };
            let known = known.iter().map(String::as_str);
            self.report_unknown("E-PROP", text.span, what, &text.value, known);
        } else if is_number && !types.iter().any(|ty| matches!(ty.present(), Ty::Int | Ty::Error)) {
            let message =
                format!("{what} needs a property that holds a number, but `{}` does not", text.value);
            self.report_error("E-TYPE", text.span, message);
        }
        types
    }

    /// Checks for a positive number or the name of a numeric option.
    pub(super) fn check_size(&mut self, node: &SourceNode, key: &str) {
        if node.as_int().is_some_and(|size| size > 0) {
            return;
        }
        let Some(text) = node.as_text() else {
            let message = format!("`{key}` is a number above 0 or the name of an option");
            self.report_error("E-TYPE", node.span, message);
            return;
        };
        let options = self.numeric_options();
        match options.iter().find(|(name, _)| *name == text.value) {
            Some((_, true)) => {}
            Some((_, false)) => {
                let message = format!("`{key}` is a number, but the option `{}` is not", text.value);
                self.report_error("E-TYPE", text.span, message);
            }
            None => {
                let known = options.iter().map(|(name, _)| name.as_str());
                self.report_unknown("E-NAME", text.span, "option", &text.value, known);
            }
        }
    }

    /// Checks for a positive number, a numeric option, or a numeric property.
    pub(super) fn check_max(&mut self, node: &SourceNode) {
        let names_prop = node.as_text().is_some_and(|text| {
            let mut types = self.symbols.props_named(&text.value);
            types.any(|prop| matches!(prop.ty.present(), Ty::Int))
        });
        if !names_prop {
            self.check_size(node, "max");
        }
    }

    fn numeric_options(&self) -> Vec<(String, bool)> {
        let options = self.program.options.iter().map(|option| {
            let is_number = self.program.types[option.ty.index()] == Type::Int;
            (self.symbols.spelling(option.name).to_owned(), is_number)
        });
        options.collect()
    }
}
