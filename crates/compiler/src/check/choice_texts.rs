//! Placeholders in the texts of a choice: `title: "{claimant} has the {character}?"`.
//!
//! The code that computes their values is embedded in the routine of the statement and skipped by a jump. The engine runs it
//! for each player it shows the question.

use intermezzo_program::{ChoiceId, Instr, TextValues};

use super::Checker;
use super::stmts::StatementParts;
use crate::tree::{NodeValue, SourceNode, SourceText};

/// Names that placeholders may begin with besides locals.
const ROOTS: [&str; 8] = ["actor", "event", "flow", "match", "options", "self", "trait", "you"];

impl Checker<'_> {
    /// Reads a text of a choice, and warns about placeholders that nothing fills.
    pub(crate) fn choice_text<'n>(&mut self, node: &'n SourceNode) -> Option<&'n SourceText> {
        match node.as_text() {
            Some(text) if placeholders(&text.value).iter().all(|(_, inner)| self.can_fill(inner)) => {
                Some(text)
            }
            _ => self.fixed_text(node, "`title`"),
        }
    }

    fn can_fill(&self, placeholder: &str) -> bool {
        let name = placeholder.split('.').next().unwrap_or_default();
        self.body.binding(name).is_some() || ROOTS.contains(&name)
    }

    /// Compiles the values of the placeholders, if there are any.
    pub(super) fn lower_choice_texts(
        &mut self,
        parts: &StatementParts<'_>,
        choice: ChoiceId,
    ) -> Option<TextValues> {
        let mut texts: Vec<&SourceText> = Vec::new();
        texts.extend(parts.get("title").and_then(SourceNode::as_text));
        texts.extend(parts.get("pass").and_then(|pass| pass.get("title")?.as_text()));
        parts.get("choices").into_iter().for_each(|choices| collect_titles(choices, &mut texts));
        let mut known: Vec<(String, SourceText)> = Vec::new();
        for text in texts {
            for (at, inner) in placeholders(&text.value) {
                if self.can_fill(inner) && !known.iter().any(|(name, _)| name == inner) {
                    let span = text.span_of(at..at + inner.len());
                    known.push((inner.to_owned(), SourceText::verbatim(inner, span.file, span.start)));
                }
            }
        }
        if known.is_empty() {
            return None;
        }
        let over = self.emit(Instr::Jump { to: 0 });
        let entry = self.body.jump_target();
        let temps = self.body.mark_temps();
        let first = self.body.new_temps(known.len() as u16);
        let mut fields = Vec::new();
        for (at, (name, text)) in known.into_iter().enumerate() {
            let node = SourceNode { span: text.span, value: NodeValue::Text(text) };
            let value = self.node_value(&node);
            self.emit(Instr::Copy { dst: first.offset(at as u16), src: value.reg });
            fields.push((name, self.type_id(&value.ty)));
        }
        let record = self.body.new_temp();
        self.emit(Instr::Record { dst: record, first, count: fields.len() as u16 });
        self.emit(Instr::Return { value: record });
        self.body.release_temps(temps);
        self.body.patch_jumps(&[over]);
        self.note_choice_code(choice);
        Some(TextValues { routine: self.body.routine, entry, fields })
    }

    /// Notes that code of a choice is embedded in the routine, so that it is found once the routine has its place.
    pub(super) fn note_choice_code(&mut self, choice: ChoiceId) {
        if !self.body.path_choices.contains(&choice) {
            self.body.path_choices.push(choice);
        }
    }
}

/// Collects the titles of alternatives, nested ones included.
fn collect_titles<'n>(choices: &'n SourceNode, texts: &mut Vec<&'n SourceText>) {
    for alternative in choices.as_list().unwrap_or_default() {
        texts.extend(alternative.get("title").and_then(SourceNode::as_text));
        alternative.get("choices").into_iter().for_each(|inner| collect_titles(inner, texts));
    }
}

/// Returns the placeholders of a text, `name` or `name.property`, each with its position and without the braces.
fn placeholders(text: &str) -> Vec<(usize, &str)> {
    let is_name = |name: &str| {
        let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(of_name)
    };
    let opens = text.match_indices('{').map(|(at, _)| at + 1);
    opens
        .filter_map(|open| Some((open, &text[open..open + text[open..].find('}')?])))
        .filter(|(_, inner)| is_name(inner))
        .collect()
}
