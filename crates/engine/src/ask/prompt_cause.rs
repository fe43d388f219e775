//! Cause of a prompt: the event that triggered the asking rule.
//!
//! A reaction before an event asks while nobody has seen the event yet. The player asked has to know what the
//! question is about, so the prompt discloses as much of the event as the event itself would.

use intermezzo_program::{EventId, KindId, NULL, Reg, Visibility, Word, native};

use crate::ask::request::PendingQuestion;
use crate::storage::board::Entity;
use crate::values::datum::{Datum, ShortText, describe_with};
use crate::view::observer::{Observer, Viewer};

impl<'a> PendingQuestion<'a> {
    /// Returns the entity that the asking rule belongs to.
    fn asking_host(&self) -> Option<Word> {
        let asking = self.frames.stack.get(self.requests.stack.last()?.frame as usize)?;
        self.frames.regs.get(asking.base() as usize + usize::from(Reg::SELF.0)).copied()
    }

    /// Returns the event that the asking rule reacts to, with its current payload.
    pub(crate) fn triggering_event(&self) -> Option<(EventId, &'a [Word])> {
        let asking = self.frames.stack.get(self.requests.stack.last()?.frame as usize)?;
        let registers = &self.frames.regs;
        let base = *registers.get(asking.base() as usize + usize::from(Reg::EVENT.0))?;
        let event = self.frames.event_at(base)?.event;
        let first = usize::try_from(base).ok()? + usize::from(Reg::CONTEXT);
        let fields = self.program.events[event.index()].fields.len();
        registers.get(first..first + fields).map(|payload| (event, payload))
    }
}

impl Observer {
    /// Describes the reaction that asks, and the entity it belongs to if the player asked sees it.
    pub(crate) fn prompt_rule(&mut self, pending: &PendingQuestion<'_>) -> Option<Datum> {
        let rule = pending.choice().rule?;
        let mut entries = vec![(ShortText::new_static("id"), Datum::text(self.program.symbol(rule)))];
        let viewer = Viewer::Seat(pending.seat());
        let host = pending.asking_host().filter(|host| {
            let is_thing = |entity: &Entity| entity.kind.0 > KindId::PLAYER.0;
            *host != NULL && pending.board.entity(*host).is_some_and(is_thing) && self.sees(viewer, *host)
        });
        if let Some(host) = host {
            let place = self.viewer_index(viewer);
            entries.push((ShortText::new_static("host"), self.viewer_names.viewers[place].name(host)));
        }
        Some(Datum::Map(entries))
    }

    /// Describes the event a question is about, as the player asked may see it.
    pub(crate) fn prompt_cause(&mut self, pending: &PendingQuestion<'_>) -> Option<Datum> {
        let (event, payload) = pending.triggering_event()?;
        if event.index() < native::EVENTS.len() {
            return None;
        }
        let program = std::sync::Arc::clone(&self.program);
        let declared = &program.events[event.index()];
        // A visibility test for an event that has not happened yet cannot be evaluated.
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
                    let place = self.viewer_index(viewer);
                    self.viewer_names.viewers[place].name(entity)
                }
                false => Datum::Null,
            };
            let datum = describe_with(&program, pending.board, *value, field.ty, &mut name);
            entries.push((program.symbol(field.name).into(), datum));
        }
        Some(Datum::Map(vec![
            (ShortText::new_static("event"), Datum::text(&declared.name)),
            (ShortText::new_static("payload"), Datum::Map(entries)),
        ]))
    }
}
