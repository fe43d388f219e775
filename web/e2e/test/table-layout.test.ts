/** The table fits the window: nothing scrolls but the log, and nobody is out of sight. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { decision, pass, pressRandomly, startAlone, type MatchSetup } from '../support/match-actions.ts';
import { expectNoHorizontalScroll, expectUncutTexts, PHONE, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();

const FULL_TABLES: Record<string, MatchSetup> = {
  orcain: { ruleset: 'orcain', places: ['human', 'random'] },
  mages: {
    ruleset: 'mages',
    options: {
      opening: 0,
      mulligan: false,
      mana: 5,
      hands: [['bolt', 'aegis', 'raider', 'ogre', 'echo', 'bomber'], ['kindle']],
      fields: [
        ['captain', 'raider', 'viper', 'drake'],
        ['bodyguard', 'bones', 'bat'],
      ],
    },
    places: ['human', 'random'],
  },
  skirmish: { ruleset: 'skirmish', places: ['human', 'random'] },
  draft: { ruleset: 'draft', places: ['human', 'random', 'random', 'random'] },
  dogma: { ruleset: 'dogma', places: ['human', 'random', 'random', 'random'] },
};

/** Returns everything that must be in sight and is not. */
function outOfSight(page: Page, selector: string): Promise<string[]> {
  return page.evaluate((wanted) => {
    const isInside = (node: Element) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
    };
    return [...document.querySelectorAll(wanted)]
      .filter((node) => !isInside(node))
      .map((node) => `${node.className}: ${node.textContent?.trim().slice(0, 30)}`);
  }, selector);
}

const scrolledPage = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
];

test.each(Object.keys(FULL_TABLES))('%s fits desktop and laptop without scrolling', async (name) => {
  const page = await startAlone(env, FULL_TABLES[name]!, { viewport: SIZES[0]! });
  await decision(page).waitFor();
  // A few decisions later the table is fuller.
  for (const presses of [0, 8]) {
    if (presses > 0) await pressRandomly(page, presses, 3);
    for (const viewport of SIZES) {
      await page.setViewportSize(viewport);
      await page.waitForTimeout(250);
      expect(await scrolledPage(page), `${viewport.width}`).toBe(0);
      const wanted = '.player, .board .card:not(.chip), .slot, .ends button, .figure';
      expect(await outOfSight(page, wanted), `${viewport.width}`).toEqual([]);
      await expectUncutTexts(page);
    }
  }
});

test.each(Object.keys(FULL_TABLES))('%s fits a phone: players, places and question are in sight', async (name) => {
  const page = await startAlone(env, FULL_TABLES[name]!, PHONE);
  await decision(page).waitFor();
  await page.waitForTimeout(250);
  expect(await scrolledPage(page)).toBe(0);
  // An opened pack is swiped like a hand, so that its texts can be read.
  const cards = '.row-group .zone:not(.swiped) .card:not(.chip)';
  expect(await outOfSight(page, `.player, ${cards}, .slot, .ends button, .square`)).toEqual([]);
  const swiped = page.locator('.row-group .swiped .card');
  if ((await swiped.count()) > 0) expect(await swiped.locator('.text').count()).toBe(await swiped.count());
  await expectNoHorizontalScroll(page);
});

test('cards grow with the free space', async () => {
  const { options, ...setup } = FULL_TABLES['mages']!;
  const few = { ...options, hands: [['raider'], []], fields: [['captain'], ['bat']] };
  const page = await startAlone(env, { ...setup, options: few }, { viewport: SIZES[0]! });
  await decision(page).waitFor();
  const width = async () => (await page.getByRole('button', { name: /^Goblin Captain/ }).boundingBox())!.width;
  await expect.poll(width).toBeGreaterThan(150);
  await page.setViewportSize(SIZES[1]!);
  await expect.poll(width).toBeLessThan(150);
  expect(await width()).toBeGreaterThanOrEqual(112);
});

test('Space presses the main button, and a target shows whose it is', async () => {
  const page = await startAlone(env, FULL_TABLES['mages']!, { viewport: SIZES[0]! });
  await decision(page).waitFor();
  await page.getByRole('button', { name: /^Bolt/ }).click();
  await page.locator('.card.foe', { hasText: 'Night Bat' }).hover();
  await page.locator('.aim-line').waitFor();
  await page.locator('.card.friend', { hasText: 'Ember Drake' }).waitFor();
  expect(await pass(page).count()).toBe(0);
  await page.keyboard.press('Escape');
  await decision(page).getByRole('button', { name: 'To combat' }).waitFor();
  const now = page.getByRole('list', { name: 'Phases' }).locator('[aria-current]');
  await now.getByText('Main phase').waitFor();
  await page.keyboard.press(' ');
  await now.getByText('Main phase').waitFor({ state: 'detached' });
});

test('the question mark lists the keys', async () => {
  const page = await startAlone(env, FULL_TABLES['orcain']!, { viewport: SIZES[0]! });
  await decision(page).waitFor();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('Space').waitFor();
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'hidden' });
});
