//! `ui.compare`: what the other players have, shown before an action.

use intermezzo_program::KindId;

use crate::check::Checker;
use crate::check::types::Ty;
use crate::grammar::presentation;
use crate::tree::SourceNode;

impl Checker<'_> {
    pub(super) fn check_compare(&mut self, compare: &SourceNode) {
        let entries = self.ui_entries(compare, &presentation::COMPARE);
        let is_missing = |key: &&crate::grammar::Key| key.is_required && compare.get(key.name).is_none();
        for key in presentation::COMPARE.own_keys().filter(is_missing) {
            self.report_error("E-KEY", compare.span, format!("`compare` needs `{}`", key.name));
        }
        for entry in entries {
            let node = &entry.value;
            match entry.key.value.as_str() {
                "choice" => self.check_choice_name(node),
                "of" => {
                    let types = self.check_prop_of(node, "`of`", Some(KindId::PLAYER), false);
                    if !types.is_empty()
                        && !types.iter().any(|ty| matches!(ty.present(), Ty::Map(..) | Ty::Error))
                    {
                        let message = "`of` needs a property that holds a map from names to numbers";
                        self.report_error("E-TYPE", node.span, message);
                    }
                }
                "key" => {
                    self.known_prop(node, "`key`");
                }
                "defs" => {
                    for def in self.ui_names(node, "`defs`") {
                        self.known_def(&def.key);
                        for words in self.ui_entries(&def.value, &presentation::COMPARE_DEF) {
                            self.check_text(&words.value, &format!("`{}`", words.key.value));
                        }
                    }
                }
                key => self.check_text(node, &format!("`{key}`")),
            }
        }
    }

    fn check_choice_name(&mut self, node: &SourceNode) {
        let Some(name) = self.text(node, "`choice`") else { return };
        let actions = self.actions.iter().map(|action| action.id.value.clone());
        let alternatives = self.program.choices.iter().flat_map(|choice| &choice.branches);
        let alternatives = alternatives.map(|branch| self.symbols.spelling(branch.id).to_owned());
        let known: Vec<String> = actions.chain(alternatives).collect();
        if !known.contains(&name.value) {
            let known = known.iter().map(String::as_str);
            self.report_unknown("E-NAME", name.span, "action or alternative", &name.value, known);
        }
    }
}
