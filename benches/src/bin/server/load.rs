//! The load: two seats for each match, each of which moves again as soon as it may, or at a given pace.
//!
//! The time of a move runs from sending it to hearing that it was accepted.
//! Seats are spread over threads with a runtime each, both seats of a match on one.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use intermezzo_benches::twins::mulberry::Mulberry;

use crate::socket::{Seat, take_seats};
use crate::system::System;

const LAYOUTS: u32 = 24;
const LONGEST_US: u64 = 60_000_000;
/// A seat that has waited longer at the end had a move swallowed.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// What is asked of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Matches played at the same time.
    pub(crate) matches: u32,
    /// Moves a second of all seats together; as many as possible without it.
    pub(crate) pace: Option<f64>,
    /// Played before anything counts.
    pub(crate) warm_up: Duration,
    /// What counts.
    pub(crate) measured: Duration,
    /// Threads that play.
    pub(crate) threads: u32,
}

/// What came of a load.
pub(crate) struct Tally {
    /// From sending a move to hearing that it was accepted, in microseconds.
    pub(crate) times_us: Histogram<u64>,
    /// When each seat last had a move accepted.
    accepted_at: Vec<Instant>,
    failures: Vec<String>,
}

impl Tally {
    fn new() -> Tally {
        let times_us =
            Histogram::new_with_bounds(1, LONGEST_US, 3).expect("three digits from 1 µs to a minute fit");
        Tally { times_us, accepted_at: Vec::new(), failures: Vec::new() }
    }

    /// A server that swallows a move says nothing; its seat then waits for ever.
    fn find_stuck(&mut self, now: Instant) {
        let stuck = self.accepted_at.iter().filter(|at| now - **at > LONGEST_WAIT).count();
        self.failures.extend((0..stuck).map(|_| "no move was accepted for too long".to_owned()));
    }

    fn checked(self) -> io::Result<Tally> {
        match self.failures.first() {
            Some(failure) => {
                Err(io::Error::other(format!("{} seats failed: {failure}", self.failures.len())))
            }
            None if self.times_us.is_empty() => Err(io::Error::other("no move was accepted")),
            None => Ok(self),
        }
    }
}

impl Load {
    /// Plays against a server. Fails if any seat fails: a figure without some of the seats would be another one.
    pub(crate) fn play(self, system: System, server: SocketAddr) -> io::Result<Tally> {
        let all_seated = Arc::new(Barrier::new(self.threads as usize));
        let threads: Vec<_> = (0..self.threads)
            .map(|thread| {
                let all_seated = Arc::clone(&all_seated);
                std::thread::spawn(move || self.play_on(thread, system, server, &all_seated))
            })
            .collect();
        let mut sum = Tally::new();
        for thread in threads {
            let tally = thread.join().map_err(|_| io::Error::other("a thread of the load panicked"))??;
            sum.times_us.add(&tally.times_us).map_err(io::Error::other)?;
            sum.failures.extend(tally.failures);
        }
        sum.checked()
    }

    /// What one thread does.
    fn play_on(
        self,
        thread: u32,
        system: System,
        server: SocketAddr,
        all_seated: &Barrier,
    ) -> io::Result<Tally> {
        let tally = Arc::new(Mutex::new(Tally::new()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let matches = (thread..self.matches).step_by(self.threads as usize);
            let seats = take_seats(system, server, matches).await;
            // Waited for in any case: the other threads would wait for ever.
            all_seated.wait();
            let begin = Instant::now();
            let seats = seats?;
            locked(&tally).accepted_at = vec![begin; seats.len()];
            for (index, seat) in seats.into_iter().enumerate() {
                let player = Player {
                    seat,
                    index,
                    chance: Mulberry::new(index as u32 * self.threads + thread),
                    tally: Arc::clone(&tally),
                    counts_from: begin + self.warm_up,
                };
                tokio::spawn(player.play(self.every()));
            }
            tokio::time::sleep(self.warm_up + self.measured).await;
            locked(&tally).find_stuck(Instant::now());
            io::Result::Ok(())
        })?;
        // Ends the players wherever they are.
        drop(runtime);
        let tally = Arc::into_inner(tally).ok_or_else(|| io::Error::other("a seat goes on playing"))?;
        Ok(tally.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// How often each seat moves.
    fn every(self) -> Option<Duration> {
        self.pace.map(|moves_per_s| Duration::from_secs_f64(f64::from(self.matches * 2) / moves_per_s))
    }
}

/// One seat at play.
struct Player {
    seat: Seat,
    /// Its place among the seats of its thread.
    index: usize,
    chance: Mulberry,
    tally: Arc<Mutex<Tally>>,
    counts_from: Instant,
}

impl Player {
    async fn play(mut self, every: Option<Duration>) {
        let ended = match every {
            Some(every) => self.play_at_pace(every).await,
            None => self.play_on().await,
        };
        if let Err(failure) = ended {
            locked(&self.tally).failures.push(failure.to_string());
        }
    }

    async fn play_on(&mut self) -> io::Result<()> {
        loop {
            self.play_round().await?;
        }
    }

    /// Seats begin at different moments, so that moves are spread as those of people are.
    async fn play_at_pace(&mut self, every: Duration) -> io::Result<()> {
        let wait = every.mul_f64(f64::from(self.chance.below(1000)) / 1000.0);
        let mut next = tokio::time::Instant::now() + wait;
        loop {
            tokio::time::sleep_until(next).await;
            self.play_round().await?;
            next += every;
        }
    }

    /// Moves, and waits until it may move again.
    async fn play_round(&mut self) -> io::Result<()> {
        let layout = self.chance.below(LAYOUTS);
        let sent = Instant::now();
        self.seat.submit(layout).await?;
        let (mut is_accepted, mut may_move) = (false, false);
        while !(is_accepted && may_move) {
            let heard = self.seat.hear().await?;
            if heard.is_accepted && !is_accepted {
                self.count(sent);
            }
            is_accepted |= heard.is_accepted;
            may_move |= heard.may_move;
        }
        Ok(())
    }

    fn count(&self, sent: Instant) {
        let now = Instant::now();
        let mut tally = locked(&self.tally);
        tally.accepted_at[self.index] = now;
        if now >= self.counts_from {
            tally.times_us.saturating_record((now - sent).as_micros() as u64);
        }
    }
}

fn locked(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(pace: Option<f64>) -> Load {
        Load { matches: 100, pace, warm_up: Duration::ZERO, measured: Duration::ZERO, threads: 1 }
    }

    #[test]
    fn the_pace_is_shared_by_all_seats() {
        assert_eq!(load(Some(1_000.0)).every(), Some(Duration::from_millis(200)));
        assert_eq!(load(None).every(), None);
    }

    #[test]
    fn a_load_without_moves_is_no_result() {
        assert!(Tally::new().checked().is_err());
    }

    #[test]
    fn a_seat_whose_move_was_swallowed_has_failed() {
        let begin = Instant::now();
        let mut tally = Tally::new();
        tally.times_us.saturating_record(5);
        tally.accepted_at = vec![begin, begin + LONGEST_WAIT];
        tally.find_stuck(begin + LONGEST_WAIT + Duration::from_secs(1));
        assert_eq!(tally.failures.len(), 1);
        assert!(tally.checked().is_err());
    }

    #[test]
    fn one_seat_that_failed_spoils_the_result() {
        let mut tally = Tally::new();
        tally.times_us.saturating_record(5);
        tally.failures.push("closed".to_owned());
        assert!(tally.checked().is_err());
    }
}
