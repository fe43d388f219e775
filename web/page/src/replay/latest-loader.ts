/**
 * Loads one key at a time and caches the results. Requests made while another is loading replace each other: dragging a
 * slider over a hundred positions loads only the first and the last.
 */
export class LatestLoader<T> {
  readonly #load: (key: number) => Promise<T>;
  readonly #maxCached: number;
  readonly #cached = new Map<number, T>();
  #requested: { key: number; done: (value: T) => void; failed: (error: unknown) => void } | undefined;
  #isBusy = false;

  constructor(load: (key: number) => Promise<T>, maxCached = 300) {
    this.#load = load;
    this.#maxCached = maxCached;
  }

  cached(key: number): T | undefined {
    return this.#cached.get(key);
  }

  /** Calls `done` once the value is loaded, unless another key is requested in the meantime. */
  request(key: number, done: (value: T) => void, failed: (error: unknown) => void): void {
    const cached = this.#cached.get(key);
    if (cached !== undefined) {
      this.#requested = undefined;
      done(cached);
      return;
    }
    this.#requested = { key, done, failed };
    if (!this.#isBusy) void this.#loadRequested();
  }

  /** Loads a key in advance, unless another one is loading. */
  async prefetch(key: number): Promise<void> {
    if (this.#isBusy || this.#cached.has(key)) return;
    this.#isBusy = true;
    try {
      this.#addToCache(key, await this.#load(key));
    } catch {
      // Ignored: a later request tries again and reports the error.
    } finally {
      this.#isBusy = false;
      if (this.#requested) void this.#loadRequested();
    }
  }

  async #loadRequested(): Promise<void> {
    this.#isBusy = true;
    while (this.#requested) {
      const { key } = this.#requested;
      try {
        const value = this.#cached.get(key) ?? (await this.#load(key));
        this.#addToCache(key, value);
        if (this.#requested?.key === key) this.#settle((requested) => requested.done(value));
      } catch (error) {
        if (this.#requested?.key === key) this.#settle((requested) => requested.failed(error));
      }
    }
    this.#isBusy = false;
  }

  #settle(report: (requested: { done: (value: T) => void; failed: (error: unknown) => void }) => void): void {
    const requested = this.#requested;
    this.#requested = undefined;
    if (requested) report(requested);
  }

  #addToCache(key: number, value: T): void {
    this.#cached.delete(key);
    this.#cached.set(key, value);
    if (this.#cached.size <= this.#maxCached) return;
    const oldest = this.#cached.keys().next();
    if (!oldest.done) this.#cached.delete(oldest.value);
  }
}
