//! Reproducible randomness for injected faults.

/// Returns a number below 100 that depends only on the seed and the number of the draw.
pub(crate) fn percent(seed: u64, draw: u64) -> u8 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&draw.to_le_bytes());
    let hash = hasher.finalize();
    let [a, b, c, d, ..] = hash.as_bytes();
    (u32::from_le_bytes([*a, *b, *c, *d]) % 100) as u8
}
