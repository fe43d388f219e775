//! Which of the commits of a faulty store fail, by a seed.

/// A number below 100 that depends on the seed and on which draw it is, and on nothing else.
pub(crate) fn percent(seed: u64, draw: u64) -> u8 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&draw.to_le_bytes());
    let hash = hasher.finalize();
    let [a, b, c, d, ..] = hash.as_bytes();
    (u32::from_le_bytes([*a, *b, *c, *d]) % 100) as u8
}
