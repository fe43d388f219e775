//! The times at which a server that is alone on its store could not take answers. Start with [`Availability`].
//!
//! A server could not take answers before it started, while its process was stopped, and while the store accepted no
//! writes. Three observations show it: the last heartbeat of the previous process, the time between two moments at
//! which this process ran, and the outcome of every write. A downtime begins no later than the last proof that the
//! server could take answers, and ends when the heartbeat is submitted that records it. Until that heartbeat is durable,
//! no deadline may expire.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intermezzo_store::{CommitOutcome, Store};
use tokio::time::Instant;

use crate::match_task::Downtime;

/// Interval at which the server notes that its process runs.
pub(crate) const TICK: Duration = Duration::from_millis(50);
/// Time between two notes from which on the process was stopped.
const MIN_STOP: Duration = Duration::from_millis(150);
/// Largest difference between the time that the clock shows and the time that has passed during a stop. Otherwise
/// somebody has set the clock.
const MAX_CLOCK_DIFFERENCE_MS: i64 = 50;
/// Time since the last successful write after which the store counts as not accepting writes.
const MAX_SILENCE: Duration = Duration::from_secs(2);
/// A starting server takes answers once it can write a heartbeat within this time.
const QUICK_WRITE: Duration = Duration::from_millis(50);
/// Heartbeats after which a starting server takes answers although none was that quick.
const MAX_FIRST_HEARTBEATS: u32 = 5;

/// A moment by the clock of the store and by the time that really passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) at: i64,
    pub(crate) instant: Instant,
}

impl Moment {
    pub(crate) fn now(store: &Arc<dyn Store>) -> Moment {
        Moment { at: store.now(), instant: Instant::now() }
    }

    /// Returns the time of this moment. If the clock was set forward since, the jump does not count.
    fn before(self, now: Moment) -> i64 {
        self.at.max(now.at.saturating_sub(milliseconds(now.since(self))))
    }

    fn since(self, earlier: Moment) -> Duration {
        self.instant.saturating_duration_since(earlier.instant)
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// The times at which a server that is alone on its store could not take answers.
#[derive(Debug)]
pub(crate) struct Availability(Mutex<State>);

#[derive(Debug)]
struct State {
    start: Start,
    /// Last moment at which the process is known to have run.
    last_run: Moment,
    /// Submission of the newest write that was committed.
    last_good: Moment,
    /// Writes without an outcome.
    in_flight: BTreeMap<u64, WriteInFlight>,
    next_write: u64,
    /// Last proof before the oldest failure that no downtime covers yet.
    failing_since: Option<Moment>,
    failures: u64,
    /// Stops of the process that are not recorded yet, oldest first.
    stops: Vec<Downtime>,
    /// End of the last recorded downtime.
    recorded_until: i64,
}

/// Progress of the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Start {
    /// The previous process wrote its last heartbeat at that time.
    Before(Option<i64>),
    /// That many heartbeats took too long.
    Slow(u32),
    Done,
}

#[derive(Clone, Copy, Debug)]
struct WriteInFlight {
    submitted: Moment,
    /// Last proof when it was submitted.
    last_good: Moment,
}

/// The downtimes that a heartbeat records.
#[derive(Debug)]
pub(crate) struct HeartbeatPlan {
    pub(crate) now: Moment,
    /// Time since the last heartbeat of the previous process.
    pub(crate) before_start: Option<Downtime>,
    /// Times at which this process could not take answers. None of all these overlap.
    pub(crate) stops: Vec<Downtime>,
    write: u64,
    failures: u64,
}

impl Availability {
    /// Creates the state of a server that is about to start. `last_heartbeat` is that of the process before.
    pub(crate) fn new(now: Moment, last_heartbeat: Option<i64>) -> Availability {
        Availability(Mutex::new(State {
            start: Start::Before(last_heartbeat),
            last_run: now,
            last_good: now,
            in_flight: BTreeMap::new(),
            next_write: 0,
            failing_since: None,
            failures: 0,
            stops: Vec::new(),
            recorded_until: i64::MIN,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the server could take answers until now, but for downtimes that are recorded.
    pub(crate) fn is_available(&self, now: Moment) -> bool {
        let state = &mut *self.state();
        state.note_running(now);
        state.start == Start::Done
            && state.stops.is_empty()
            && state.failing_since.is_none()
            && now.since(state.last_good) <= MAX_SILENCE
    }

    /// Starts to observe a write.
    pub(crate) fn begin_write(self: &Arc<Availability>, now: Moment) -> ObservedWrite {
        ObservedWrite { write: self.state().begin_write(now), availability: Arc::clone(self) }
    }

    /// Returns what a heartbeat that is submitted now has to record.
    pub(crate) fn begin_heartbeat(&self, now: Moment) -> HeartbeatPlan {
        let state = &mut *self.state();
        state.note_running(now);
        let before_start = match state.start {
            Start::Before(last) => last.map(|from| Downtime::new(from, now.at)),
            Start::Slow(_) | Start::Done => None,
        };
        let stops = state.unrecorded(now);
        let write = state.begin_write(now);
        let is_real = |downtime: &Downtime| downtime.from < downtime.until;
        HeartbeatPlan {
            now,
            before_start: before_start.filter(is_real),
            stops: stops.into_iter().filter(is_real).collect(),
            write,
            failures: state.failures,
        }
    }

    /// Notes the outcome of a heartbeat.
    pub(crate) fn finish_heartbeat(&self, plan: &HeartbeatPlan, is_committed: bool, now: Moment) {
        let state = &mut *self.state();
        state.note_running(now);
        if !is_committed {
            return state.note_failure(plan.write);
        }
        let until = plan.now.at;
        state.stops.retain(|stop| stop.until > until);
        state.stops.iter_mut().for_each(|stop| stop.from = stop.from.max(until));
        if plan.before_start.is_some() || !plan.stops.is_empty() {
            state.recorded_until = until;
            // This heartbeat is the next proof after the downtime.
            state.last_good = plan.now;
        }
        if state.failures == plan.failures {
            state.failing_since = None;
        }
        state.start = match state.start {
            Start::Done => Start::Done,
            _ if now.since(plan.now) <= QUICK_WRITE => Start::Done,
            Start::Slow(count) if count + 1 >= MAX_FIRST_HEARTBEATS => Start::Done,
            Start::Slow(count) => Start::Slow(count + 1),
            Start::Before(_) => Start::Slow(1),
        };
        state.note_success(plan.write, now);
    }
}

impl State {
    fn note_running(&mut self, now: Moment) {
        let stopped = now.since(self.last_run);
        let shown = now.at.saturating_sub(self.last_run.at);
        let is_real = shown.saturating_sub(milliseconds(stopped)).saturating_abs() <= MAX_CLOCK_DIFFERENCE_MS;
        if stopped >= MIN_STOP && is_real && self.start == Start::Done {
            let from = self.proven_before(self.last_run, now);
            match self.stops.last_mut().filter(|last| from <= last.until) {
                Some(last) => *last = Downtime::stop(last.from.min(from), now.at),
                None => self.stops.push(Downtime::stop(from, now.at)),
            }
        }
        self.last_run = now;
    }

    /// Returns the time from which on a downtime counts that was noticed after this proof. A write without an outcome
    /// may have failed before it.
    fn proven_before(&self, proof: Moment, now: Moment) -> i64 {
        let proofs = self.in_flight.values().map(|write| write.last_good).chain([proof]);
        let earliest = proofs.map(|proof| proof.before(now)).min().unwrap_or(now.at);
        earliest.max(self.recorded_until)
    }

    /// Returns the times until now that are not recorded, as periods that do not overlap.
    fn unrecorded(&self, now: Moment) -> Vec<Downtime> {
        let is_silent = self.start == Start::Done && now.since(self.last_good) > MAX_SILENCE;
        let silent_since = is_silent.then_some(self.last_good);
        // A start lasts until a heartbeat is quick.
        let starting_since = matches!(self.start, Start::Slow(_)).then_some(self.last_good);
        let proof = [self.failing_since, silent_since, starting_since];
        let proof = proof.into_iter().flatten().min_by_key(|proof| proof.instant);
        let Some(proof) = proof.filter(|_| !matches!(self.start, Start::Before(_))) else {
            return self.stops.clone();
        };
        let from = self.proven_before(proof, now);
        let mut periods: Vec<Downtime> = self.stops.iter().copied().filter(|stop| stop.from < from).collect();
        match periods.last_mut().filter(|last| from <= last.until) {
            Some(last) => *last = Downtime::stop(last.from, now.at),
            None => periods.push(Downtime::stop(from, now.at)),
        }
        periods
    }

    fn begin_write(&mut self, now: Moment) -> u64 {
        self.next_write += 1;
        let write = WriteInFlight { submitted: now, last_good: self.last_good };
        self.in_flight.insert(self.next_write, write);
        self.next_write
    }

    fn note_success(&mut self, write: u64, now: Moment) {
        let Some(write) = self.in_flight.remove(&write) else { return };
        if self.start == Start::Done && now.since(self.last_good) > MAX_SILENCE {
            self.note_failing_since(self.last_good);
        }
        if self.last_good.instant < write.submitted.instant {
            self.last_good = write.submitted;
        }
    }

    fn note_failure(&mut self, write: u64) {
        if let Some(write) = self.in_flight.remove(&write) {
            self.note_failing_since(write.last_good);
        }
    }

    fn note_failing_since(&mut self, proof: Moment) {
        self.failures += 1;
        let known = self.failing_since.filter(|known| known.instant <= proof.instant);
        self.failing_since = known.or(Some(proof));
    }
}

/// A write whose outcome shows whether the store accepts writes.
#[derive(Debug)]
pub(crate) struct ObservedWrite {
    availability: Arc<Availability>,
    write: u64,
}

impl ObservedWrite {
    /// Notes the outcome.
    pub(crate) fn finish(self, outcome: &CommitOutcome, now: Moment) {
        let state = &mut *self.availability.state();
        state.note_running(now);
        match outcome {
            CommitOutcome::Committed => state.note_success(self.write, now),
            // The store works, but this write proves nothing.
            CommitOutcome::Conflict(_) => {}
            _ => state.note_failure(self.write),
        }
    }
}

impl Drop for ObservedWrite {
    fn drop(&mut self) {
        // Nobody learns the outcome any more.
        self.availability.state().in_flight.remove(&self.write);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that has written a heartbeat at time 0, and a way to tell it the time.
    struct TestedServer {
        availability: Arc<Availability>,
        began: Instant,
    }

    impl TestedServer {
        fn starting(last_heartbeat: Option<i64>) -> TestedServer {
            let began = Instant::now();
            let now = Moment { at: 0, instant: began };
            TestedServer { availability: Arc::new(Availability::new(now, last_heartbeat)), began }
        }

        fn up() -> TestedServer {
            let server = TestedServer::starting(None);
            assert_eq!(server.heartbeat(0, 0), []);
            server
        }

        fn at(&self, ms: i64) -> Moment {
            Moment { at: ms, instant: self.began + Duration::from_millis(ms as u64) }
        }

        /// Lets the process run from one time to another.
        fn runs(&self, from: i64, until: i64) {
            for ms in (from..=until).step_by(50) {
                let _ = self.is_available(ms);
            }
        }

        /// Writes a heartbeat; returns the periods that it records.
        fn heartbeat(&self, submitted: i64, committed: i64) -> Vec<(i64, i64)> {
            let plan = self.availability.begin_heartbeat(self.at(submitted));
            self.runs(submitted, committed);
            self.availability.finish_heartbeat(&plan, true, self.at(committed));
            let periods = plan.before_start.iter().chain(&plan.stops);
            periods.map(|downtime| (downtime.from, downtime.until)).collect()
        }

        fn is_available(&self, ms: i64) -> bool {
            self.availability.is_available(self.at(ms))
        }
    }

    fn full() -> CommitOutcome {
        CommitOutcome::NotCommitted("full".to_owned())
    }

    #[test]
    fn a_start_lasts_until_a_heartbeat_is_quick() {
        let server = TestedServer::starting(Some(-700));
        assert!(!server.is_available(300));
        assert_eq!(server.heartbeat(300, 500), [(-700, 300)]);
        assert!(!server.is_available(500), "players could not reach it quickly yet");
        assert_eq!(server.heartbeat(510, 520), [(300, 510)]);
        assert!(server.is_available(520));
    }

    #[test]
    fn a_stop_of_the_process_is_recorded_before_the_server_is_trusted_again() {
        let server = TestedServer::up();
        server.runs(0, 1_000);
        assert!(!server.is_available(1_300));
        assert_eq!(server.heartbeat(1_310, 1_320), [(1_000, 1_300)]);
        assert!(server.is_available(1_330));
        assert_eq!(server.heartbeat(1_340, 1_350), []);
    }

    #[test]
    fn a_clock_that_is_set_is_no_stop() {
        let server = TestedServer::up();
        server.runs(0, 1_000);
        let hour = Moment { at: 3_600_000, ..server.at(1_200) };
        assert!(server.availability.is_available(hour));
        let unmoved = Moment { at: 3_600_000, ..server.at(1_500) };
        assert!(server.availability.is_available(unmoved));
    }

    #[test]
    fn failing_writes_count_since_the_last_good_one_and_without_what_is_recorded() {
        let server = TestedServer::up();
        server.runs(0, 1_000);
        assert_eq!(server.heartbeat(1_000, 1_010), []);
        server.runs(1_010, 1_500);
        let first = server.availability.begin_write(server.at(1_500));
        let second = server.availability.begin_write(server.at(1_550));
        first.finish(&full(), server.at(1_600));
        assert!(!server.is_available(1_600));
        assert_eq!(server.heartbeat(1_700, 1_710), [(1_000, 1_700)]);
        second.finish(&full(), server.at(1_710));
        assert!(!server.is_available(1_710), "another write has failed");
        assert_eq!(server.heartbeat(1_720, 1_720), [(1_700, 1_720)]);
    }

    #[test]
    fn a_stop_while_a_write_fails_counts_since_the_last_good_write() {
        let server = TestedServer::up();
        server.runs(0, 900);
        let write = server.availability.begin_write(server.at(900));
        // The disk was full before the stop, which only its end shows.
        assert!(!server.is_available(5_900));
        assert_eq!(server.heartbeat(5_900, 5_910), [(0, 5_900)]);
        write.finish(&full(), server.at(5_910));
        assert_eq!(server.heartbeat(5_920, 5_930), [(5_900, 5_920)]);
        assert!(server.is_available(5_930));
    }

    #[test]
    fn a_store_that_answers_nothing_for_long_accepts_no_writes() {
        let server = TestedServer::up();
        server.runs(0, 900);
        let write = server.availability.begin_write(server.at(900));
        server.runs(900, 3_000);
        assert!(!server.is_available(3_000));
        write.finish(&CommitOutcome::Committed, server.at(3_000));
        assert_eq!(server.heartbeat(3_010, 3_020), [(0, 3_010)]);
        assert!(server.is_available(3_030));
    }

    #[test]
    fn a_write_that_nobody_waits_for_any_more_shows_nothing() {
        let server = TestedServer::up();
        server.runs(0, 900);
        drop(server.availability.begin_write(server.at(100)));
        assert_eq!(server.heartbeat(910, 920), []);
        server.runs(950, 1_000);
        assert_eq!(server.heartbeat(1_400, 1_410), [(1_000, 1_400)]);
    }
}
