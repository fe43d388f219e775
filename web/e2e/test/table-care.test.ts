/** Small things that people notice at a table: nothing is covered, pushed away or asked unclearly. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { decision, pass, pressObject, pressRandomly, startAlone, type MatchSetup } from '../support/match-actions.ts';
import { PHONE, screenshot, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const MAX_TRIES = 80;

/** Presses until something is on the page. */
async function pressUntil(page: Page, selector: string, presses = 1): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    if (await page.locator(selector).first().isVisible()) return;
    await pressRandomly(page, presses, attempt + 3);
  }
  throw new Error(`${selector} does not appear`);
}

const boxOf = (page: Page, selector: string) => page.locator(selector).first().boundingBox();

test('a card of the graveyard that can be cast glows in its pile, and the table stays as it is', async () => {
  const options = { opening: 0, bonus: 0, mulligan: false, mana: 6, hands: [['flare'], []] };
  const page = await startAlone(env, { ruleset: 'mages', options, places: ['human', 'random'] }, PHONE);
  await decision(page).waitFor();
  const before = await boxOf(page, '.dock');
  await pressObject(page, /^Flare/);
  await pressObject(page, /^random bot/);
  await pass(page).click();
  const pile = page.getByRole('button', { name: /^Graveyard 1, top card Flare, selectable/ });
  await pile.waitFor();
  expect(await boxOf(page, '.dock')).toEqual(before);
  await screenshot(page, 'mages-graveyard-phone', false);
  await pile.click();
  const list = page.getByRole('dialog', { name: 'Graveyard' });
  await list.getByRole('button', { name: /^Flare/ }).click();
  await list.waitFor({ state: 'hidden' });
  await decision(page).getByRole('heading', { name: 'Cast Flare again: Hurt whom?' }).waitFor();
});

const SKIRMISH: MatchSetup = { ruleset: 'skirmish', places: ['human', 'greedy'] };

test('on a phone dice lie below the board', async () => {
  const page = await startAlone(env, SKIRMISH, PHONE);
  await decision(page).waitFor();
  // Dice are shown for a moment only.
  const overlap = () =>
    page.evaluate(() => {
      const [tray, board] = ['.tray', '.squares'].map((one) => document.querySelector(one)?.getBoundingClientRect());
      return tray && board && board.bottom - tray.top;
    });
  let found = await overlap();
  for (let press = 0; press < MAX_TRIES && found === undefined; press += 1) {
    await pressRandomly(page, 1, press + 3);
    found = await overlap();
  }
  // Less than a pixel is rounding.
  expect(found).toBeLessThan(1);
});

test('the board stays where it is when somebody falls', { timeout: 60_000 }, async () => {
  const roster = [
    ...[1, 2, 3].map((y) => ({ def: 'barbarian', seat: 0, x: 2, y })),
    ...[1, 2, 3, 4].map((y) => ({ def: 'goblin', seat: 1, x: 3, y })),
  ];
  const options = { roster, terrain: [], auto_reactions: true };
  const page = await startAlone(env, { ...SKIRMISH, options });
  await decision(page).waitFor();
  const before = await boxOf(page, '.squares');
  await pressUntil(page, '.pile[title="Fallen"]', 5);
  expect(await boxOf(page, '.squares')).toEqual(before);
  await screenshot(page, 'skirmish-fallen', false);
});

test('what dice lead to is one line of the log, with the roll as its detail', async () => {
  const page = await startAlone(env, SKIRMISH);
  await decision(page).waitFor();
  const lines = await page.locator('.log ol > li').allTextContents();
  expect(lines.filter((line) => /^\s*\w+ acts at/.test(line)).length).toBeGreaterThan(1);
  expect(lines.filter((line) => /^\s*\w+ rolls .* for initiative/.test(line))).toEqual([]);
});

test('the result lists the winner first', async () => {
  const page = await startAlone(env, { ruleset: 'orcain', places: ['human', 'random'] });
  await decision(page).waitFor();
  await page.locator('summary', { hasText: 'Menu' }).click();
  await page.getByRole('button', { name: 'Concede …' }).click();
  await page.getByRole('button', { name: 'Concede', exact: true }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.waitFor();
  expect(await result.getByRole('rowheader').first().textContent()).toContain('random bot');
});
