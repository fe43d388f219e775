//! Time in a match: deadlines of questions, banks of seats, and lost connections.
//!
//! A fold like the rest: it knows only the times of the rows. What is due leads to
//! an input of its own, so that a replay needs no clock.

use intermezzo_engine::InputId;
use intermezzo_ruleset::Seat;
use serde::{Deserialize, Serialize};

/// What a match says about time, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ClockRules {
    /// What each seat has for the whole match.
    pub(crate) bank: Option<i64>,
    /// What an answer adds to it.
    pub(crate) increment: i64,
    /// How long a connection may be lost before the seat counts as gone; nothing means for ever.
    pub(crate) grace: Option<i64>,
}

/// A question that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Question {
    pub(crate) input: InputId,
    pub(crate) seat: Seat,
    pub(crate) deadline_ms: Option<i64>,
}

/// What runs out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expiry {
    /// The time for a question.
    Question(InputId),
    /// A seat's bank, while that question was open.
    Bank(Seat, InputId),
    /// The patience with a lost connection.
    Grace(Seat),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Open {
    input: u32,
    seat: u8,
    since: i64,
    limit: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SeatClock {
    left: i64,
    running_since: Option<i64>,
    lost_since: Option<i64>,
}

/// What all clocks of a match show.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Clocks {
    open: Vec<Open>,
    seats: Vec<SeatClock>,
    paused_since: Option<i64>,
}

impl Clocks {
    pub(crate) fn new(rules: &ClockRules, seats: u8) -> Clocks {
        let seat = SeatClock { left: rules.bank.unwrap_or(0), running_since: None, lost_since: None };
        Clocks { open: Vec::new(), seats: vec![seat; usize::from(seats)], paused_since: None }
    }

    /// Brings the clocks up to date with the questions that are open at that time, after a seat has answered.
    pub(crate) fn step(&mut self, rules: &ClockRules, at: i64, now: &[Question], answered: Option<Seat>) {
        self.open.retain(|open| now.iter().any(|question| question.input.0 == open.input));
        for question in now {
            if self.open.iter().all(|open| open.input != question.input.0) {
                let (input, seat) = (question.input.0, question.seat.0);
                self.open.push(Open { input, seat, since: at, limit: question.deadline_ms });
            }
        }
        if rules.bank.is_some() {
            self.step_banks(rules, at, now, answered);
        }
    }

    fn step_banks(&mut self, rules: &ClockRules, at: i64, now: &[Question], answered: Option<Seat>) {
        for (seat, clock) in self.seats.iter_mut().enumerate() {
            let is_asked = now.iter().any(|question| usize::from(question.seat.0) == seat);
            let has_answered = answered.is_some_and(|answered| usize::from(answered.0) == seat);
            if let Some(since) = clock.running_since.filter(|_| has_answered || !is_asked) {
                clock.left =
                    (clock.left - (at - since)).max(0) + if has_answered { rules.increment } else { 0 };
                clock.running_since = None;
            }
            if is_asked && clock.running_since.is_none() {
                clock.running_since = Some(at);
            }
        }
    }

    /// A seat's last connection is lost.
    pub(crate) fn lose(&mut self, seat: Seat, at: i64) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.lost_since.get_or_insert(at);
        }
    }

    /// A seat is connected again.
    pub(crate) fn return_to(&mut self, seat: Seat) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.lost_since = None;
        }
    }

    /// Whether a seat's connection was lost.
    pub(crate) fn is_lost(&self, seat: Seat) -> bool {
        self.seats.get(usize::from(seat.0)).is_some_and(|clock| clock.lost_since.is_some())
    }

    /// Nothing runs out from here on.
    pub(crate) fn pause(&mut self, at: i64) {
        self.paused_since.get_or_insert(at);
    }

    /// Everything runs on, with what was left.
    pub(crate) fn resume(&mut self, at: i64) {
        if let Some(since) = self.paused_since.take() {
            self.put_off(at - since);
        }
    }

    /// Whether the clocks stand.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused_since.is_some()
    }

    /// Nobody is charged for time in which the server was away.
    pub(crate) fn put_off(&mut self, ms: i64) {
        self.open.iter_mut().for_each(|open| open.since += ms);
        for clock in &mut self.seats {
            for since in [&mut clock.running_since, &mut clock.lost_since] {
                *since = since.map(|since| since + ms);
            }
        }
    }

    /// What runs out first, and when.
    pub(crate) fn next(&self, rules: &ClockRules) -> Option<(i64, Expiry)> {
        if self.paused_since.is_some() {
            return None;
        }
        let questions = self.open.iter().filter_map(|open| {
            let limit = open.limit?;
            Some((open.since.saturating_add(limit), Expiry::Question(InputId(open.input))))
        });
        let banks = self.open.iter().filter_map(|open| {
            let clock = self.seats.get(usize::from(open.seat)).filter(|_| rules.bank.is_some())?;
            let due = clock.running_since?.saturating_add(clock.left);
            Some((due, Expiry::Bank(Seat(open.seat), InputId(open.input))))
        });
        let lost = self.seats.iter().enumerate().filter_map(|(seat, clock)| {
            Some((clock.lost_since?.saturating_add(rules.grace?), Expiry::Grace(Seat(seat as u8))))
        });
        // The first of those that run out together: questions before banks before connections.
        questions.chain(banks).chain(lost).min_by_key(|(due, _)| *due)
    }

    /// When the time for a question runs out by its own deadline.
    pub(crate) fn deadline(&self, input: InputId) -> Option<i64> {
        let open = self.open.iter().find(|open| open.input == input.0)?;
        open.limit.map(|limit| open.since.saturating_add(limit))
    }

    /// What is left in a seat's bank, and since when it runs.
    pub(crate) fn bank(&self, seat: Seat) -> Option<(i64, Option<i64>)> {
        self.seats.get(usize::from(seat.0)).map(|clock| (clock.left, clock.running_since))
    }

    /// The match is over: nothing runs any more.
    pub(crate) fn stop(&mut self) {
        self.open.clear();
        for clock in &mut self.seats {
            (clock.running_since, clock.lost_since) = (None, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: ClockRules = ClockRules { bank: Some(60_000), increment: 5_000, grace: Some(30_000) };

    fn question(input: u32, seat: u8, deadline_ms: Option<i64>) -> Question {
        Question { input: InputId(input), seat: Seat(seat), deadline_ms }
    }

    #[test]
    fn a_question_runs_out_at_its_deadline_and_keeps_its_time_while_others_answer() {
        let mut clocks = Clocks::new(&ClockRules::default(), 2);
        clocks.step(
            &ClockRules::default(),
            1_000,
            &[question(1, 0, Some(500)), question(2, 1, Some(700))],
            None,
        );
        assert_eq!(clocks.next(&ClockRules::default()), Some((1_500, Expiry::Question(InputId(1)))));
        clocks.step(&ClockRules::default(), 1_200, &[question(2, 1, Some(700))], Some(Seat(0)));
        assert_eq!(clocks.next(&ClockRules::default()), Some((1_700, Expiry::Question(InputId(2)))));
    }

    #[test]
    fn a_bank_runs_while_its_seat_is_asked_and_gains_by_answering() {
        let mut clocks = Clocks::new(&RULES, 2);
        clocks.step(&RULES, 0, &[question(1, 0, None)], None);
        assert_eq!(clocks.next(&RULES), Some((60_000, Expiry::Bank(Seat(0), InputId(1)))));
        clocks.step(&RULES, 20_000, &[question(2, 1, None)], Some(Seat(0)));
        assert_eq!(clocks.bank(Seat(0)), Some((45_000, None)));
        assert_eq!(clocks.next(&RULES), Some((80_000, Expiry::Bank(Seat(1), InputId(2)))));
    }

    #[test]
    fn being_asked_again_at_once_ends_one_spell_and_begins_the_next() {
        let mut clocks = Clocks::new(&RULES, 1);
        clocks.step(&RULES, 0, &[question(1, 0, None)], None);
        clocks.step(&RULES, 10_000, &[question(2, 0, None)], Some(Seat(0)));
        assert_eq!(clocks.bank(Seat(0)), Some((55_000, Some(10_000))));
    }

    #[test]
    fn time_in_which_the_server_was_away_is_charged_to_nobody() {
        let mut clocks = Clocks::new(&RULES, 2);
        clocks.step(&RULES, 0, &[question(1, 0, Some(40_000))], None);
        clocks.lose(Seat(1), 5_000);
        clocks.put_off(100_000);
        assert_eq!(clocks.next(&RULES), Some((135_000, Expiry::Grace(Seat(1)))));
        clocks.return_to(Seat(1));
        assert_eq!(clocks.next(&RULES), Some((140_000, Expiry::Question(InputId(1)))));
    }

    #[test]
    fn while_a_match_is_paused_nothing_runs_out() {
        let mut clocks = Clocks::new(&RULES, 2);
        clocks.step(&RULES, 0, &[question(1, 0, Some(1_000))], None);
        clocks.pause(400);
        assert_eq!(clocks.next(&RULES), None);
        clocks.resume(10_400);
        assert_eq!(clocks.next(&RULES), Some((11_000, Expiry::Question(InputId(1)))));
    }
}
