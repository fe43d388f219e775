//! Finding out what can be done changes nothing, is complete, and what it says is true.

use std::sync::Arc;

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Datum, Input, InputId, Log, Match, Pending, Viewer, Witness};
use intermezzo_ruleset::{InputKind, Program, Seat};

use super::{Broken, Trial, Verdict};
use crate::habits::Habits;
use crate::subjects::Subject;

/// How much was tried, so that a law that tries nothing does not pass for one that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Discovered {
    /// Times a seat was told what it can do.
    pub looks: usize,
    /// Options that were taken.
    pub taken: usize,
    /// Inputs and drags that mean nothing offered, and were refused.
    pub refused: usize,
    /// Actions that cannot be taken, with their reasons.
    pub closed: usize,
}

/// Asking what can be done changes nothing; what is offered can be done, what is not cannot; what cannot has a reason.
pub fn discovery_is_pure_and_complete(subject: &Subject, seed: u64) -> Verdict {
    discovered(subject, seed).map(drop)
}

/// The same, with how much was tried.
///
/// # Errors
///
/// If the law does not hold.
pub fn discovered(subject: &Subject, seed: u64) -> Result<Discovered, Broken> {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 60, ..Habits::lively() })?;
    let witness = Witness::new(Arc::clone(&subject.program), &trial.played.setup);
    let witness = witness.map_err(|error| trial.broken(error.to_string()))?;
    let mut looking = Looking {
        trial: &trial,
        witness,
        seen: 0,
        random: Random::new(seed),
        at: 0,
        found: Discovered::default(),
    };
    trial.walk(|state, log, at| {
        looking.at = at;
        looking.follow(log)?;
        if at == 0 || looking.random.happens(400) { looking.look(state) } else { Ok(()) }
    })?;
    Ok(looking.found)
}

struct Looking<'a> {
    trial: &'a Trial<'a>,
    witness: Witness,
    seen: usize,
    random: Random,
    at: usize,
    found: Discovered,
}

impl Looking<'_> {
    fn claim(&self, holds: bool, detail: impl FnOnce() -> String) -> Verdict {
        self.trial.claim(holds, || format!("after input {}: {}", self.at, detail()))
    }

    fn follow(&mut self, log: &Log) -> Verdict {
        let observed = self.witness.observe(log, self.seen, |_, _| {});
        self.seen = log.len();
        observed.map_err(|code| self.trial.broken(format!("the log cannot be followed: {}", code.name())))
    }

    fn look(&mut self, state: &mut Match) -> Verdict {
        let before = state.snapshot();
        for seat in (0..state.board().seats()).map(Seat) {
            let shown = self.shown(state, seat);
            let fault = |fault| self.trial.broken(format!("finding offers made a rule fail: {fault}"));
            let count = state.offer_count(seat).map_err(fault)?;
            let actions = self.witness.actions(state, seat);
            let actions = actions.map_err(|fault| self.trial.broken(format!("actions failed: {fault}")))?;
            self.found.looks += 1;
            let (again, is_same) = (self.shown(state, seat), state.snapshot() == before);
            self.claim(is_same, || format!("seat {} asks what it can do, and the match changes", seat.0))?;
            self.claim(shown == again, || format!("seat {} asks, and sees something else", seat.0))?;
            self.reasons(&actions, count)?;
            self.options(state, seat, &actions)?;
            self.drags(state, seat, &before)?;
        }
        self.unlisted(state, &before)
    }

    fn shown(&mut self, state: &Match, seat: Seat) -> (Datum, Datum) {
        let viewer = Viewer::Seat(seat);
        (self.witness.view(viewer), self.witness.prompts(state, viewer))
    }

    /// What cannot be done is not offered, and there is a reason.
    fn reasons(&mut self, actions: &Datum, count: usize) -> Verdict {
        let (available, closed) = (items(actions, "available"), items(actions, "unavailable"));
        self.claim(available.len() <= count, || "more is listed than there is".to_owned())?;
        for closed in closed {
            let has_reason = matches!(closed.get("reason"), Some(Datum::Text(reason)) if !reason.is_empty());
            self.claim(has_reason, || format!("there is no reason for {closed:?}"))?;
            let is_same =
                |offer: &Datum| ["action", "host"].iter().all(|key| offer.get(key) == closed.get(key));
            let offered = available.iter().any(is_same);
            self.claim(!offered, || format!("{closed:?} can be done after all"))?;
            self.found.closed += 1;
        }
        Ok(())
    }

    /// What a seat is asked to choose from is listed, and taken if chosen.
    fn options(&mut self, state: &mut Match, seat: Seat, actions: &Datum) -> Verdict {
        let Some((id, count, passes)) = action_question(state, seat) else { return Ok(()) };
        let Datum::Map(prompts) = self.witness.prompts(state, Viewer::Seat(seat)) else { return Ok(()) };
        let prompts = Datum::Map(prompts);
        let asked = items(&prompts, "prompts");
        let options = asked.first().map_or(&[][..], |prompt| items(prompt, "options"));
        self.claim(options.len() == count, || "the prompt has other options than the question".to_owned())?;
        let available = items(actions, "available");
        let view = format!("{:?}", self.witness.view(Viewer::Seat(seat)));
        for option in options {
            let value = option.get("value").cloned().unwrap_or(Datum::Null);
            // Nothing is told about a host that is out of sight, unless the rules ask about it.
            let host = value.get("host").filter(|host| **host != Datum::Null);
            if host.is_some_and(|host| !view.contains(&format!("{host:?}"))) {
                continue;
            }
            let is_it = |offer: &Datum| {
                ["action", "host", "targets"].iter().all(|key| offer.get(key) == value.get(key))
            };
            let listed = available.iter().any(is_it);
            self.claim(listed, || format!("seat {} may choose {value:?}, which is not listed", seat.0))?;
        }
        let mut answers: Vec<Answer> =
            (0..count.min(4)).map(|_| pick(self.random.index(count) as i64)).collect();
        answers.extend(passes.then_some(Answer::Pass));
        for answer in answers {
            let input = Input::Answer { input: id, seat, answer };
            let taken = state.try_out(&input, |_| ());
            self.claim(taken.is_ok(), || format!("{input:?} is offered but refused: {taken:?}"))?;
            self.found.taken += 1;
        }
        Ok(())
    }

    /// Drags with names of all kinds mean an option, or are refused.
    fn drags(&mut self, state: &mut Match, seat: Seat, before: &[u8]) -> Verdict {
        let program = Arc::clone(state.program());
        for _ in 0..6 {
            let (what, onto) = (any_name(&program, &mut self.random), any_name(&program, &mut self.random));
            match self.witness.read_drag(state, seat, &what, &onto) {
                Ok((input, answer)) => {
                    let input = Input::Answer { input, seat, answer };
                    let taken = state.try_out(&input, |_| ());
                    self.claim(taken.is_ok(), || {
                        format!("dragging {what} onto {onto} is {input:?}: {taken:?}")
                    })?;
                    self.found.taken += 1;
                }
                Err(_) => self.found.refused += 1,
            }
        }
        self.claim(state.snapshot() == before, || "a drag changes the match".to_owned())
    }

    /// What is not listed is refused and changes nothing.
    fn unlisted(&mut self, state: &mut Match, before: &[u8]) -> Verdict {
        let mut inputs = Vec::new();
        for seat in (0..state.board().seats()).map(Seat) {
            let Some((id, count, _)) = action_question(state, seat) else { continue };
            let count = count as i64;
            let far = count + 1 + self.random.below(1 << 20) as i64;
            for number in [-1, -2, count, count + 1, far, i64::from(i32::MAX), i64::from(i32::MIN)] {
                inputs.push(Input::Answer { input: id, seat, answer: pick(number) });
            }
            inputs.push(Input::Answer { input: id, seat, answer: Answer::Picks(Vec::new()) });
            inputs.push(Input::Answer { input: id, seat, answer: Answer::Picks(vec![0, 0]) });
            inputs.push(Input::Answer { input: id, seat, answer: Answer::Branches(vec![(0, vec![0])]) });
            for stale in [0, id.0.wrapping_sub(1), id.0 + 1000, u32::MAX] {
                inputs.push(Input::Answer { input: InputId(stale), seat, answer: pick(0) });
            }
            let others = (0..=state.board().seats()).map(Seat).filter(|other| *other != seat);
            inputs.extend(others.map(|other| Input::Answer { input: id, seat: other, answer: pick(0) }));
        }
        for input in inputs {
            let refused = state.submit(&input, &mut Log::discard()).is_err();
            self.claim(refused, || format!("{input:?} is taken though nothing like it is offered"))?;
            self.claim(state.snapshot() == before, || format!("{input:?} is refused and changes the match"))?;
            self.found.refused += 1;
        }
        Ok(())
    }
}

/// The question of a seat about what to do: its id, how many options, whether it may be declined.
fn action_question(state: &Match, seat: Seat) -> Option<(InputId, usize, bool)> {
    let is_it = |pending: &Pending<'_>| pending.seat() == seat && pending.choice().kind == InputKind::Action;
    let pending = state.pending().find(is_it)?;
    (pending.bounds() != (0, 0) || pending.choice().pass)
        .then(|| (pending.id(), pending.option_count(), pending.choice().pass))
}

fn pick(number: i64) -> Answer {
    Answer::Picks(vec![i32::try_from(number).unwrap_or(i32::MAX)])
}

fn items<'d>(datum: &'d Datum, key: &str) -> &'d [Datum] {
    match datum.get(key) {
        Some(Datum::List(items)) => items,
        _ => &[],
    }
}

/// A name of an entity, a player, a zone, or of nothing.
fn any_name(program: &Program, random: &mut Random) -> String {
    let zone = |random: &mut Random| match program.zones.is_empty() {
        true => "nowhere".to_owned(),
        false => program.symbol(program.zones[random.index(program.zones.len())].name).to_owned(),
    };
    match random.below(8) {
        0..=3 => format!("#{}", random.below(24)),
        4 => format!("p{}", random.below(4)),
        5 => zone(random),
        6 => format!("p{}.{}", random.below(4), zone(random)),
        _ => ["", "#", "#-1", "#99999999999", "p", "pp0", ".", "p0.", "\u{0}"][random.index(9)].to_owned(),
    }
}
