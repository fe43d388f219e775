import { untrack } from 'svelte';

/** A value that is requested from the server regularly while the page is visible. */
export interface Poll<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  /** Requests the value now. */
  refresh(): Promise<void>;
  /** Sets a newer value; responses still on their way are ignored. */
  set(value: T): void;
}

/** Creates a poll for a component: it stops when the component is destroyed and pauses while it is not needed. */
export function createPoll<T>(
  request: () => Promise<T>,
  everyMs: number,
  isNeeded: () => boolean = () => true,
): Poll<T> {
  let value = $state.raw<T | undefined>(undefined);
  let error = $state.raw<unknown>(undefined);
  // Numbers of the last request and of the newest response: a late response must not replace a newer one.
  let requested = 0;
  let answered = 0;

  async function refresh(): Promise<void> {
    requested += 1;
    const number = requested;
    const settle = (apply: () => void) => {
      if (number <= answered) return;
      answered = number;
      apply();
    };
    await request().then(
      (response) =>
        settle(() => {
          value = response;
          error = undefined;
        }),
      (reason: unknown) => settle(() => (error = reason)),
    );
  }

  $effect(() => {
    // Untracked, so that state read by the request does not restart the timer.
    untrack(() => void refresh());
    const tick = () => {
      if (!document.hidden && isNeeded()) void refresh();
    };
    const timer = setInterval(tick, everyMs);
    document.addEventListener('visibilitychange', tick);
    return () => {
      answered = Infinity;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
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
      answered = requested;
      value = newer;
    },
  };
}
