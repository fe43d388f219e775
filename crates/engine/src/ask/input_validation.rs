//! Validation of inputs. The checks change nothing; they build the values that a valid input carries.

use intermezzo_program::{AnswerShape, DraftPolicy, FaultCode, NULL, Seat, Symbol, Word, native, word};

use crate::ask::answer;
use crate::ask::auto_pass::AutoPass;
use crate::ask::input::{Answer, Input, InputId, Refusal, Rejection, RuleFault};
use crate::ask::request::QuestionState;
use crate::run::cycle::Cycle;
use crate::run::frames::NO_ROUTINE;
use crate::run::match_instance::Match;
use crate::run::setup::is_pot;

/// A valid input, ready to be applied.
pub(crate) enum ValidatedInput {
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
    /// Not an input: the previous one made rules trigger each other in an endless loop.
    Loop,
}

impl Match {
    /// Checks an input and builds the values it carries.
    pub(crate) fn validate(&mut self, input: &Input) -> Result<ValidatedInput, Refusal> {
        if self.board.end.is_some() {
            return Err(Rejection::MatchOver.into());
        }
        match input {
            Input::Answer { input, seat, answer } => {
                let at = self.find_question(*input, Some(*seat))?;
                let value = self.checked_value(at, answer)?;
                Ok(ValidatedInput::Answer { at, value, how: native::CONFIRMED })
            }
            Input::Draft { input, seat, answer } => {
                let at = self.find_question(*input, Some(*seat))?;
                self.validate_draft(at, answer)
            }
            Input::Timeout { input } => {
                let at = self.find_question(*input, None)?;
                self.validate_timeout(at)
            }
            Input::Leave { seat, cause } => {
                self.check_seat(*seat)?;
                if self.board.left_seats[usize::from(seat.0)] {
                    return Err(Rejection::SeatGone { seat: *seat }.into());
                }
                Ok(ValidatedInput::Leave { seat: *seat, cause: cause.symbol() })
            }
            Input::AutoPass { seat, until, stops } => {
                self.check_seat(*seat)?;
                if self.board.left_seats[usize::from(seat.0)] {
                    return Err(Rejection::SeatGone { seat: *seat }.into());
                }
                Ok(ValidatedInput::AutoPass {
                    seat: *seat,
                    setting: self.resolve_auto_pass(*seat, *until, *stops)?,
                })
            }
            Input::Moderate { winners, pot } => self.validate_moderation(winners, *pot),
        }
    }

    fn validate_draft(&mut self, at: usize, answer: &Answer) -> Result<ValidatedInput, Refusal> {
        let pending = self.pending_at(at);
        let policy = pending.choice.draft.ok_or(Rejection::DraftsNotAccepted)?;
        let repaired = match policy {
            DraftPolicy::Refuse => {
                pending.check(answer)?;
                None
            }
            DraftPolicy::Blank if matches!(answer, Answer::Picks(_)) => match pending.choice.shape {
                AnswerShape::Branches => return Err(Rejection::WrongShape.into()),
                _ => Some(pending.repair_draft(answer)),
            },
            DraftPolicy::Blank => {
                pending.check(answer)?;
                None
            }
        };
        let answer = repaired.as_ref().unwrap_or(answer);
        let is_legal = pending.check(answer).is_ok();
        let value = self.value(at, answer)?;
        Ok(ValidatedInput::Draft { at, value, is_legal })
    }

    /// Resolves a timeout: a legal draft counts, else the default, else passing, else leaving all slots
    /// empty. If players have a time bank, questions without a deadline can time out too.
    fn validate_timeout(&mut self, at: usize) -> Result<ValidatedInput, Refusal> {
        let ask = self.requests.questions[at];
        let choice = &self.program.choices[ask.choice.index()];
        if ask.deadline == NULL && !self.has_time_bank() {
            return Err(Rejection::NoDeadline.into());
        }
        if !self.pending_at(at).resolves_on_timeout() {
            return Err(Rejection::NoDefault.into());
        }
        let how = native::DEFAULTED;
        if ask.has_draft && (ask.draft_is_legal || ask.default == NULL) {
            return Ok(ValidatedInput::Answer { at, value: ask.draft, how: native::DRAFTED });
        }
        if ask.default != NULL {
            return Ok(ValidatedInput::Answer { at, value: ask.default, how });
        }
        if choice.pass {
            return Ok(ValidatedInput::Answer { at, value: NULL, how });
        }
        let empty = Answer::Picks(vec![-1; ask.max as usize]);
        let value = self.value(at, &empty)?;
        Ok(ValidatedInput::Answer { at, value, how })
    }

    fn validate_moderation(&mut self, winners: &[Seat], pot: Symbol) -> Result<ValidatedInput, Refusal> {
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
        let list = |heap: &mut crate::storage::heap::Heap, players: &[Word]| heap.new_list(players);
        let winners = list(&mut self.board.heap, &won).map_err(memory_fault)?;
        let losers = list(&mut self.board.heap, &lost).map_err(memory_fault)?;
        Ok(ValidatedInput::Moderate { winners, losers, pot })
    }

    fn check_seat(&self, seat: Seat) -> Result<(), Rejection> {
        if seat.0 < self.board.seats { Ok(()) } else { Err(Rejection::NoSuchSeat { seat }) }
    }

    /// Finds the index of the open question an input refers to.
    fn find_question(&self, input: InputId, seat: Option<Seat>) -> Result<usize, Rejection> {
        if let Some(seat) = seat {
            self.check_seat(seat)?;
        }
        if input.0 == 0 || input.0 > self.counters.questions {
            return Err(Rejection::NoSuchInput { input });
        }
        let asks = self.requests.top_questions();
        let first = self.requests.questions.len() - asks.len();
        let place = asks.iter().position(|ask| ask.id == input);
        let ask = place.map(|place| (first + place, &asks[place]));
        match ask {
            Some((_, ask)) if seat.is_some_and(|seat| seat != ask.seat) => {
                Err(Rejection::NotYourInput { asked: ask.seat })
            }
            Some((at, ask)) if ask.state == QuestionState::Open => Ok(at),
            _ => Err(Rejection::InputClosed { input }),
        }
    }

    /// Checks an answer and builds its value.
    fn checked_value(&mut self, at: usize, given: &Answer) -> Result<Word, Refusal> {
        let pending = self.pending_at(at);
        // The most common answer: one of the options.
        if let Answer::Picks(picks) = given
            && let [pick] = picks[..]
            && pending.choice.single
            && pending.choice.shape == AnswerShape::Pick
            && pending.bounds() == (1, 1)
        {
            let option = usize::try_from(pick).ok().and_then(|pick| pending.option(pick));
            return Ok(option.ok_or(Rejection::NoSuchOption { pick: i64::from(pick) })?);
        }
        match (given, pending.choice.shape) {
            (Answer::Picks(picks), AnswerShape::Path) => {
                let value = self.path_value(at, picks)?;
                self.pending_at(at).check_min_length(picks.len())?;
                Ok(value)
            }
            _ => {
                pending.check(given)?;
                self.value(at, given)
            }
        }
    }

    fn value(&mut self, at: usize, given: &Answer) -> Result<Word, Refusal> {
        let ask = &self.requests.questions[at];
        let choice = &self.program.choices[ask.choice.index()];
        match given {
            Answer::Pass => Ok(NULL),
            Answer::Picks(picks) if choice.shape == AnswerShape::Path => self.path_value(at, picks),
            Answer::Picks(picks) => {
                answer::value_of_picks(&mut self.board.heap, choice, ask.options, picks).map_err(memory_fault)
            }
            Answer::Branches(taken) => {
                let mut words = std::mem::take(&mut self.words);
                words.clear();
                self.pending_at(at).resolve_branches(taken, choice.levels(), &mut words);
                let value = answer::value_of_branches(&mut self.board.heap, choice, &words);
                self.words = words;
                value.map_err(memory_fault)
            }
        }
    }
}

pub(crate) fn memory_fault(code: FaultCode) -> Refusal {
    let (file, cycle) = (String::new(), Cycle::default());
    Refusal::Faulted(RuleFault { code, location: None, file, routine: NO_ROUTINE, cycle })
}
