/**
 * Measures layout shifts and frames while a four-seat match is played out at the default speed. Run
 * `npm run paint --workspace e2e` and read the printed figures; they are not compared with limits.
 */
import { test } from 'vitest';

import { cumulativeShift, pressOne, recordedPaint, recordPaint } from '../support/layout-shifts.ts';
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

const percentile = (values: number[], part: number) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * part)] ?? 0;

test.each(Object.keys(FOUR_SEATS))('%s with four seats', { timeout: 120_000 }, async (name) => {
  const page = await startAlone(env, FOUR_SEATS[name]!, MOVING);
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await page.waitForTimeout(1000);
  await recordPaint(page);
  for (let press = 0; press < PRESSES; press += 1) {
    await pressOne(page, press);
    // Longer than a press excuses a shift.
    await page.waitForTimeout(WATCH_MS);
  }
  const { shifts, sources, frames } = await recordedPaint(page);
  const worst = [...new Set(sources)].sort().reverse().slice(0, 12);
  console.log(
    [
      `${name}: CLS ${cumulativeShift(shifts).toFixed(3)}`,
      `${frames.length} frames: median ${percentile(frames, 0.5).toFixed(1)} ms, p95 ${percentile(frames, 0.95).toFixed(1)} ms, p99 ${percentile(frames, 0.99).toFixed(1)} ms`,
      ...worst,
    ].join('\n'),
  );
});
