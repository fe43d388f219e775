//! Conversion of inputs between the engine and the file.

use intermezzo_engine::{Answer, Input, InputId, LeaveCause, Match, PassUntil, PendingQuestion};
use intermezzo_program::{Program, Seat, Symbol, TypeId, Word};
use serde_json::Value;

use crate::file::{SavedAnswer, SavedBranchPick, SavedInput, SavedPicks};
use crate::narrate::Narrator;

impl SavedInput {
    /// Returns the input for the engine.
    ///
    /// # Errors
    ///
    /// The problem, if the input names something that does not exist.
    pub fn to_input(&self, program: &Program) -> Result<Input, String> {
        Ok(match self {
            SavedInput::Answer { question, seat, answer } => {
                Input::Answer { input: InputId(*question), seat: Seat(*seat), answer: answer.to_answer() }
            }
            SavedInput::Draft { question, seat, answer } => {
                Input::Draft { input: InputId(*question), seat: Seat(*seat), answer: answer.to_answer() }
            }
            SavedInput::Timeout { question, .. } => Input::Timeout { input: InputId(*question) },
            SavedInput::Leave { seat, cause } => {
                let known = LeaveCause::NAMES.iter().find(|(_, name)| name == cause);
                let (cause, _) = known.ok_or_else(|| format!("unknown cause of leaving `{cause}`"))?;
                Input::Leave { seat: Seat(*seat), cause: *cause }
            }
            SavedInput::AutoPass { seat, until, stops } => {
                let known = PassUntil::from_name(until);
                let until = known.ok_or_else(|| format!("unknown auto-pass duration `{until}`"))?;
                Input::AutoPass { seat: Seat(*seat), until, stops: *stops }
            }
            SavedInput::Moderate { winners, pot } => {
                let pot = program.symbol_named(pot).ok_or_else(|| format!("unknown pot `{pot}`"))?;
                Input::Moderate { winners: winners.iter().copied().map(Seat).collect(), pot }
            }
        })
    }

    /// Returns the name of its kind in files.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            SavedInput::Answer { .. } => "answer",
            SavedInput::Draft { .. } => "draft",
            SavedInput::Timeout { .. } => "timeout",
            SavedInput::Leave { .. } => "leave",
            SavedInput::AutoPass { .. } => "auto_pass",
            SavedInput::Moderate { .. } => "moderate",
        }
    }

    /// Returns the seat it came from or is about, if any.
    #[must_use]
    pub fn seat(&self) -> Option<Seat> {
        match self {
            SavedInput::Answer { seat, .. }
            | SavedInput::Draft { seat, .. }
            | SavedInput::Timeout { seat, .. }
            | SavedInput::AutoPass { seat, .. }
            | SavedInput::Leave { seat, .. } => Some(Seat(*seat)),
            SavedInput::Moderate { .. } => None,
        }
    }
}

impl SavedAnswer {
    fn to_answer(&self) -> Answer {
        match self {
            SavedAnswer::Pass => Answer::Pass,
            SavedAnswer::Picks(picks) => Answer::Picks(picks.indices.clone()),
            SavedAnswer::Branches(branches) => Answer::Branches(
                branches.iter().map(|branch| (branch.branch, branch.indices.clone())).collect(),
            ),
        }
    }
}

impl Narrator {
    /// Converts an input, with the names of its picks. Must be called before the match applies it.
    pub(crate) fn input(&self, game: &Match, input: &Input) -> SavedInput {
        let find = |id: InputId| game.pending().find(|pending| pending.id() == id);
        match input {
            Input::Answer { input, seat, answer } => {
                let answer = self.answer(game, find(*input).as_ref(), answer);
                SavedInput::Answer { question: input.0, seat: seat.0, answer }
            }
            Input::Draft { input, seat, answer } => {
                let answer = self.answer(game, find(*input).as_ref(), answer);
                SavedInput::Draft { question: input.0, seat: seat.0, answer }
            }
            Input::Timeout { input } => {
                let seat = find(*input).map_or(0, |pending| pending.seat().0);
                SavedInput::Timeout { question: input.0, seat }
            }
            Input::Leave { seat, cause } => {
                let name =
                    LeaveCause::NAMES.iter().find(|(known, _)| known == cause).map_or("", |(_, name)| name);
                SavedInput::Leave { seat: seat.0, cause: name.to_owned() }
            }
            Input::AutoPass { seat, until, stops } => {
                SavedInput::AutoPass { seat: seat.0, until: until.name().to_owned(), stops: *stops }
            }
            Input::Moderate { winners, pot } => {
                let winners = winners.iter().map(|seat| seat.0).collect();
                SavedInput::Moderate { winners, pot: symbol_name(game.program(), *pot) }
            }
        }
    }

    fn answer(&self, game: &Match, pending: Option<&PendingQuestion<'_>>, answer: &Answer) -> SavedAnswer {
        let item = pending.map(|pending| pending.choice().item);
        let names = |options: &[Word], picks: &[i32]| -> Vec<Value> {
            picks.iter().map(|pick| self.option(game, item, options, *pick)).collect()
        };
        match answer {
            Answer::Pass => SavedAnswer::Pass,
            Answer::Picks(picks) if pending.is_some_and(|pending| pending.choice().next.is_some()) => {
                let names = pending.map_or_else(Vec::new, |pending| self.path(pending, picks));
                SavedAnswer::Picks(SavedPicks { names, indices: picks.clone() })
            }
            Answer::Picks(picks) => {
                let options = pending.map_or(&[][..], PendingQuestion::options);
                SavedAnswer::Picks(SavedPicks { names: names(options, picks), indices: picks.clone() })
            }
            Answer::Branches(branches) => {
                let saved = branches.iter().map(|(branch, picks)| {
                    let offer = pending.and_then(|pending| pending.branch(usize::from(*branch)));
                    let known =
                        pending.and_then(|pending| pending.choice().branches.get(usize::from(*branch)));
                    let id = known.map_or_else(String::new, |known| symbol_name(game.program(), known.id));
                    let names = names(offer.map_or(&[], |offer| offer.options), picks);
                    SavedBranchPick { id, branch: *branch, names, indices: picks.clone() }
                });
                SavedAnswer::Branches(saved.collect())
            }
        }
    }

    /// Returns the names of the picks on a path: each pick is an index into the continuations of the path
    /// before it.
    fn path(&self, pending: &PendingQuestion<'_>, picks: &[i32]) -> Vec<Value> {
        let Some(mut walk) = pending.start_path() else { return Vec::new() };
        let mut names = Vec::with_capacity(picks.len());
        for pick in picks {
            let options = walk.options().map(<[Word]>::to_vec).unwrap_or_default();
            let option = usize::try_from(*pick).ok().and_then(|pick| options.get(pick));
            let item = pending.choice().item;
            names.push(option.map_or(Value::Null, |option| self.display_value(walk.board(), *option, item)));
            if walk.step(*pick).is_err() {
                break;
            }
        }
        names
    }

    fn option(&self, game: &Match, item: Option<TypeId>, options: &[Word], pick: i32) -> Value {
        let option = usize::try_from(pick).ok().and_then(|pick| options.get(pick));
        match (option, item) {
            (Some(option), Some(item)) => self.display_value(game.board(), *option, item),
            _ => Value::Null,
        }
    }
}

fn symbol_name(program: &Program, symbol: Symbol) -> String {
    program.symbols.get(symbol.index()).cloned().unwrap_or_default()
}
