/** Nothing on the table jumps by itself: what moves without a press is animated, and what will come has its place. */
import { expect, test } from 'vitest';

import { cumulativeShift, pressOne, recordedPaint, recordPaint } from '../support/layout-shifts.ts';
import { decision, startAlone, type MatchSetup } from '../support/match-actions.ts';
import { PHONE, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const FULL_TABLES: Record<string, MatchSetup> = {
  orcain: { ruleset: 'orcain', places: ['human', 'greedy'] },
  mages: { ruleset: 'mages', options: { mulligan: false, mana: 4 }, places: ['human', 'greedy'] },
  skirmish: { ruleset: 'skirmish', places: ['human', 'greedy'] },
  draft: { ruleset: 'draft', places: ['human', 'greedy', 'greedy', 'greedy'] },
  dogma: { ruleset: 'dogma', places: ['human', 'greedy', 'greedy', 'greedy'] },
};
const PRESSES = 8;
/** Longer than the half second for which a press excuses a shift. */
const WATCH_MS = 1100;
/** The metric is read with three decimals at most. Less is the edge of a picture whose frame changes its size. */
const NOTHING = 0.0005;

const SCREENS = {
  desktop: { viewport: { width: 1440, height: 900 }, reducedMotion: 'no-preference' },
  phone: { ...PHONE, reducedMotion: 'no-preference' },
} as const;
const cases = Object.keys(FULL_TABLES).flatMap((game) =>
  (['desktop', 'phone'] as const).map((screen) => ({ game, screen })),
);

test.each(cases)('$game on a $screen: nothing jumps by itself', { timeout: 60_000 }, async ({ game, screen }) => {
  const page = await startAlone(env, FULL_TABLES[game]!, SCREENS[screen]);
  await page.evaluate(() => {
    localStorage.setItem('intermezzo.taught', '*');
    localStorage.setItem('intermezzo.speed', 'quick');
  });
  await page.reload();
  await decision(page).waitFor();
  await page.waitForTimeout(600);
  await recordPaint(page);
  for (let press = 0; press < PRESSES; press += 1) {
    await pressOne(page, press);
    await page.waitForTimeout(WATCH_MS);
  }
  const { shifts, sources } = await recordedPaint(page);
  expect(cumulativeShift(shifts), [...new Set(sources)].sort().reverse().slice(0, 8).join('\n')).toBeLessThan(NOTHING);
});
