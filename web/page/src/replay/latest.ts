/**
 * Loads what is wanted now, one at a time, and keeps what was loaded. Whoever drags a slider over a hundred moments wants
 * the last of them, not all.
 */
export class Latest<T> {
  readonly #load: (key: number) => Promise<T>;
  readonly #most: number;
  readonly #kept = new Map<number, T>();
  #wanted: { key: number; done: (value: T) => void; failed: (error: unknown) => void } | undefined;
  #isBusy = false;

  constructor(load: (key: number) => Promise<T>, most = 300) {
    this.#load = load;
    this.#most = most;
  }

  /** What is known of it without asking. */
  known(key: number): T | undefined {
    return this.#kept.get(key);
  }

  /** Calls `done` as soon as it is there, unless something else was wanted meanwhile. */
  want(key: number, done: (value: T) => void, failed: (error: unknown) => void): void {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#wanted = undefined;
      done(known);
      return;
    }
    this.#wanted = { key, done, failed };
    if (!this.#isBusy) void this.#work();
  }

  /** Loads it for later, if there is nothing better to do. */
  async fetchAhead(key: number): Promise<void> {
    if (this.#isBusy || this.#kept.has(key)) return;
    this.#isBusy = true;
    try {
      this.#keep(key, await this.#load(key));
    } catch {
      // It will be asked for again when it is wanted, and then somebody is told.
    } finally {
      this.#isBusy = false;
      if (this.#wanted) void this.#work();
    }
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#wanted) {
      const { key } = this.#wanted;
      try {
        const value = this.#kept.get(key) ?? (await this.#load(key));
        this.#keep(key, value);
        if (this.#wanted?.key === key) this.#settle((wanted) => wanted.done(value));
      } catch (error) {
        if (this.#wanted?.key === key) this.#settle((wanted) => wanted.failed(error));
      }
    }
    this.#isBusy = false;
  }

  #settle(tell: (wanted: { done: (value: T) => void; failed: (error: unknown) => void }) => void): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (wanted) tell(wanted);
  }

  #keep(key: number, value: T): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size <= this.#most) return;
    const oldest = this.#kept.keys().next();
    if (!oldest.done) this.#kept.delete(oldest.value);
  }
}
