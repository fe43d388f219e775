/** Times and durations as display text. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a time relative to now: `5 min ago`. Times more than 30 days ago are shown as a date. */
export function timeAgo(ms: number, now = Date.now()): string {
  const past = now - ms;
  if (past < MINUTE) return 'just now';
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  if (past < 30 * DAY) return `${Math.floor(past / DAY)} d ago`;
  return new Date(ms).toLocaleDateString();
}

/** Formats a duration as minutes and seconds: `3:07`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Creates a clock that ticks every second while the component is mounted. */
export function createClock(): { readonly now: number } {
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
