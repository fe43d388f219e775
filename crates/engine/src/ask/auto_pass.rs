//! Auto-pass: seats that pass automatically.
//!
//! A seat may declare that it passes whenever it is asked to act. That is an input like any other, but it
//! emits no event and no other seat sees it. The result is the same as if the seat passed each time by hand.

use intermezzo_program::{InputKind, NULL, Seat, Word, ZoneId, native};

use crate::ask::input::{PassUntil, Rejection};
use crate::ask::input_validation::ValidatedInput;
use crate::ask::request::{QuestionState, SeatQuestion};
use crate::run::log::EventLog;
use crate::run::match_instance::Match;

/// Number of automatic passes in a row after which the seat is asked again.
pub(crate) const MAX_PASSES: u32 = 1000;

/// Auto-pass setting of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AutoPass {
    pub(crate) seat: Seat,
    /// Number of the phase whose end turns it off; null for none.
    pub(crate) phase: Word,
    /// Suspends it while something that others put there is on the stack.
    pub(crate) stops: bool,
    /// Automatic passes since the seat last answered.
    pub(crate) passes: u32,
}

impl Match {
    /// Returns the setting an input asks for; `None` to turn auto-pass off.
    pub(crate) fn resolve_auto_pass(
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
        self.auto_passes.retain(|auto| auto.seat != seat);
        self.auto_passes.extend(setting);
        self.auto_passes.sort_by_key(|auto| auto.seat);
    }

    /// Returns the duration of a seat's auto-pass and whether the stack suspends it; `None` if it is off.
    #[must_use]
    pub fn auto_pass_setting(&self, seat: Seat) -> Option<(PassUntil, bool)> {
        let auto = self.auto_passes.iter().find(|auto| auto.seat == seat)?;
        let until = if auto.phase == NULL { PassUntil::Always } else { PassUntil::TurnEnds };
        Some((until, auto.stops))
    }

    /// Resets the pass counter of a seat that answered by hand.
    pub(crate) fn reset_pass_count(&mut self, seat: Seat) {
        self.auto_passes.iter_mut().filter(|auto| auto.seat == seat).for_each(|auto| auto.passes = 0);
    }

    /// Passes for all seats with auto-pass, one after the other, each time as if the seat had sent the
    /// answer.
    pub(crate) fn run_auto_passes(&mut self, log: &mut EventLog) {
        let mut failures = std::mem::take(&mut self.failures);
        while !log.has_stopped()
            && let Some((at, seat)) = self.next_auto_pass()
        {
            let auto = self.auto_passes.iter_mut().filter(|auto| auto.seat == seat);
            auto.for_each(|auto| auto.passes += 1);
            self.auto_passed.push(seat);
            if !self.completes_request(at, NULL) {
                self.requests.questions[at].record_answer(NULL, native::CONFIRMED);
                continue;
            }
            self.board.heap.allow(self.program.limits.heap);
            let heap = self.board.heap.len();
            let step = ValidatedInput::Answer { at, value: NULL, how: native::CONFIRMED };
            match self.execute_step(&step, heap, self.counters.inputs, log) {
                Ok(savepoint) => {
                    self.board.commit(savepoint);
                    self.collect_if_due();
                }
                // Passing fails: turn auto-pass off, so that the seat is asked and sees the fault itself.
                Err(_) => self.set_auto_pass(seat, None),
            }
            failures.append(&mut self.failures);
        }
        self.failures = failures;
    }

    /// Finds the next open question to pass automatically.
    fn next_auto_pass(&mut self) -> Option<(usize, Seat)> {
        let board = &self.board;
        self.auto_passes.retain(|auto| {
            let number = |entry: &crate::storage::board::PhaseEntry| Word::from(entry.number) == auto.phase;
            let is_here = !board.left_seats[usize::from(auto.seat.0)];
            is_here && auto.passes < MAX_PASSES && (auto.phase == NULL || board.phases.iter().any(number))
        });
        let asks = self.requests.top_questions();
        let first = self.requests.questions.len() - asks.len();
        let passes = |auto: &AutoPass| {
            let place = asks.iter().position(|ask| ask.seat == auto.seat && self.can_auto_pass(ask))?;
            let is_stopped = auto.stops && self.has_others_on_stack(auto.seat);
            (!is_stopped).then_some((first + place, auto.seat))
        };
        self.auto_passes.iter().find_map(passes)
    }

    fn can_auto_pass(&self, ask: &SeatQuestion) -> bool {
        let choice = &self.program.choices[ask.choice.index()];
        ask.state == QuestionState::Open && choice.kind == InputKind::Action && choice.pass
    }

    fn has_others_on_stack(&self, seat: Seat) -> bool {
        let zone = self.tables.single_zone(ZoneId::STACK);
        let mut items = self.board.zone_contents(zone);
        items.any(|item| self.board.owner(item) != Some(seat))
    }
}
