/** Exponential backoff with jitter, so that clients do not all reconnect at the same moment. */
export class Backoff {
  #failures = 0;
  readonly #minMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;

  constructor(minMs = 250, maxMs = 15_000, random: () => number = Math.random) {
    this.#minMs = minMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  /** Returns the milliseconds to wait before the next attempt. */
  next(): number {
    const longest = Math.min(this.#maxMs, this.#minMs * 2 ** this.#failures);
    this.#failures += 1;
    return longest / 2 + (this.#random() * longest) / 2;
  }

  /** Starts over after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
