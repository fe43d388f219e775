//! What a viewer is told of a value that modifiers have changed: what it was before, and by what.
//!
//! Only what the viewer sees is named. What the modifiers in sight make of the value is computed without the others, so
//! that no step tells of them; whatever they leave unexplained is put down to something that has no name.

use intermezzo_ruleset::{NULL, PropId, RuleHost, Type, TypeId, Word};

use crate::datum::{Datum, Text};
use crate::explain::{Trace, Traced};
use crate::witness::{Viewer, Witness};

impl Witness {
    /// How a visible property that is now `value` differs from what is stored; nothing if it does not.
    pub(crate) fn modification(
        &mut self,
        viewer: Viewer,
        entity: Word,
        prop: PropId,
        value: Word,
    ) -> Option<Datum> {
        let declared = &self.program.props[prop.index()];
        let ty = declared.ty;
        let base = self.board.column(entity, declared.column).filter(|base| *base != value)?;
        let told = self.describe(viewer, base, ty);
        let now = self.describe(viewer, value, ty);
        if told == now {
            return None;
        }
        let traced = self.traced_in_sight(viewer, entity, prop)?;
        let changes = traced.steps.iter().filter(|(_, _, before, after)| before != after);
        let mut by = Vec::new();
        for (modifier, source, before, after) in changes {
            let (source, title) = self.source(viewer, *modifier, *source);
            by.push(contribution(source, title, self.change(ty, *before, *after)));
        }
        if self.describe(viewer, traced.value, ty) != now {
            by.push(contribution(Datum::Null, Datum::Null, self.change(ty, traced.value, value)));
        }
        Some(Datum::Map(vec![(Text::new_static("base"), told), (Text::new_static("by"), Datum::List(by))]))
    }

    /// What becomes of a property by the modifiers whose sources a viewer sees.
    fn traced_in_sight(&mut self, viewer: Viewer, entity: Word, prop: PropId) -> Option<Traced> {
        let traced = self.traced(entity, prop, Vec::new())?;
        let mut hidden: Vec<Word> = traced.steps.iter().map(|(_, source, ..)| *source).collect();
        hidden.retain(|source| *source != NULL && !self.sees(viewer, *source));
        if hidden.is_empty() { Some(traced) } else { self.traced(entity, prop, hidden) }
    }

    fn traced(&mut self, entity: Word, prop: PropId, left_out: Vec<Word>) -> Option<Traced> {
        self.folder.with_core(&mut self.board, |core| {
            core.agenda.trace = Some(Box::new(Trace::without(left_out)));
            let value = core.modified(entity, prop);
            let trace = core.agenda.trace.take()?;
            value.ok()?;
            trace.traced.into_iter().next()
        })
    }

    /// The thing in sight a modifier comes from, if it is none of the game's own, and what people call it. What is attached
    /// is found where its host is.
    fn source(&mut self, viewer: Viewer, modifier: u16, source: Word) -> (Datum, Datum) {
        let modifier = &self.program.modifiers[usize::from(modifier)];
        let RuleHost::Def(def) = modifier.host else {
            return (Datum::Null, Datum::text(&modifier.name));
        };
        let [_, title, _] = self.printed(def.0);
        let host = self.board.entity(source).map_or(NULL, |found| found.host);
        (self.reference(viewer, if host == NULL { source } else { host }), title)
    }

    /// By how much a number has changed.
    fn change(&self, ty: TypeId, before: Word, after: Word) -> Datum {
        let is_number =
            matches!(self.program.types[ty.index()], Type::Int) && before != NULL && after != NULL;
        if is_number { Datum::Int(after.saturating_sub(before)) } else { Datum::Null }
    }
}

fn contribution(source: Datum, title: Datum, change: Datum) -> Datum {
    Datum::Map(vec![
        (Text::new_static("source"), source),
        (Text::new_static("title"), title),
        (Text::new_static("change"), change),
    ])
}
