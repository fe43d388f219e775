//! What a question is about: the event that set off the rule that asks.
//!
//! A reaction before an event asks while nobody has been told of the event yet. Who is asked has to know what they
//! answer, so they are told as much of it as they would be told of the event itself.

use intermezzo_ruleset::{EventId, NULL, Reg, Visibility, Word, native};

use crate::datum::{Datum, Text, describe_with};
use crate::request::Pending;
use crate::witness::{Viewer, Witness};

impl<'a> Pending<'a> {
    /// The event that the rule which asks reacts to, and its payload as it is now.
    pub(crate) fn occasion(&self) -> Option<(EventId, &'a [Word])> {
        let asking = self.agenda.frames.get(self.requests.stack.last()?.frame as usize)?;
        let registers = &self.agenda.regs;
        let base = *registers.get(asking.base as usize + usize::from(Reg::EVENT.0))?;
        let event = self.agenda.event_at(base)?.event;
        let first = usize::try_from(base).ok()? + usize::from(Reg::CONTEXT);
        let fields = self.program.events[event.index()].fields.len();
        registers.get(first..first + fields).map(|payload| (event, payload))
    }
}

impl Witness {
    /// The event a question is about, as the one who is asked may see it.
    pub(crate) fn about(&mut self, pending: &Pending<'_>) -> Option<Datum> {
        let (event, payload) = pending.occasion()?;
        if event.index() < native::EVENTS.len() {
            return None;
        }
        let program = std::sync::Arc::clone(&self.program);
        let declared = &program.events[event.index()];
        // Whether a test would hold for an event that has not happened yet nobody can say.
        let all_named = match declared.visible {
            Visibility::All => true,
            Visibility::ByContents => false,
            _ => return None,
        };
        let viewer = Viewer::Seat(pending.seat());
        let mut entries = Vec::with_capacity(payload.len());
        for (field, value) in declared.fields.iter().zip(payload).filter(|(_, value)| **value != NULL) {
            let mut name = |entity| match all_named || self.sees(viewer, entity) {
                true => {
                    let place = self.place(viewer);
                    self.memory.eyes[place].name(entity)
                }
                false => Datum::Null,
            };
            let datum = describe_with(&program, pending.board, *value, field.ty, &mut name);
            entries.push((program.symbol(field.name).into(), datum));
        }
        Some(Datum::Map(vec![
            (Text::new_static("event"), Datum::text(&declared.name)),
            (Text::new_static("payload"), Datum::Map(entries)),
        ]))
    }
}
