//! Where a house takes from what nobody can guess: tokens, seeds of matches, names nothing else has.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use intermezzo_protocol::Problem;

use super::{House, internal};

/// Names of one millisecond are told apart by so many bits, besides those that are drawn.
const COUNT_BITS: u32 = 12;

/// A source of bytes that nobody can guess, or, for a world in which everything is to happen again in the same way, of
/// bytes that follow from a seed.
#[derive(Debug)]
pub struct Entropy {
    source: Source,
    /// The moment of the last name that was given: milliseconds since 1970, and twelve bits to count within one.
    last: AtomicU64,
}

#[derive(Debug)]
enum Source {
    System,
    Seeded(Mutex<blake3::OutputReader>),
}

impl Entropy {
    /// The machine's own.
    #[must_use]
    pub fn system() -> Entropy {
        Entropy::of(Source::System)
    }

    /// Always the same for the same seed. Whoever knows the seed can guess everything.
    #[must_use]
    pub fn seeded(seed: u64) -> Entropy {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        Entropy::of(Source::Seeded(Mutex::new(hasher.finalize_xof())))
    }

    pub(crate) fn is_seeded(&self) -> bool {
        matches!(self.source, Source::Seeded(_))
    }

    fn of(source: Source) -> Entropy {
        Entropy { source, last: AtomicU64::new(0) }
    }

    /// A moment after all before it: now, or as little later as can be.
    fn moment(&self, now_ms: u64) -> u64 {
        let next = |last: u64| (now_ms << COUNT_BITS).max(last + 1);
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        next(last.unwrap_or_else(|last| last))
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), Problem> {
        match &self.source {
            Source::System => {
                getrandom::fill(bytes).map_err(|error| internal(&format!("no random bytes: {error}")))
            }
            Source::Seeded(stream) => {
                stream.lock().unwrap_or_else(PoisonError::into_inner).fill(bytes);
                Ok(())
            }
        }
    }
}

impl House {
    /// Bytes nobody can guess.
    pub(crate) fn random<const N: usize>(&self) -> Result<[u8; N], Problem> {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// A name nothing else has, as a UUID of version 7; later ones of this house sort after earlier ones.
    pub(crate) fn new_id(&self) -> Result<u128, Problem> {
        let moment = self.entropy.moment(u64::try_from(self.now()).unwrap_or(0));
        let mut bytes: [u8; 10] = self.random()?;
        bytes[..2].copy_from_slice(&(moment as u16).to_be_bytes());
        let id = uuid::Builder::from_unix_timestamp_millis(moment >> COUNT_BITS, &bytes);
        Ok(id.into_uuid().as_u128())
    }
}
