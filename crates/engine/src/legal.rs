//! Whether an input is legal: checks that change nothing, and the values an input carries.

use intermezzo_ruleset::{DraftPolicy, FaultCode, NULL, Seat, Shape, Symbol, Word, native, word};

use crate::agenda::NO_ROUTINE;
use crate::answer;
use crate::autopass::AutoPass;
use crate::cycle::Cycle;
use crate::input::{Answer, Fault, Input, InputId, Refusal, Rejection};
use crate::play::Match;
use crate::request::AskStanding;
use crate::setup::is_pot;

/// An input that was found to be legal.
pub(crate) enum Step {
    Answer {
        at: usize,
        value: Word,
        how: Symbol,
    },
    Draft {
        at: usize,
        value: Word,
        is_legal: bool,
    },
    Leave {
        seat: Seat,
        cause: Symbol,
    },
    Moderate {
        winners: Word,
        losers: Word,
        pot: Symbol,
    },
    AutoPass {
        seat: Seat,
        setting: Option<AutoPass>,
    },
    /// Not an input: the one there was set off rules that never end.
    Loop,
}

impl Match {
    /// Checks an input and builds the values it carries.
    pub(crate) fn prepare(&mut self, input: &Input) -> Result<Step, Refusal> {
        if self.board.end.is_some() {
            return Err(Rejection::MatchOver.into());
        }
        match input {
            Input::Answer { input, seat, answer } => {
                let at = self.find(*input, Some(*seat))?;
                let value = self.checked(at, answer)?;
                Ok(Step::Answer { at, value, how: native::CONFIRMED })
            }
            Input::Draft { input, seat, answer } => {
                let at = self.find(*input, Some(*seat))?;
                self.prepare_draft(at, answer)
            }
            Input::Timeout { input } => {
                let at = self.find(*input, None)?;
                self.prepare_timeout(at)
            }
            Input::Leave { seat, cause } => {
                self.check_seat(*seat)?;
                if self.board.gone[usize::from(seat.0)] {
                    return Err(Rejection::SeatGone { seat: *seat }.into());
                }
                Ok(Step::Leave { seat: *seat, cause: cause.symbol() })
            }
            Input::AutoPass { seat, until, stops } => {
                self.check_seat(*seat)?;
                if self.board.gone[usize::from(seat.0)] {
                    return Err(Rejection::SeatGone { seat: *seat }.into());
                }
                Ok(Step::AutoPass { seat: *seat, setting: self.auto_pass(*seat, *until, *stops)? })
            }
            Input::Moderate { winners, pot } => self.prepare_moderation(winners, *pot),
        }
    }

    fn prepare_draft(&mut self, at: usize, answer: &Answer) -> Result<Step, Refusal> {
        let pending = self.pending_at(at);
        let policy = pending.choice.draft.ok_or(Rejection::DraftsNotTaken)?;
        let kept = match policy {
            DraftPolicy::Refuse => {
                pending.check(answer)?;
                None
            }
            DraftPolicy::Blank if matches!(answer, Answer::Picks(_)) => match pending.choice.shape {
                Shape::Branches => return Err(Rejection::WrongShape.into()),
                _ => Some(pending.blank(answer)),
            },
            DraftPolicy::Blank => {
                pending.check(answer)?;
                None
            }
        };
        let answer = kept.as_ref().unwrap_or(answer);
        let is_legal = pending.check(answer).is_ok();
        let value = self.value(at, answer)?;
        Ok(Step::Draft { at, value, is_legal })
    }

    /// When time is up the draft counts if it would do, else the default, else declining or leaving all empty. Where
    /// players have time for the whole match, it can be up for questions without a deadline, too.
    fn prepare_timeout(&mut self, at: usize) -> Result<Step, Refusal> {
        let ask = self.requests.asks[at];
        let choice = &self.program.choices[ask.choice.index()];
        if ask.deadline == NULL && !self.has_bank() {
            return Err(Rejection::NoDeadline.into());
        }
        if !self.pending_at(at).settles_without_answer() {
            return Err(Rejection::NoDefault.into());
        }
        let how = native::DEFAULTED;
        if ask.has_draft && (ask.draft_is_legal || ask.default == NULL) {
            return Ok(Step::Answer { at, value: ask.draft, how: native::DRAFTED });
        }
        if ask.default != NULL {
            return Ok(Step::Answer { at, value: ask.default, how });
        }
        if choice.pass {
            return Ok(Step::Answer { at, value: NULL, how });
        }
        let empty = Answer::Picks(vec![-1; ask.max as usize]);
        let value = self.value(at, &empty)?;
        Ok(Step::Answer { at, value, how })
    }

    fn prepare_moderation(&mut self, winners: &[Seat], pot: Symbol) -> Result<Step, Refusal> {
        if !is_pot(pot) {
            return Err(Rejection::NoSuchPot.into());
        }
        for seat in winners {
            self.check_seat(*seat)?;
        }
        let players = |wins: bool| {
            let seats = (0..self.board.seats).map(Seat).filter(move |seat| winners.contains(seat) == wins);
            seats.map(word::player).collect::<Vec<Word>>()
        };
        let (won, lost) = (players(true), if winners.is_empty() { Vec::new() } else { players(false) });
        let list = |heap: &mut crate::heap::Heap, players: &[Word]| heap.new_list(players);
        let winners = list(&mut self.board.heap, &won).map_err(memory)?;
        let losers = list(&mut self.board.heap, &lost).map_err(memory)?;
        Ok(Step::Moderate { winners, losers, pot })
    }

    fn check_seat(&self, seat: Seat) -> Result<(), Rejection> {
        if seat.0 < self.board.seats { Ok(()) } else { Err(Rejection::NoSuchSeat { seat }) }
    }

    /// Where the open question is that an input means.
    fn find(&self, input: InputId, seat: Option<Seat>) -> Result<usize, Rejection> {
        if let Some(seat) = seat {
            self.check_seat(seat)?;
        }
        if input.0 == 0 || input.0 > self.counters.questions {
            return Err(Rejection::NoSuchInput { input });
        }
        let asks = self.requests.top_asks();
        let first = self.requests.asks.len() - asks.len();
        let place = asks.iter().position(|ask| ask.id == input);
        let ask = place.map(|place| (first + place, &asks[place]));
        match ask {
            Some((_, ask)) if seat.is_some_and(|seat| seat != ask.seat) => {
                Err(Rejection::NotYourInput { asked: ask.seat })
            }
            Some((at, ask)) if ask.standing == AskStanding::Open => Ok(at),
            _ => Err(Rejection::InputClosed { input }),
        }
    }

    /// The value of an answer that would do.
    fn checked(&mut self, at: usize, given: &Answer) -> Result<Word, Refusal> {
        let pending = self.pending_at(at);
        match (given, pending.choice.shape) {
            (Answer::Picks(picks), Shape::Path) => {
                let value = self.path_value(at, picks)?;
                self.pending_at(at).check_enough(picks.len())?;
                Ok(value)
            }
            _ => {
                pending.check(given)?;
                self.value(at, given)
            }
        }
    }

    fn value(&mut self, at: usize, given: &Answer) -> Result<Word, Refusal> {
        let ask = &self.requests.asks[at];
        let choice = &self.program.choices[ask.choice.index()];
        match given {
            Answer::Pass => Ok(NULL),
            Answer::Picks(picks) if choice.shape == Shape::Path => self.path_value(at, picks),
            Answer::Picks(picks) => {
                answer::value_of_picks(&mut self.board.heap, choice, ask.options, picks).map_err(memory)
            }
            Answer::Branches(taken) => {
                let mut words = std::mem::take(&mut self.words);
                words.clear();
                self.pending_at(at).resolve_branches(taken, choice.levels(), &mut words);
                let value = answer::value_of_branches(&mut self.board.heap, choice, &words);
                self.words = words;
                value.map_err(memory)
            }
        }
    }
}

pub(crate) fn memory(code: FaultCode) -> Refusal {
    Refusal::Faulted(Fault { code, place: None, routine: NO_ROUTINE, cycle: Cycle::default() })
}
