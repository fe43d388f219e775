/** An observable value. It implements the Svelte store contract, so `$match` works in a component. */
export interface Readable<T> {
  get(): T;
  /** Calls `listener` immediately and after every change, until the returned function is called. */
  subscribe(listener: (value: T) => void): () => void;
}

/** An observable value that its owner can change. */
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
    // Copied, because a listener may unsubscribe itself or others.
    for (const listener of [...this.#listeners]) listener(value);
  }

  update(change: Partial<T>): void {
    this.set({ ...this.#value, ...change });
  }

  subscribe(listener: (value: T) => void): () => void {
    // Wrapped, so that the same function can subscribe twice.
    const own = (value: T) => listener(value);
    this.#listeners.add(own);
    listener(this.#value);
    return () => void this.#listeners.delete(own);
  }
}
