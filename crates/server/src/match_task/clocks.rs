//! Clocks of a match: prompt deadlines, time banks, and lost connections.
//!
//! The clocks are a fold over the log like everything else: they see only the times of rows. An expired
//! deadline becomes an input, so that replays need no clock.

use std::collections::BTreeSet;

use intermezzo_engine::InputId;
use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_program::Seat;
use serde::{Deserialize, Serialize};

use crate::cluster::peers::NodeId;

/// Time to reconnect after a downtime in matches without grace period.
const RECONNECT_MS: i64 = 30_000;
/// Time for other servers to report that a seat without grace period is still connected through them.
const PEER_REPLY_MS: i64 = 3_000;

/// Clock settings of a match, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ClockRules {
    /// Time bank of each seat for the whole match.
    pub(crate) bank: Option<i64>,
    /// Time that an answer adds to the bank.
    pub(crate) increment: i64,
    /// Time that a connection may be lost before the seat counts as gone; `None` for unlimited.
    pub(crate) grace: Option<i64>,
    /// True if nobody else waits for the answers, so that the deadlines of the ruleset do not apply.
    pub(crate) is_untimed: bool,
}

impl ClockRules {
    /// Returns the time to reconnect. Without grace period, only a downtime can cause a lost connection.
    fn reconnect_time(&self) -> Option<i64> {
        self.grace.map(|grace| if grace == 0 { RECONNECT_MS } else { grace })
    }
}

/// A period in which no server could take answers, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Downtime {
    pub(crate) from: i64,
    pub(crate) until: i64,
    /// True if no server was running, which ended all connections. Otherwise it was stopped, or its store accepted no
    /// writes.
    pub(crate) is_restart: bool,
}

impl Downtime {
    /// Creates a period in which no server was running.
    pub(crate) fn new(from: i64, until: i64) -> Downtime {
        Downtime { from, until, is_restart: true }
    }

    /// Creates a period in which a running server could not take answers.
    pub(crate) fn stop(from: i64, until: i64) -> Downtime {
        Downtime { from, until, is_restart: false }
    }

    pub(crate) fn duration(&self) -> i64 {
        self.until - self.from
    }
}

/// An open prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockQuestion {
    pub(crate) input: InputId,
    pub(crate) seat: Seat,
    pub(crate) deadline_ms: Option<i64>,
}

/// A deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expiry {
    /// Deadline of a prompt.
    Question(InputId),
    /// Time bank of a seat, while that prompt was open.
    Bank(Seat, InputId),
    /// Grace period of a lost connection.
    Grace(Seat),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct RunningQuestion {
    input: u32,
    seat: u8,
    since: i64,
    limit: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SeatClock {
    left: i64,
    running_since: Option<i64>,
    connection: SeatConnection,
}

/// Connection state of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum SeatConnection {
    /// Irrelevant: never connected, or no longer playing.
    Unknown,
    /// Connected through that server (0 if it is the only one) since that time.
    Connected(NodeId, i64),
    /// Disconnected since that time.
    Lost(i64),
    /// Time is over, and a bot plays on.
    Replaced,
    /// Disconnected from one of several servers since that time, without grace period. Another server may
    /// still have a connection.
    HungUp(i64),
}

/// All clocks of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct MatchClocks {
    running: Vec<RunningQuestion>,
    seats: Vec<SeatClock>,
    paused_since: Option<i64>,
}

impl MatchClocks {
    pub(crate) fn new(rules: &ClockRules, seats: u8) -> MatchClocks {
        let seat = SeatClock {
            left: rules.bank.unwrap_or(0),
            running_since: None,
            connection: SeatConnection::Unknown,
        };
        MatchClocks { running: Vec::new(), seats: vec![seat; usize::from(seats)], paused_since: None }
    }

    /// Updates the clocks for the prompts open at that time, after a seat has answered.
    pub(crate) fn update(
        &mut self,
        rules: &ClockRules,
        at: i64,
        now: &[ClockQuestion],
        answered: Option<Seat>,
    ) {
        self.running.retain(|running| now.iter().any(|question| question.input.0 == running.input));
        for question in now {
            if self.running.iter().all(|running| running.input != question.input.0) {
                let (input, seat) = (question.input.0, question.seat.0);
                self.running.push(RunningQuestion { input, seat, since: at, limit: question.deadline_ms });
            }
        }
        if rules.bank.is_some() {
            self.update_banks(rules, at, now, answered);
        }
    }

    fn update_banks(&mut self, rules: &ClockRules, at: i64, now: &[ClockQuestion], answered: Option<Seat>) {
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

    /// Marks a seat's last connection as lost.
    pub(crate) fn mark_lost(&mut self, seat: Seat, at: i64) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            match clock.connection {
                SeatConnection::Lost(_) | SeatConnection::HungUp(_) | SeatConnection::Replaced => {}
                _ => clock.connection = SeatConnection::Lost(at),
            }
        }
    }

    /// Marks a seat without grace period as disconnected from one of several servers.
    pub(crate) fn mark_hung_up(&mut self, seat: Seat, at: i64) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0))
            && let SeatConnection::Connected(..) = clock.connection
        {
            clock.connection = SeatConnection::HungUp(at);
        }
    }

    /// Marks a seat as connected.
    pub(crate) fn mark_connected(&mut self, seat: Seat, node: NodeId, at: i64) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.connection = SeatConnection::Connected(node, at);
        }
    }

    /// Ignores the connection of a seat from now on.
    pub(crate) fn clear_connection(&mut self, seat: Seat) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.connection = SeatConnection::Unknown;
        }
    }

    /// Marks a seat as played by a bot, which has no deadlines except those of its prompts.
    pub(crate) fn mark_replaced(&mut self, seat: Seat) {
        if let Some(clock) = self.seats.get_mut(usize::from(seat.0)) {
            clock.connection = SeatConnection::Replaced;
        }
    }

    pub(crate) fn is_replaced(&self, seat: Seat) -> bool {
        self.seats.get(usize::from(seat.0)).is_some_and(|clock| clock.connection == SeatConnection::Replaced)
    }

    /// Returns the server through which a seat is connected, and since when.
    pub(crate) fn node_of(&self, seat: Seat) -> Option<(NodeId, i64)> {
        match self.seats.get(usize::from(seat.0))?.connection {
            SeatConnection::Connected(node, since) => Some((node, since)),
            _ => None,
        }
    }

    pub(crate) fn nodes(&self) -> BTreeSet<NodeId> {
        (0..self.seats.len())
            .filter_map(|seat| self.node_of(Seat(seat as u8)))
            .map(|(node, _)| node)
            .collect()
    }

    pub(crate) fn is_anyone_connected(&self) -> bool {
        !self.nodes().is_empty()
    }

    /// Stops all clocks.
    pub(crate) fn pause(&mut self, at: i64) {
        self.paused_since.get_or_insert(at);
    }

    /// Resumes all clocks with the remaining time.
    pub(crate) fn resume(&mut self, at: i64) {
        if let Some(since) = self.paused_since.take() {
            self.postpone(|begun| at - since.max(begun));
        }
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused_since.is_some()
    }

    /// Extends all deadlines by a downtime. After a restart, connected players must reconnect.
    pub(crate) fn apply_downtime(&mut self, downtime: Downtime) {
        // A paused clock is extended as a whole when it resumes.
        if self.paused_since.is_none() {
            self.postpone(|since| (downtime.until - downtime.from.max(since)).max(0));
        }
        if !downtime.is_restart {
            return;
        }
        for clock in
            self.seats.iter_mut().filter(|clock| matches!(clock.connection, SeatConnection::Connected(..)))
        {
            clock.connection = SeatConnection::Lost(downtime.until);
        }
    }

    /// Shifts all running clocks by a time that depends on when each started.
    fn postpone(&mut self, by_ms: impl Fn(i64) -> i64) {
        self.running.iter_mut().for_each(|running| running.since += by_ms(running.since));
        for clock in &mut self.seats {
            if let Some(since) = &mut clock.running_since {
                *since += by_ms(*since);
            }
            if let SeatConnection::Lost(since) | SeatConnection::HungUp(since) = &mut clock.connection {
                *since += by_ms(*since);
            }
        }
    }

    /// Returns the next deadline to expire.
    pub(crate) fn next_expiry(&self, rules: &ClockRules) -> Option<(i64, Expiry)> {
        if self.paused_since.is_some() {
            return None;
        }
        let questions = self.running.iter().filter_map(|running| {
            let limit = running.limit? - if is_active(FailPoint::FireDeadlinesEarly) { 200 } else { 0 };
            Some((running.since.saturating_add(limit), Expiry::Question(InputId(running.input))))
        });
        let banks = self.running.iter().filter_map(|running| {
            let clock = self.seats.get(usize::from(running.seat)).filter(|_| rules.bank.is_some())?;
            if clock.connection == SeatConnection::Replaced {
                return None;
            }
            let due = clock.running_since?.saturating_add(clock.left);
            Some((due, Expiry::Bank(Seat(running.seat), InputId(running.input))))
        });
        let lost = self.seats.iter().enumerate().filter_map(|(seat, clock)| {
            let due = match clock.connection {
                SeatConnection::Lost(since) => since.saturating_add(rules.reconnect_time()?),
                SeatConnection::HungUp(since) => since.saturating_add(PEER_REPLY_MS),
                _ => return None,
            };
            Some((due, Expiry::Grace(Seat(seat as u8))))
        });
        // On ties the first one wins: prompts before banks before connections.
        questions.chain(banks).chain(lost).min_by_key(|(due, _)| *due)
    }

    /// Returns the deadline of a prompt, not counting the time bank.
    pub(crate) fn deadline(&self, input: InputId) -> Option<i64> {
        let running = self.running.iter().find(|running| running.input == input.0)?;
        running.limit.map(|limit| running.since.saturating_add(limit))
    }

    /// Returns the remaining time of a seat's bank, and since when it is running.
    pub(crate) fn bank(&self, seat: Seat) -> Option<(i64, Option<i64>)> {
        self.seats.get(usize::from(seat.0)).map(|clock| (clock.left, clock.running_since))
    }

    /// Stops everything at the end of the match.
    pub(crate) fn stop(&mut self) {
        self.running.clear();
        for clock in &mut self.seats {
            (clock.running_since, clock.connection) = (None, SeatConnection::Unknown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: ClockRules =
        ClockRules { bank: Some(60_000), increment: 5_000, grace: Some(30_000), is_untimed: false };

    fn question(input: u32, seat: u8, deadline_ms: Option<i64>) -> ClockQuestion {
        ClockQuestion { input: InputId(input), seat: Seat(seat), deadline_ms }
    }

    #[test]
    fn a_prompt_expires_at_its_deadline_and_keeps_its_time_while_others_answer() {
        let mut clocks = MatchClocks::new(&ClockRules::default(), 2);
        clocks.update(
            &ClockRules::default(),
            1_000,
            &[question(1, 0, Some(500)), question(2, 1, Some(700))],
            None,
        );
        assert_eq!(clocks.next_expiry(&ClockRules::default()), Some((1_500, Expiry::Question(InputId(1)))));
        clocks.update(&ClockRules::default(), 1_200, &[question(2, 1, Some(700))], Some(Seat(0)));
        assert_eq!(clocks.next_expiry(&ClockRules::default()), Some((1_700, Expiry::Question(InputId(2)))));
    }

    #[test]
    fn a_bank_runs_while_its_seat_has_a_prompt_and_gains_by_answering() {
        let mut clocks = MatchClocks::new(&RULES, 2);
        clocks.update(&RULES, 0, &[question(1, 0, None)], None);
        assert_eq!(clocks.next_expiry(&RULES), Some((60_000, Expiry::Bank(Seat(0), InputId(1)))));
        clocks.update(&RULES, 20_000, &[question(2, 1, None)], Some(Seat(0)));
        assert_eq!(clocks.bank(Seat(0)), Some((45_000, None)));
        assert_eq!(clocks.next_expiry(&RULES), Some((80_000, Expiry::Bank(Seat(1), InputId(2)))));
    }

    #[test]
    fn a_new_prompt_right_after_an_answer_adds_the_increment() {
        let mut clocks = MatchClocks::new(&RULES, 1);
        clocks.update(&RULES, 0, &[question(1, 0, None)], None);
        clocks.update(&RULES, 10_000, &[question(2, 0, None)], Some(Seat(0)));
        assert_eq!(clocks.bank(Seat(0)), Some((55_000, Some(10_000))));
    }

    #[test]
    fn downtime_is_charged_to_nobody() {
        let mut clocks = MatchClocks::new(&RULES, 2);
        clocks.update(&RULES, 0, &[question(1, 0, Some(40_000))], None);
        clocks.mark_lost(Seat(1), 5_000);
        clocks.apply_downtime(Downtime::new(10_000, 110_000));
        assert_eq!(clocks.next_expiry(&RULES), Some((135_000, Expiry::Grace(Seat(1)))));
        clocks.mark_connected(Seat(1), 0, 0);
        assert_eq!(clocks.next_expiry(&RULES), Some((140_000, Expiry::Question(InputId(1)))));
    }

    #[test]
    fn connected_players_get_their_whole_grace_period_after_a_downtime() {
        let mut clocks = MatchClocks::new(&RULES, 2);
        clocks.mark_connected(Seat(0), 0, 0);
        clocks.apply_downtime(Downtime::new(10_000, 110_000));
        assert_eq!(
            clocks.next_expiry(&RULES),
            Some((140_000, Expiry::Grace(Seat(0)))),
            "the other never connected"
        );
        clocks.apply_downtime(Downtime::new(120_000, 200_000));
        assert_eq!(
            clocks.next_expiry(&RULES),
            Some((220_000, Expiry::Grace(Seat(0)))),
            "and no more than that"
        );
        clocks.mark_connected(Seat(0), 0, 0);
        assert_eq!(clocks.next_expiry(&RULES), None);
    }

    #[test]
    fn without_grace_there_is_still_time_to_reconnect_after_a_downtime() {
        let rules = ClockRules { grace: Some(0), ..ClockRules::default() };
        let mut clocks = MatchClocks::new(&rules, 2);
        clocks.mark_connected(Seat(1), 0, 0);
        clocks.apply_downtime(Downtime::new(10_000, 110_000));
        assert_eq!(clocks.next_expiry(&rules), Some((110_000 + RECONNECT_MS, Expiry::Grace(Seat(1)))));
    }

    #[test]
    fn the_grace_of_a_connection_lost_during_a_pause_starts_at_its_end() {
        let mut clocks = MatchClocks::new(&RULES, 3);
        clocks.mark_connected(Seat(1), 0, 0);
        clocks.mark_lost(Seat(0), 400);
        clocks.pause(1_000);
        clocks.mark_lost(Seat(2), 5_000);
        // The server is down for a part of the pause.
        clocks.apply_downtime(Downtime::new(6_000, 9_000));
        clocks.resume(10_000);
        assert_eq!(
            clocks.next_expiry(&RULES),
            Some((39_400, Expiry::Grace(Seat(0)))),
            "600 ms were gone before"
        );
        clocks.clear_connection(Seat(0));
        for seat in [1, 2] {
            assert_eq!(clocks.next_expiry(&RULES), Some((40_000, Expiry::Grace(Seat(seat)))));
            clocks.clear_connection(Seat(seat));
        }
        assert_eq!(clocks.next_expiry(&RULES), None);
    }

    #[test]
    fn a_downtime_extends_nothing_that_began_after_it() {
        let mut clocks = MatchClocks::new(&RULES, 2);
        clocks.update(&RULES, 50_000, &[question(1, 0, Some(1_000))], None);
        clocks.apply_downtime(Downtime::new(10_000, 40_000));
        assert_eq!(clocks.next_expiry(&RULES), Some((51_000, Expiry::Question(InputId(1)))));
        // The last heartbeat was written before the prompt opened.
        clocks.apply_downtime(Downtime::new(49_500, 90_000));
        assert_eq!(clocks.next_expiry(&RULES), Some((91_000, Expiry::Question(InputId(1)))));
    }

    #[test]
    fn a_downtime_during_a_pause_counts_once() {
        let mut clocks = MatchClocks::new(&RULES, 2);
        clocks.update(&RULES, 0, &[question(1, 0, Some(1_000))], None);
        clocks.pause(400);
        clocks.apply_downtime(Downtime::new(5_000, 9_000));
        clocks.resume(10_400);
        assert_eq!(clocks.next_expiry(&RULES), Some((11_000, Expiry::Question(InputId(1)))));
    }

    #[test]
    fn nothing_expires_while_a_match_is_paused() {
        let mut clocks = MatchClocks::new(&RULES, 2);
        clocks.update(&RULES, 0, &[question(1, 0, Some(1_000))], None);
        clocks.pause(400);
        assert_eq!(clocks.next_expiry(&RULES), None);
        clocks.resume(10_400);
        assert_eq!(clocks.next_expiry(&RULES), Some((11_000, Expiry::Question(InputId(1)))));
    }
}
