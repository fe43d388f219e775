//! The source of unpredictable bytes: tokens, match seeds, unique ids.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use intermezzo_protocol::Problem;

use super::{Services, internal};

/// Bits of an id that count within one millisecond, besides the random ones.
const COUNTER_BITS: u32 = 12;

/// A source of unpredictable bytes, or of bytes derived from a seed, for deterministic tests.
#[derive(Debug)]
pub struct Entropy {
    source: EntropySource,
    /// Timestamp of the last id: milliseconds since 1970, followed by [`COUNTER_BITS`] bits of counter.
    last: AtomicU64,
}

#[derive(Debug)]
enum EntropySource {
    System,
    Seeded(Mutex<blake3::OutputReader>),
}

impl Entropy {
    /// Returns the operating system's source.
    #[must_use]
    pub fn system() -> Entropy {
        Entropy::from_source(EntropySource::System)
    }

    /// Returns a source that yields the same bytes for the same seed. The seed makes all of them predictable.
    #[must_use]
    pub fn seeded(seed: u64) -> Entropy {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        Entropy::from_source(EntropySource::Seeded(Mutex::new(hasher.finalize_xof())))
    }

    pub fn is_seeded(&self) -> bool {
        matches!(self.source, EntropySource::Seeded(_))
    }

    fn from_source(source: EntropySource) -> Entropy {
        Entropy { source, last: AtomicU64::new(0) }
    }

    /// Returns a timestamp later than all earlier ones: now, or the smallest possible increment.
    fn next_timestamp(&self, now_ms: u64) -> u64 {
        let next = |last: u64| (now_ms << COUNTER_BITS).max(last + 1);
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        next(last.unwrap_or_else(|last| last))
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), Problem> {
        match &self.source {
            EntropySource::System => {
                getrandom::fill(bytes).map_err(|error| internal(&format!("no random bytes: {error}")))
            }
            EntropySource::Seeded(stream) => {
                stream.lock().unwrap_or_else(PoisonError::into_inner).fill(bytes);
                Ok(())
            }
        }
    }
}

impl Services {
    /// Returns unpredictable bytes.
    pub fn random<const N: usize>(&self) -> Result<[u8; N], Problem> {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns a unique id in the form of a UUID version 7. Later ids of this instance sort after earlier
    /// ones.
    pub fn new_id(&self) -> Result<u128, Problem> {
        let moment = self.entropy.next_timestamp(u64::try_from(self.now()).unwrap_or(0));
        let mut bytes: [u8; 10] = self.random()?;
        bytes[..2].copy_from_slice(&(moment as u16).to_be_bytes());
        let id = uuid::Builder::from_unix_timestamp_millis(moment >> COUNTER_BITS, &bytes);
        Ok(id.into_uuid().as_u128())
    }
}
