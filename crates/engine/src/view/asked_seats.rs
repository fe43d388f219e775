//! Secrecy of being asked: whether a viewer may know that a seat has to answer.
//!
//! A reaction of a card in a hidden hand asks its owner. A viewer who saw that would know the card. So a question is shown
//! to others only if they can see the rule that asks: its entity, its item on the stack, or the entities of the
//! reactions that are to be put in order.

use intermezzo_program::{NULL, Reg, Word, native};

use crate::ask::request::PendingQuestion;
use crate::run::frames::{CodeFrame, Frame};
use crate::view::observer::{Observer, Viewer};

impl Observer {
    /// Returns true if a viewer may know that the seat of a question is asked.
    #[must_use]
    pub fn shows_question(&mut self, viewer: Viewer, pending: &PendingQuestion<'_>) -> bool {
        if viewer == Viewer::Seat(pending.seat()) {
            return true;
        }
        if pending.choice().secret {
            return false;
        }
        self.is_omniscient()
            || self.sees_order_options(viewer, pending) && self.sees_asking_rules(viewer, pending)
    }

    /// Returns true if the viewer sees every reaction that led to the question, down to the last event it has seen.
    fn sees_asking_rules(&mut self, viewer: Viewer, pending: &PendingQuestion<'_>) -> bool {
        let Some(request) = pending.requests.stack.last() else { return true };
        let place = self.viewer_index(viewer);
        let frames = pending.frames.stack.get(..=request.frame as usize).unwrap_or_default();
        for frame in frames.iter().rev() {
            match frame {
                Frame::Resolving(item) => return self.sees(viewer, item.item),
                Frame::Event(event) if self.viewer_names.viewers[place].numbers.get(event.id).is_some() => {
                    // The viewer can follow the rules from what it has seen.
                    return true;
                }
                Frame::Code(code)
                    if pending.tables.is_hosted_reaction(code.routine)
                        && !self.sees_reaction_host(viewer, pending, code) =>
                {
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    /// Returns true if the viewer sees the entity of a reaction, or saw it before it left.
    fn sees_reaction_host(
        &mut self,
        viewer: Viewer,
        pending: &PendingQuestion<'_>,
        frame: &CodeFrame,
    ) -> bool {
        let register = |reg: Reg| pending.frames.regs.get(frame.base as usize + usize::from(reg.0)).copied();
        let host = register(Reg::SELF).unwrap_or(NULL);
        if host == NULL || self.sees(viewer, host) {
            return true;
        }
        let event = register(Reg::EVENT).and_then(|base| pending.frames.event_at(base));
        let Some(event) = event else { return false };
        let first = event.base as usize + usize::from(Reg::CONTEXT);
        let payload = pending.frames.regs.get(first..first + 2).unwrap_or_default();
        let left_zone = match payload {
            [entity, from] if event.event == native::MOVED && *entity == host => u32::try_from(*from).ok(),
            _ => None,
        };
        let past = pending.frames.last_known.iter().find(|past| past.existed && past.now == host);
        let zone = left_zone.or_else(|| past.map(|past| past.row.zone));
        // Where it was in its zone is known only as far as it is remembered.
        let index = past.map_or(u32::MAX, |past| past.row.index);
        let owner =
            past.map(|past| past.row.owner).or_else(|| self.board.entity(host).map(|host| host.owner));
        zone.zip(owner).is_some_and(|(zone, owner)| self.sees_place(viewer, (zone, index), owner, host))
    }

    /// Returns true unless the question asks for the order of reactions, one of which is hidden from the viewer.
    fn sees_order_options(&mut self, viewer: Viewer, pending: &PendingQuestion<'_>) -> bool {
        let Some(request) = pending.requests.stack.last() else { return true };
        let asking = pending.frames.stack.get(request.frame as usize);
        let asking = asking.and_then(|frame| frame.routine(pending.program));
        let orders = |ordering: &intermezzo_program::OrderingRoutines| {
            [ordering.first, ordering.all].iter().any(|routine| Some(*routine) == asking)
        };
        if !pending.program.ordering.as_ref().is_some_and(orders) {
            return true;
        }
        let sources: Vec<Word> = (pending.options().iter())
            .filter_map(|reaction| pending.board.heap.field(*reaction, 1).ok())
            .collect();
        sources.into_iter().all(|source| source == NULL || self.sees(viewer, source))
    }
}
