/**
 * Measures layout shifts and frames while a four-seat match is played out at the default speed. Run
 * `npm run paint --workspace e2e` and read the printed figures; they are not compared with limits.
 */
import type { Page } from 'playwright-core';
import { test } from 'vitest';

import { startAlone, type MatchSetup } from '../support/match-actions.ts';
import { setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const FOUR_SEATS: Record<string, MatchSetup> = {
  dogma: { ruleset: 'dogma', places: ['human', 'greedy', 'greedy', 'greedy'] },
  draft: { ruleset: 'draft', places: ['human', 'greedy', 'greedy', 'greedy'] },
};
const MOVING = { viewport: { width: 1440, height: 900 }, reducedMotion: 'no-preference' } as const;
const PRESSES = 16;
const WATCH_MS = 1600;

interface Figures {
  shifts: { at: number; value: number }[];
  sources: string[];
  frames: number[];
}

/** Begins to record frames, and layout shifts without a press shortly before. */
function record(page: Page): Promise<void> {
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

/** Presses something that can be chosen with the mouse, as a player does. */
async function pressOne(page: Page, number: number): Promise<void> {
  const choices = page.locator('[data-focus-stop].selectable:not(.picked), [data-choice]:enabled, [data-main]:enabled');
  const count = await choices.count();
  if (count > 0)
    await choices
      .nth((number * 7) % count)
      .click({ timeout: 1000 })
      .catch(() => undefined);
}

/** Cumulative layout shift: the largest sum within five seconds, without a pause of more than a second. */
function cumulativeShift(shifts: Figures['shifts']): number {
  let worst = 0;
  let [sum, first, last] = [0, 0, -Infinity];
  for (const { at, value } of shifts) {
    if (at - last > 1000 || at - first > 5000) [sum, first] = [0, at];
    [sum, last] = [sum + value, at];
    worst = Math.max(worst, sum);
  }
  return worst;
}

const percentile = (values: number[], part: number) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * part)] ?? 0;

test.each(Object.keys(FOUR_SEATS))('%s with four seats', { timeout: 120_000 }, async (name) => {
  const page = await startAlone(env, FOUR_SEATS[name]!, MOVING);
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await page.waitForTimeout(1000);
  await record(page);
  for (let press = 0; press < PRESSES; press += 1) {
    await pressOne(page, press);
    // Longer than a press excuses a shift.
    await page.waitForTimeout(WATCH_MS);
  }
  const { shifts, sources, frames } = await page.evaluate(
    () => (globalThis as unknown as { figures: Figures }).figures,
  );
  const worst = [...new Set(sources)].sort().reverse().slice(0, 12);
  console.log(
    [
      `${name}: CLS ${cumulativeShift(shifts).toFixed(3)}`,
      `${frames.length} frames: median ${percentile(frames, 0.5).toFixed(1)} ms, p95 ${percentile(frames, 0.95).toFixed(1)} ms, p99 ${percentile(frames, 0.99).toFixed(1)} ms`,
      ...worst,
    ].join('\n'),
  );
});
