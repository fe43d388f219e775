/**
 * A value that can be followed. It has the shape of a Svelte store, so `$match` works in a component; any other
 * program calls `subscribe`.
 */
export interface Readable<T> {
  /** What it is now. */
  get(): T;
  /** Calls `listener` at once and after every change, until the returned function is called. */
  subscribe(listener: (value: T) => void): () => void;
}

/** A value that its owner changes. */
export class Store<T> implements Readable<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    // A listener may unsubscribe itself or others.
    for (const listener of [...this.#listeners]) listener(value);
  }

  update(change: Partial<T>): void {
    this.set({ ...this.#value, ...change });
  }

  subscribe(listener: (value: T) => void): () => void {
    // Wrapped, so that the same function may listen twice.
    const own = (value: T) => listener(value);
    this.#listeners.add(own);
    listener(this.#value);
    return () => void this.#listeners.delete(own);
  }
}
