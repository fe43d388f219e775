//! Modified values in views: the base value, and the visible modifiers that changed it.
//!
//! Only visible sources are named. The contribution of visible modifiers is computed without the hidden ones,
//! so that no step reveals them; any remaining difference is attributed to a source without a name.

use intermezzo_program::{NULL, PropId, RuleHost, Type, TypeId, Word};

use crate::react::explain::{Trace, TracedValue};
use crate::values::datum::{Datum, ShortText};
use crate::view::observer::{Observer, Viewer};

impl Observer {
    /// Describes how a visible property, now `value`, differs from the stored value; `None` if it does not.
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
        let base_shown = self.describe(viewer, base, ty);
        let now = self.describe(viewer, value, ty);
        if base_shown == now {
            return None;
        }
        // The sources are named.
        self.has_mentioned = true;
        let traced = self.trace_visible(viewer, entity, prop)?;
        let changes = traced.steps.iter().filter(|(_, _, before, after)| before != after);
        let mut by = Vec::new();
        for (modifier, source, before, after) in changes {
            let (source, title) = self.source(viewer, *modifier, *source);
            by.push(contribution(source, title, self.change(ty, *before, *after)));
        }
        if self.describe(viewer, traced.value, ty) != now {
            by.push(contribution(Datum::Null, Datum::Null, self.change(ty, traced.value, value)));
        }
        Some(Datum::Map(vec![
            (ShortText::new_static("base"), base_shown),
            (ShortText::new_static("by"), Datum::List(by)),
        ]))
    }

    /// Traces the property through the modifiers whose sources the viewer sees.
    fn trace_visible(&mut self, viewer: Viewer, entity: Word, prop: PropId) -> Option<TracedValue> {
        let traced = self.trace(entity, prop, Vec::new())?;
        let mut hidden: Vec<Word> = traced.steps.iter().map(|(_, source, ..)| *source).collect();
        hidden.retain(|source| *source != NULL && !self.sees(viewer, *source));
        if hidden.is_empty() { Some(traced) } else { self.trace(entity, prop, hidden) }
    }

    fn trace(&mut self, entity: Word, prop: PropId, left_out: Vec<Word>) -> Option<TracedValue> {
        self.folder.with_evaluator(&mut self.board, |core| {
            core.frames.trace = Some(Box::new(Trace::without(left_out)));
            let value = core.modified_value(entity, prop);
            let trace = core.frames.trace.take()?;
            value.ok()?;
            trace.traced.into_iter().next()
        })
    }

    /// Returns the visible entity a modifier comes from, null for rules of the game itself, and its title.
    /// For an attached source it is the host.
    fn source(&mut self, viewer: Viewer, modifier: u16, source: Word) -> (Datum, Datum) {
        let modifier = &self.program.modifiers[usize::from(modifier)];
        let RuleHost::Def(def) = modifier.host else {
            return (Datum::Null, Datum::text(&modifier.name));
        };
        let [_, title, _] = self.def_texts(def.0);
        let host = self.board.entity(source).map_or(NULL, |found| found.host);
        (self.reference(viewer, if host == NULL { source } else { host }), title)
    }

    /// Returns the difference of two numbers; null for other types.
    fn change(&self, ty: TypeId, before: Word, after: Word) -> Datum {
        let is_number =
            matches!(self.program.types[ty.index()], Type::Int) && before != NULL && after != NULL;
        if is_number { Datum::Int(after.saturating_sub(before)) } else { Datum::Null }
    }
}

fn contribution(source: Datum, title: Datum, change: Datum) -> Datum {
    Datum::Map(vec![
        (ShortText::new_static("source"), source),
        (ShortText::new_static("title"), title),
        (ShortText::new_static("change"), change),
    ])
}
