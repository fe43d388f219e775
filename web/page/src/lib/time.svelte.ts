/** Moments as people say them. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago a moment was. */
export function ago(ms: number, now = Date.now()): string {
  const past = now - ms;
  if (past < MINUTE) return 'just now';
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  if (past < 30 * DAY) return `${Math.floor(past / DAY)} d ago`;
  return new Date(ms).toLocaleDateString();
}

/** Minutes and seconds: `3:07`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A clock that ticks every second while the component is there. */
export function ticking(): { readonly now: number } {
  let now = $state(Date.now());
  $effect(() => {
    const timer = setInterval(() => (now = Date.now()), SECOND);
    return () => clearInterval(timer);
  });
  return {
    get now() {
      return now;
    },
  };
}
