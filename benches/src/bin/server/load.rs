//! The load: two seats per match, each of which moves again as soon as it may, or at a given pace.
//!
//! The latency of a move runs from sending it to receiving its acceptance.
//! Seats are spread over threads with one runtime each, both seats of a match on one.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use intermezzo_benches::twins::mulberry::Mulberry;

use crate::socket::{ConnectedSeat, connect_seats};
use crate::system::ServerKind;

const LAYOUTS: u32 = 24;
const LONGEST_US: u64 = 60_000_000;
/// A seat without an accepted move for this long at the end counts as failed: the server lost its move.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// The load on a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Matches played at the same time.
    pub(crate) matches: u32,
    /// Moves per second of all seats together; unlimited if `None`.
    pub(crate) pace: Option<f64>,
    /// Played before the measurement.
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
    pub(crate) threads: u32,
}

/// The measured latencies, and seats that failed.
pub(crate) struct LoadResult {
    /// Time from sending a move to receiving its acceptance, in microseconds.
    pub(crate) latencies_us: Histogram<u64>,
    /// The time of each seat's last accepted move.
    accepted_at: Vec<Instant>,
    failures: Vec<String>,
}

impl LoadResult {
    fn new() -> LoadResult {
        LoadResult { latencies_us: new_histogram(), accepted_at: Vec::new(), failures: Vec::new() }
    }

    /// Reports seats whose move the server lost: they wait without an error.
    fn find_stuck(&mut self, now: Instant) {
        let stuck = self.accepted_at.iter().filter(|at| now - **at > LONGEST_WAIT).count();
        self.failures.extend((0..stuck).map(|_| "no move was accepted for too long".to_owned()));
    }

    fn check(self) -> io::Result<LoadResult> {
        match self.failures.first() {
            Some(failure) => {
                Err(io::Error::other(format!("{} seats failed: {failure}", self.failures.len())))
            }
            None if self.latencies_us.is_empty() => Err(io::Error::other("no move was accepted")),
            None => Ok(self),
        }
    }
}

impl Load {
    /// Plays against a server. Fails if any seat fails, because figures with fewer seats are not comparable.
    pub(crate) fn play(self, system: ServerKind, server: SocketAddr) -> io::Result<LoadResult> {
        let all_seated = Arc::new(Barrier::new(self.threads as usize));
        let threads: Vec<_> = (0..self.threads)
            .map(|thread| {
                let all_seated = Arc::clone(&all_seated);
                std::thread::spawn(move || self.run_thread(thread, system, server, &all_seated))
            })
            .collect();
        let mut total = LoadResult::new();
        for thread in threads {
            let result = thread.join().map_err(|_| io::Error::other("a thread of the load panicked"))??;
            total.latencies_us.add(&result.latencies_us).map_err(io::Error::other)?;
            total.failures.extend(result.failures);
        }
        total.check()
    }

    /// Runs the seats of one thread.
    fn run_thread(
        self,
        thread: u32,
        system: ServerKind,
        server: SocketAddr,
        all_seated: &Barrier,
    ) -> io::Result<LoadResult> {
        let result = Arc::new(Mutex::new(LoadResult::new()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let matches = (thread..self.matches).step_by(self.threads as usize);
            let seats = connect_seats(system, server, matches).await;
            // Reached even after an error: otherwise the other threads would wait forever.
            all_seated.wait();
            let start = Instant::now();
            let seats = seats?;
            lock(&result).accepted_at = vec![start; seats.len()];
            for (index, seat) in seats.into_iter().enumerate() {
                let player = LoadPlayer {
                    seat,
                    index,
                    rng: Mulberry::new(index as u32 * self.threads + thread),
                    result: Arc::clone(&result),
                    measure_from: start + self.warm_up,
                };
                tokio::spawn(player.play(self.interval()));
            }
            tokio::time::sleep(self.warm_up + self.measured).await;
            lock(&result).find_stuck(Instant::now());
            io::Result::Ok(())
        })?;
        // Stops all players.
        drop(runtime);
        let result = Arc::into_inner(result).ok_or_else(|| io::Error::other("a seat is still playing"))?;
        Ok(result.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the interval between two moves of a seat.
    fn interval(self) -> Option<Duration> {
        self.pace.map(|moves_per_s| Duration::from_secs_f64(f64::from(self.matches * 2) / moves_per_s))
    }
}

/// A player at one seat.
struct LoadPlayer {
    seat: ConnectedSeat,
    /// The index of the seat in its thread.
    index: usize,
    rng: Mulberry,
    result: Arc<Mutex<LoadResult>>,
    measure_from: Instant,
}

impl LoadPlayer {
    async fn play(mut self, interval: Option<Duration>) {
        let ended = match interval {
            Some(interval) => self.play_at_pace(interval).await,
            None => self.play_unpaced().await,
        };
        if let Err(failure) = ended {
            lock(&self.result).failures.push(failure.to_string());
        }
    }

    async fn play_unpaced(&mut self) -> io::Result<()> {
        loop {
            self.play_round().await?;
        }
    }

    /// Moves at fixed intervals. Seats start at random times, so that moves are spread like those of people.
    async fn play_at_pace(&mut self, interval: Duration) -> io::Result<()> {
        let delay = interval.mul_f64(f64::from(self.rng.below(1000)) / 1000.0);
        let mut next = tokio::time::Instant::now() + delay;
        loop {
            tokio::time::sleep_until(next).await;
            self.play_round().await?;
            next += interval;
        }
    }

    /// Moves once and waits until the seat may move again.
    async fn play_round(&mut self) -> io::Result<()> {
        let layout = self.rng.below(LAYOUTS);
        let sent = Instant::now();
        self.seat.submit(layout).await?;
        let (mut is_accepted, mut may_move) = (false, false);
        while !(is_accepted && may_move) {
            let message = self.seat.receive().await?;
            if message.is_accepted && !is_accepted {
                self.record(sent);
            }
            is_accepted |= message.is_accepted;
            may_move |= message.may_move;
        }
        Ok(())
    }

    fn record(&self, sent: Instant) {
        let now = Instant::now();
        let mut result = lock(&self.result);
        result.accepted_at[self.index] = now;
        if now >= self.measure_from {
            result.latencies_us.saturating_record((now - sent).as_micros() as u64);
        }
    }
}

/// Returns an empty histogram of times in microseconds.
pub(crate) fn new_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_US, 3).expect("three digits from 1 µs to a minute fit")
}

fn lock(result: &Mutex<LoadResult>) -> MutexGuard<'_, LoadResult> {
    result.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(pace: Option<f64>) -> Load {
        Load { matches: 100, pace, warm_up: Duration::ZERO, measured: Duration::ZERO, threads: 1 }
    }

    #[test]
    fn the_pace_is_shared_by_all_seats() {
        assert_eq!(load(Some(1_000.0)).interval(), Some(Duration::from_millis(200)));
        assert_eq!(load(None).interval(), None);
    }

    #[test]
    fn a_load_without_moves_fails() {
        assert!(LoadResult::new().check().is_err());
    }

    #[test]
    fn a_seat_whose_move_was_lost_has_failed() {
        let start = Instant::now();
        let mut result = LoadResult::new();
        result.latencies_us.saturating_record(5);
        result.accepted_at = vec![start, start + LONGEST_WAIT];
        result.find_stuck(start + LONGEST_WAIT + Duration::from_secs(1));
        assert_eq!(result.failures.len(), 1);
        assert!(result.check().is_err());
    }

    #[test]
    fn one_failed_seat_fails_the_load() {
        let mut result = LoadResult::new();
        result.latencies_us.saturating_record(5);
        result.failures.push("closed".to_owned());
        assert!(result.check().is_err());
    }
}
