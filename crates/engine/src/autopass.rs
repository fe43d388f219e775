//! Seats that pass by themselves.
//!
//! A seat may say that it passes whenever it is asked what to do. That is an
//! input like any other, but it makes no event, and nobody else is told: what
//! follows is what would follow if the seat passed each time by hand.

use intermezzo_ruleset::{InputKind, NULL, Seat, Word, ZoneId, native};

use crate::input::{PassUntil, Rejection};
use crate::legal::Step;
use crate::log::Log;
use crate::play::Match;
use crate::request::{Ask, AskStanding};

/// A seat that only ever passed by itself is asked again after so many times.
pub(crate) const MAX_PASSES: u32 = 1000;

/// How a seat passes by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AutoPass {
    pub(crate) seat: Seat,
    /// Number of the phase with which it ends; null if it does not end.
    pub(crate) phase: Word,
    /// Not while there is something on the stack that others put there.
    pub(crate) stops: bool,
    /// How often since the seat last answered something.
    pub(crate) passes: u32,
}

impl Match {
    /// The setting an input asks for; nothing if it is to end.
    pub(crate) fn auto_pass(
        &self,
        seat: Seat,
        until: PassUntil,
        stops: bool,
    ) -> Result<Option<AutoPass>, Rejection> {
        let phase = match until {
            PassUntil::Off => return Ok(None),
            PassUntil::Always => NULL,
            PassUntil::TurnEnds => {
                let turn = self.board.phases.iter().find(|entry| entry.player != NULL);
                Word::from(turn.ok_or(Rejection::NoTurn)?.number)
            }
        };
        Ok(Some(AutoPass { seat, phase, stops, passes: 0 }))
    }

    pub(crate) fn set_auto_pass(&mut self, seat: Seat, setting: Option<AutoPass>) {
        self.auto.retain(|auto| auto.seat != seat);
        self.auto.extend(setting);
        self.auto.sort_by_key(|auto| auto.seat);
    }

    /// Whether a seat passes by itself, until when, and whether the stack stops it.
    #[must_use]
    pub fn passes_by_itself(&self, seat: Seat) -> Option<(PassUntil, bool)> {
        let auto = self.auto.iter().find(|auto| auto.seat == seat)?;
        let until = if auto.phase == NULL { PassUntil::Always } else { PassUntil::TurnEnds };
        Some((until, auto.stops))
    }

    /// A seat that answers by hand is awake.
    pub(crate) fn has_answered(&mut self, seat: Seat) {
        self.auto.iter_mut().filter(|auto| auto.seat == seat).for_each(|auto| auto.passes = 0);
    }

    /// Passes for all who want that, one after the other, each time as if the seat had sent it.
    pub(crate) fn pass_by_itself(&mut self, log: &mut Log) {
        let mut failures = std::mem::take(&mut self.failures);
        while !log.has_stopped()
            && let Some((at, seat)) = self.next_to_pass()
        {
            let auto = self.auto.iter_mut().filter(|auto| auto.seat == seat);
            auto.for_each(|auto| auto.passes += 1);
            self.passed.push(seat);
            if !self.completes(at) {
                self.requests.asks[at].take(NULL, native::CONFIRMED);
                continue;
            }
            self.board.heap.allow(self.program.limits.heap);
            let heap = self.board.heap.len();
            let step = Step::Answer { at, value: NULL, how: native::CONFIRMED };
            match self.resolve(&step, heap, self.counters.inputs, log) {
                Ok(savepoint) => {
                    self.board.commit(savepoint);
                    self.collect_if_due();
                }
                // The seat is asked, and will see for itself what passing leads to.
                Err(_) => self.set_auto_pass(seat, None),
            }
            failures.append(&mut self.failures);
        }
        self.failures = failures;
    }

    /// The next open question that answers itself.
    fn next_to_pass(&mut self) -> Option<(usize, Seat)> {
        let board = &self.board;
        self.auto.retain(|auto| {
            let number = |entry: &crate::board::PhaseEntry| Word::from(entry.number) == auto.phase;
            let is_here = !board.gone[usize::from(auto.seat.0)];
            is_here && auto.passes < MAX_PASSES && (auto.phase == NULL || board.phases.iter().any(number))
        });
        let asks = self.requests.top_asks();
        let first = self.requests.asks.len() - asks.len();
        let passes = |auto: &AutoPass| {
            let place = asks.iter().position(|ask| ask.seat == auto.seat && self.is_for_passing(ask))?;
            let is_stopped = auto.stops && self.has_others_on_stack(auto.seat);
            (!is_stopped).then_some((first + place, auto.seat))
        };
        self.auto.iter().find_map(passes)
    }

    fn is_for_passing(&self, ask: &Ask) -> bool {
        let choice = &self.program.choices[ask.choice.index()];
        ask.standing == AskStanding::Open && choice.kind == InputKind::Action && choice.pass
    }

    fn has_others_on_stack(&self, seat: Seat) -> bool {
        let zone = self.tables.single(ZoneId::STACK);
        let mut items = self.board.zone_contents(zone);
        items.any(|item| self.board.owner(item) != Some(seat))
    }
}
