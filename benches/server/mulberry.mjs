// The generator and the digest of all implementations of the benchmark games (`twins/mulberry.rs`).

/** Returns the generator of the match with this seed: a function that returns a random number below its argument. */
export function mulberry(seed) {
  let a = seed >>> 0;
  return (bound) => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) * bound) / 2 ** 32);
  };
}

/** Returns the digest over the matches with seeds 1 to `last`; `bytesOf` returns the result of a match as bytes. */
export function digest(last, bytesOf) {
  let hash = 2166136261;
  for (let seed = 1; seed <= last; seed++) {
    for (const byte of bytesOf(seed)) hash = Math.imul(hash ^ byte, 16777619);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
