/** Every game from its first question to its end, by pressing what can be pressed. Nothing here knows a game. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { pressOn, sitAlone, type Wish } from './hands.ts';
import { fits, isAccessible, PHONE, picture, textsAreWhole, world } from './world.ts';

const here = world();

/** In the light and in the dark. */
async function pictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
    // Two frames: what is on layers of its own is painted later.
    await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
    await picture(page, `${name}-${colorScheme}`, false);
  }
}

const SHORT: Record<string, Wish> = {
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

test.each(Object.keys(SHORT))('%s is played to its end by pressing what is marked', async (name) => {
  const page = await sitAlone(here, SHORT[name]!);
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await isAccessible(page);
  await pictures(page, `${name}-desk`);
  await textsAreWhole(page);
  await pressOn(page, 12, 3);
  await textsAreWhole(page);
  await picture(page, `${name}-under-way`, false);
  expect(await pressOn(page, 700)).toBe(true);
  await page.getByRole('region', { name: 'Result' }).waitFor();
  await isAccessible(page);
  await picture(page, `${name}-over`, false);
});

test.each(Object.keys(SHORT))('%s fits a phone, in the dark', async (name) => {
  const page = await sitAlone(here, SHORT[name]!, { ...PHONE, colorScheme: 'dark' });
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await fits(page);
  await isAccessible(page);
  await textsAreWhole(page);
  await pressOn(page, 8, 5);
  await fits(page);
  await pictures(page, `${name}-phone`);
});
