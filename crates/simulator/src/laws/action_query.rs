//! The action query changes nothing, lists everything, and is right.

use std::sync::Arc;

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Datum, EventLog, Input, InputId, Match, Observer, PendingQuestion, Viewer};
use intermezzo_program::{InputKind, Program, Seat};

use super::{LawResult, LawRun, LawViolation};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;

/// Number of checks, so that a law that checks nothing does not pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueryCounts {
    /// Number of queries.
    pub queries: usize,
    /// Number of accepted options.
    pub taken: usize,
    /// Number of refused inputs and drags that match no offer.
    pub refused: usize,
    /// Number of unavailable actions with a reason.
    pub closed: usize,
}

/// Checks that the action query changes nothing, that exactly the offered actions are possible, and that every
/// unavailable action has a reason.
pub fn the_action_query_is_pure_and_complete(fixture: &Fixture, seed: u64) -> LawResult {
    query_counts(fixture, seed).map(drop)
}

/// Checks the same, and returns the number of checks.
///
/// # Errors
///
/// Returns the violation if the law does not hold.
pub fn query_counts(fixture: &Fixture, seed: u64) -> Result<QueryCounts, LawViolation> {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 60, ..InputMix::varied() })?;
    let observer = Observer::new(Arc::clone(&fixture.program), &run.played.setup);
    let observer = observer.map_err(|error| run.violation(error.to_string()))?;
    let mut check = ActionQueryCheck {
        run: &run,
        observer,
        seen: 0,
        random: Random::new(seed),
        at: 0,
        found: QueryCounts::default(),
    };
    run.walk(|state, log, at| {
        check.at = at;
        check.follow(log)?;
        if at == 0 || check.random.happens(400) { check.check_all(state) } else { Ok(()) }
    })?;
    Ok(check.found)
}

struct ActionQueryCheck<'a> {
    run: &'a LawRun<'a>,
    observer: Observer,
    seen: usize,
    random: Random,
    at: usize,
    found: QueryCounts,
}

impl ActionQueryCheck<'_> {
    fn claim(&self, holds: bool, detail: impl FnOnce() -> String) -> LawResult {
        self.run.claim(holds, || format!("after input {}: {}", self.at, detail()))
    }

    fn follow(&mut self, log: &EventLog) -> LawResult {
        let observed = self.observer.observe(log, self.seen, |_, _| {});
        self.seen = log.len();
        observed.map_err(|code| {
            self.run.violation(format!("the observer cannot follow the log: {}", code.name()))
        })
    }

    fn check_all(&mut self, state: &mut Match) -> LawResult {
        let before = state.snapshot();
        for seat in (0..state.board().seats()).map(Seat) {
            let shown = self.shown(state, seat);
            let fault = |fault| self.run.violation(format!("finding offers made a rule fail: {fault}"));
            let count = state.offer_count(seat).map_err(fault)?;
            let actions = self.observer.actions(state, seat);
            let actions = actions.map_err(|fault| self.run.violation(format!("actions failed: {fault}")))?;
            self.found.queries += 1;
            let (again, is_same) = (self.shown(state, seat), state.snapshot() == before);
            self.claim(is_same, || format!("the action query of seat {} changes the match", seat.0))?;
            self.claim(shown == again, || format!("the action query of seat {} changes its view", seat.0))?;
            self.reasons(&actions, count)?;
            self.options(state, seat, &actions)?;
            self.drags(state, seat, &before)?;
        }
        self.unlisted(state, &before)
    }

    fn shown(&mut self, state: &Match, seat: Seat) -> (Datum, Datum) {
        let viewer = Viewer::Seat(seat);
        (self.observer.view(viewer), self.observer.prompts(state, viewer))
    }

    /// Checks that unavailable actions have a reason and are not offered.
    fn reasons(&mut self, actions: &Datum, count: usize) -> LawResult {
        let (available, closed) = (items(actions, "available"), items(actions, "unavailable"));
        self.claim(available.len() <= count, || "the query lists more actions than are offered".to_owned())?;
        for closed in closed {
            let has_reason = matches!(closed.get("reason"), Some(Datum::Text(reason)) if !reason.is_empty());
            self.claim(has_reason, || format!("{closed:?} has no reason"))?;
            let is_same =
                |offer: &Datum| ["action", "host"].iter().all(|key| offer.get(key) == closed.get(key));
            let offered = available.iter().any(is_same);
            self.claim(!offered, || format!("{closed:?} is offered as well"))?;
            self.found.closed += 1;
        }
        Ok(())
    }

    /// Checks that all options of a question are listed and accepted.
    fn options(&mut self, state: &mut Match, seat: Seat, actions: &Datum) -> LawResult {
        let Some((id, count, passes)) = action_question(state, seat) else { return Ok(()) };
        let Datum::Map(prompts) = self.observer.prompts(state, Viewer::Seat(seat)) else { return Ok(()) };
        let prompts = Datum::Map(prompts);
        let asked = items(&prompts, "prompts");
        let options = asked.first().map_or(&[][..], |prompt| items(prompt, "options"));
        self.claim(options.len() == count, || "the prompt has other options than the question".to_owned())?;
        let available = items(actions, "available");
        let view = format!("{:?}", self.observer.view(Viewer::Seat(seat)));
        for option in options {
            let value = option.get("value").cloned().unwrap_or(Datum::Null);
            // The query omits hosts that the seat cannot see; a question may still offer them.
            let host = value.get("host").filter(|host| **host != Datum::Null);
            if host.is_some_and(|host| !view.contains(&format!("{host:?}"))) {
                continue;
            }
            let is_it = |offer: &Datum| {
                ["action", "host", "targets"].iter().all(|key| offer.get(key) == value.get(key))
            };
            let listed = available.iter().any(is_it);
            self.claim(listed, || format!("the query of seat {} omits {value:?}", seat.0))?;
        }
        let mut answers: Vec<Answer> =
            (0..count.min(4)).map(|_| pick(self.random.index(count) as i64)).collect();
        answers.extend(passes.then_some(Answer::Pass));
        for answer in answers {
            let input = Input::Answer { input: id, seat, answer };
            let taken = state.preview(&input, |_| ());
            self.claim(taken.is_ok(), || format!("{input:?} is offered but refused: {taken:?}"))?;
            self.found.taken += 1;
        }
        Ok(())
    }

    /// Checks that a drag with any names is an option or is refused.
    fn drags(&mut self, state: &mut Match, seat: Seat, before: &[u8]) -> LawResult {
        let program = Arc::clone(state.program());
        for _ in 0..6 {
            let (what, onto) = (any_name(&program, &mut self.random), any_name(&program, &mut self.random));
            match self.observer.read_drag(state, seat, &what, &onto) {
                Ok((input, answer)) => {
                    let input = Input::Answer { input, seat, answer };
                    let taken = state.preview(&input, |_| ());
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

    /// Checks that inputs outside the list are refused and change nothing.
    fn unlisted(&mut self, state: &mut Match, before: &[u8]) -> LawResult {
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
            let refused = state.submit(&input, &mut EventLog::discard()).is_err();
            self.claim(refused, || format!("{input:?} is accepted but not offered"))?;
            self.claim(state.snapshot() == before, || format!("{input:?} is refused but changes the match"))?;
            self.found.refused += 1;
        }
        Ok(())
    }
}

/// Returns a seat's action question: its id, the number of options, and true if the seat may pass.
fn action_question(state: &Match, seat: Seat) -> Option<(InputId, usize, bool)> {
    let is_it =
        |pending: &PendingQuestion<'_>| pending.seat() == seat && pending.choice().kind == InputKind::Action;
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

/// Returns the name of an entity, a player or a zone, or an invalid name.
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
