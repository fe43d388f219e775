/** Plays every game to the end by pressing random selectable objects. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { pressRandomly, startAlone, type MatchSetup } from '../support/match-actions.ts';
import {
  expectAccessible,
  expectNoHorizontalScroll,
  expectUncutTexts,
  PHONE,
  screenshot,
  setupEnvironment,
} from '../support/test-environment.ts';

const env = setupEnvironment();

/** Saves screenshots in light and dark mode. */
async function screenshots(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
    // Composited layers are painted one frame later.
    await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
    await screenshot(page, `${name}-${colorScheme}`, false);
  }
}

const SHORT_MATCHES: Record<string, MatchSetup> = {
  orcain: { ruleset: 'orcain', places: ['human', 'random'] },
  mages: { ruleset: 'mages', options: { life: 5, mana: 4 }, places: ['human', 'random'] },
  skirmish: {
    ruleset: 'skirmish',
    options: {
      rounds: 6,
      roster: [
        { def: 'fighter', seat: 0, x: 4, y: 4 },
        { def: 'goblin', seat: 1, x: 6, y: 4 },
      ],
    },
    places: ['human', 'greedy'],
  },
  draft: {
    ruleset: 'draft',
    options: { rounds: 1, pack_size: 4, programme: 3 },
    places: ['human', 'random', 'random', 'random'],
  },
  dogma: { ruleset: 'dogma', options: { target: 1, rounds: 4 }, places: ['human', 'random', 'random'] },
};

test.each(Object.keys(SHORT_MATCHES))('%s can be played to the end', async (name) => {
  const page = await startAlone(env, SHORT_MATCHES[name]!);
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await expectAccessible(page);
  await screenshots(page, `${name}-desktop`);
  await expectUncutTexts(page);
  await pressRandomly(page, 12, 3);
  await expectUncutTexts(page);
  await screenshot(page, `${name}-in-progress`, false);
  expect(await pressRandomly(page, 700)).toBe(true);
  await page.getByRole('region', { name: 'Result' }).waitFor();
  await expectAccessible(page);
  await screenshot(page, `${name}-over`, false);
});

test.each(Object.keys(SHORT_MATCHES))('%s fits a phone in dark mode', async (name) => {
  const page = await startAlone(env, SHORT_MATCHES[name]!, { ...PHONE, colorScheme: 'dark' });
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  await expectUncutTexts(page);
  await pressRandomly(page, 8, 5);
  await expectNoHorizontalScroll(page);
  await screenshots(page, `${name}-phone`);
});
