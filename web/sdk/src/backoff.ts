/** How long to wait before the next attempt: longer each time, and never all clients at once. */
export class Backoff {
  #failures = 0;
  readonly #least: number;
  readonly #most: number;
  readonly #random: () => number;

  constructor(least = 250, most = 15_000, random: () => number = Math.random) {
    this.#least = least;
    this.#most = most;
    this.#random = random;
  }

  /** Milliseconds until the next attempt. */
  next(): number {
    const longest = Math.min(this.#most, this.#least * 2 ** this.#failures);
    this.#failures += 1;
    return longest / 2 + (this.#random() * longest) / 2;
  }

  /** It worked: the next failure is the first again. */
  reset(): void {
    this.#failures = 0;
  }
}
