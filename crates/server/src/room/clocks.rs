//! Time in a match: deadlines of questions, banks of seats, and lost connections.
//!
//! A fold like the rest: it knows only the times of the rows. What is due leads to
//! an input of its own, so that a replay needs no clock.

use std::collections::BTreeSet;

use intermezzo_engine::InputId;
use intermezzo_ruleset::Seat;
use serde::{Deserialize, Serialize};

use crate::neighbours::NodeId;

/// Where a lost connection is not waited for, everyone gets so long to come back to a server that was away itself.
const RETURN_MS: i64 = 30_000;
/// Other servers have so long to say that a seat without grace, which has hung up at one, is still connected by them.
const HEAR_MS: i64 = 3_000;

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

impl ClockRules {
    /// How long a connection that was lost is waited for. Without grace only the server itself can have lost it.
    fn patience(&self) -> Option<i64> {
        self.grace.map(|grace| if grace == 0 { RETURN_MS } else { grace })
    }
}

/// A time in which no server was there, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Absence {
    pub(crate) from: i64,
    pub(crate) until: i64,
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
    connection: Connection,
}

/// Whether a seat is connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Connection {
    /// Nobody waits for it: it never was, or it does not play any more.
    Unknown,
    /// It is, by that server (0 where there is only one) since then.
    There(NodeId, i64),
    /// The last one was lost then.
    Lost(i64),
    /// Its time is over, and a bot plays on.
    Replaced,
    /// It has no grace and was lost then, at one of several servers: another may have it still.
    HungUp(i64),
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
        let seat =
            SeatClock { left: rules.bank.unwrap_or(0), running_since: None, connection: Connection::Unknown };
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
            match clock.connection {
                Connection::Lost(_) | Connection::HungUp(_) | Connection::Replaced => {}
                _ => clock.connection = Connection::Lost(at),
            }
        }
    }

    /// A seat without grace has hung up at one of several servers.
    pub(crate) fn hang_up(&mut self, seat: Seat, at: i64) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0))
            && let Connection::There(..) = clock.connection
        {
            clock.connection = Connection::HungUp(at);
        }
    }

    /// A seat is connected, for the first time or again.
    pub(crate) fn return_to(&mut self, seat: Seat, node: NodeId, at: i64) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.connection = Connection::There(node, at);
        }
    }

    /// Nobody waits for a seat any more.
    pub(crate) fn forget(&mut self, seat: Seat) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.connection = Connection::Unknown;
        }
    }

    /// A bot plays on for a seat: nothing of its own runs out any more.
    pub(crate) fn replace(&mut self, seat: Seat) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.connection = Connection::Replaced;
        }
    }

    /// Whether a bot plays on for a seat.
    pub(crate) fn is_replaced(&self, seat: Seat) -> bool {
        self.seats.get(usize::from(seat.0)).is_some_and(|clock| clock.connection == Connection::Replaced)
    }

    /// The server by which a seat is connected, and since when.
    pub(crate) fn node_of(&self, seat: Seat) -> Option<(NodeId, i64)> {
        match self.seats.get(usize::from(seat.0))?.connection {
            Connection::There(node, since) => Some((node, since)),
            _ => None,
        }
    }

    /// All servers by which seats are connected.
    pub(crate) fn nodes(&self) -> BTreeSet<NodeId> {
        (0..self.seats.len())
            .filter_map(|seat| self.node_of(Seat(seat as u8)))
            .map(|(node, _)| node)
            .collect()
    }

    /// Whether any seat is connected.
    pub(crate) fn is_anyone_there(&self) -> bool {
        !self.nodes().is_empty()
    }

    /// Nothing runs out from here on.
    pub(crate) fn pause(&mut self, at: i64) {
        self.paused_since.get_or_insert(at);
    }

    /// Everything runs on, with what was left.
    pub(crate) fn resume(&mut self, at: i64) {
        if let Some(since) = self.paused_since.take() {
            self.put_off(|begun| at - since.max(begun));
        }
    }

    /// Whether the clocks stand.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused_since.is_some()
    }

    /// Nobody is charged for a time in which the server was away. Those who were connected have to come back to it.
    pub(crate) fn make_up_for(&mut self, absence: Absence) {
        // What is paused is put off as a whole when it goes on.
        if self.paused_since.is_none() {
            self.put_off(|since| (absence.until - absence.from.max(since)).max(0));
        }
        for clock in self.seats.iter_mut().filter(|clock| matches!(clock.connection, Connection::There(..))) {
            clock.connection = Connection::Lost(absence.until);
        }
    }

    /// Everything that runs goes on later, by how much depends on when it began.
    fn put_off(&mut self, by_ms: impl Fn(i64) -> i64) {
        self.open.iter_mut().for_each(|open| open.since += by_ms(open.since));
        for clock in &mut self.seats {
            if let Some(since) = &mut clock.running_since {
                *since += by_ms(*since);
            }
            if let Connection::Lost(since) | Connection::HungUp(since) = &mut clock.connection {
                *since += by_ms(*since);
            }
        }
    }

    /// What runs out first, and when.
    pub(crate) fn next(&self, rules: &ClockRules) -> Option<(i64, Expiry)> {
        if self.paused_since.is_some() {
            return None;
        }
        let questions = self.open.iter().filter_map(|open| {
            let limit = open.limit? - if planted!(Hasty) { 200 } else { 0 };
            Some((open.since.saturating_add(limit), Expiry::Question(InputId(open.input))))
        });
        let banks = self.open.iter().filter_map(|open| {
            let clock = self.seats.get(usize::from(open.seat)).filter(|_| rules.bank.is_some())?;
            if clock.connection == Connection::Replaced {
                return None;
            }
            let due = clock.running_since?.saturating_add(clock.left);
            Some((due, Expiry::Bank(Seat(open.seat), InputId(open.input))))
        });
        let lost = self.seats.iter().enumerate().filter_map(|(seat, clock)| {
            let due = match clock.connection {
                Connection::Lost(since) => since.saturating_add(rules.patience()?),
                Connection::HungUp(since) => since.saturating_add(HEAR_MS),
                _ => return None,
            };
            Some((due, Expiry::Grace(Seat(seat as u8))))
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
            (clock.running_since, clock.connection) = (None, Connection::Unknown);
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
        clocks.make_up_for(Absence { from: 10_000, until: 110_000 });
        assert_eq!(clocks.next(&RULES), Some((135_000, Expiry::Grace(Seat(1)))));
        clocks.return_to(Seat(1), 0, 0);
        assert_eq!(clocks.next(&RULES), Some((140_000, Expiry::Question(InputId(1)))));
    }

    #[test]
    fn who_was_connected_has_its_whole_grace_to_come_back_to_a_server_that_was_away() {
        let mut clocks = Clocks::new(&RULES, 2);
        clocks.return_to(Seat(0), 0, 0);
        clocks.make_up_for(Absence { from: 10_000, until: 110_000 });
        assert_eq!(clocks.next(&RULES), Some((140_000, Expiry::Grace(Seat(0)))), "the other never was there");
        clocks.make_up_for(Absence { from: 120_000, until: 200_000 });
        assert_eq!(clocks.next(&RULES), Some((220_000, Expiry::Grace(Seat(0)))), "and no more than that");
        clocks.return_to(Seat(0), 0, 0);
        assert_eq!(clocks.next(&RULES), None);
    }

    #[test]
    fn even_without_grace_there_is_time_to_come_back_to_a_server_that_was_away() {
        let rules = ClockRules { bank: None, increment: 0, grace: Some(0) };
        let mut clocks = Clocks::new(&rules, 2);
        clocks.return_to(Seat(1), 0, 0);
        clocks.make_up_for(Absence { from: 10_000, until: 110_000 });
        assert_eq!(clocks.next(&rules), Some((110_000 + RETURN_MS, Expiry::Grace(Seat(1)))));
    }

    #[test]
    fn a_connection_that_is_lost_during_a_pause_is_waited_for_from_its_end_on() {
        let mut clocks = Clocks::new(&RULES, 3);
        clocks.return_to(Seat(1), 0, 0);
        clocks.lose(Seat(0), 400);
        clocks.pause(1_000);
        clocks.lose(Seat(2), 5_000);
        // The server is away for a part of the pause.
        clocks.make_up_for(Absence { from: 6_000, until: 9_000 });
        clocks.resume(10_000);
        assert_eq!(clocks.next(&RULES), Some((39_400, Expiry::Grace(Seat(0)))), "600 ms were gone before");
        clocks.forget(Seat(0));
        for seat in [1, 2] {
            assert_eq!(clocks.next(&RULES), Some((40_000, Expiry::Grace(Seat(seat)))));
            clocks.forget(Seat(seat));
        }
        assert_eq!(clocks.next(&RULES), None);
    }

    #[test]
    fn an_absence_puts_off_nothing_that_began_after_it() {
        let mut clocks = Clocks::new(&RULES, 2);
        clocks.step(&RULES, 50_000, &[question(1, 0, Some(1_000))], None);
        clocks.make_up_for(Absence { from: 10_000, until: 40_000 });
        assert_eq!(clocks.next(&RULES), Some((51_000, Expiry::Question(InputId(1)))));
        // The last sign of life was left before the question was asked.
        clocks.make_up_for(Absence { from: 49_500, until: 90_000 });
        assert_eq!(clocks.next(&RULES), Some((91_000, Expiry::Question(InputId(1)))));
    }

    #[test]
    fn an_absence_during_a_pause_counts_once() {
        let mut clocks = Clocks::new(&RULES, 2);
        clocks.step(&RULES, 0, &[question(1, 0, Some(1_000))], None);
        clocks.pause(400);
        clocks.make_up_for(Absence { from: 5_000, until: 9_000 });
        clocks.resume(10_400);
        assert_eq!(clocks.next(&RULES), Some((11_000, Expiry::Question(InputId(1)))));
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
