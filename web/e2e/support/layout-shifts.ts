/** Records frames and layout shifts, as browsers measure them. */
import type { Page } from 'playwright-core';

export interface Figures {
  /** Shifts without a press shortly before. */
  shifts: { at: number; value: number }[];
  /** What moved in them, and how far. */
  sources: string[];
  frames: number[];
}

/** Begins to record frames, and layout shifts without a press shortly before. */
export function recordPaint(page: Page): Promise<void> {
  return page.evaluate(() => {
    const figures: Figures = { shifts: [], sources: [], frames: [] };
    (globalThis as unknown as { figures: Figures }).figures = figures;
    type Shift = PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node?: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[]) {
        if (entry.hadRecentInput) continue;
        figures.shifts.push({ at: entry.startTime, value: entry.value });
        for (const { node, previousRect: old, currentRect: now } of entry.sources) {
          const name = node instanceof Element ? `${node.className}` : (node?.parentElement?.className ?? 'removed');
          const moved = `${Math.round(now.x - old.x)},${Math.round(now.y - old.y)}`;
          figures.sources.push(`${entry.value.toFixed(5)} ${name.slice(0, 60)} by ${moved}`);
        }
      }
    }).observe({ type: 'layout-shift' });
    let last = performance.now();
    const frame = (now: number) => {
      figures.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** Returns what has been recorded so far. */
export const recordedPaint = (page: Page): Promise<Figures> =>
  page.evaluate(() => (globalThis as unknown as { figures: Figures }).figures);

/** Cumulative layout shift: the largest sum within five seconds, without a pause of more than a second. */
export function cumulativeShift(shifts: Figures['shifts']): number {
  let worst = 0;
  let [sum, first, last] = [0, 0, -Infinity];
  for (const { at, value } of shifts) {
    if (at - last > 1000 || at - first > 5000) [sum, first] = [0, at];
    [sum, last] = [sum + value, at];
    worst = Math.max(worst, sum);
  }
  return worst;
}

/** Presses something that can be chosen with the mouse, as a player does. */
export async function pressOne(page: Page, number: number): Promise<void> {
  const choices = page.locator('[data-focus-stop].selectable:not(.picked), [data-choice]:enabled, [data-main]:enabled');
  const count = await choices.count();
  if (count > 0)
    await choices
      .nth((number * 7) % count)
      .click({ timeout: 1000 })
      .catch(() => undefined);
}
