import { untrack } from 'svelte';

/** Something the server is asked for now and again, while the page is looked at. */
export interface Polled<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  /** Asks at once. */
  refresh(): Promise<void>;
  /** Something newer is known; answers that are on their way are older. */
  set(value: T): void;
}

/** To be called while a component is made; asking ends with the component, and rests while it is not needed. */
export function polled<T>(ask: () => Promise<T>, everyMs: number, isNeeded: () => boolean = () => true): Polled<T> {
  let value = $state.raw<T | undefined>(undefined);
  let error = $state.raw<unknown>(undefined);
  /** Answers that come late must not take the place of later ones; those that are merely slow count. */
  let asked = 0;
  let known = 0;

  async function refresh(): Promise<void> {
    asked += 1;
    const own = asked;
    const settle = (take: () => void) => {
      if (own <= known) return;
      known = own;
      take();
    };
    await ask().then(
      (answer) =>
        settle(() => {
          value = answer;
          error = undefined;
        }),
      (trouble: unknown) => settle(() => (error = trouble)),
    );
  }

  $effect(() => {
    // What is asked for must not decide when to ask.
    untrack(() => void refresh());
    const seen = () => {
      if (!document.hidden && isNeeded()) void refresh();
    };
    const timer = setInterval(seen, everyMs);
    document.addEventListener('visibilitychange', seen);
    return () => {
      known = Infinity;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  });

  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
    refresh,
    set(newer) {
      known = asked;
      value = newer;
    },
  };
}
