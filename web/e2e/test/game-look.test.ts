/** What a ruleset says about its look is on the table: layout, pictures, panels and rules. */
import { expect, test } from 'vitest';

import { decision, startAlone } from '../support/match-actions.ts';
import { expectAccessible, PHONE, screenshot, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const LAPTOP = { viewport: { width: 1280, height: 720 } };

test('the duel has hearts, facing places, and a text on every card', async () => {
  const page = await startAlone(env, { ruleset: 'orcain', places: ['human', 'random'] }, LAPTOP);
  await decision(page).waitFor();
  expect(await page.locator('.player.own .hearts .sign').count()).toBe(10);
  expect(await page.getByRole('group', { name: /^Step [123]$/ }).count()).toBe(3);
  for (const text of ['Deal 2 damage', 'Stop an attack', 'Regain 1', 'Turn an attack back'])
    await page.locator('.dock .card').getByText(text).waitFor();
  await expectAccessible(page);
});

test('the rules are behind the question mark and on the page of the game', async () => {
  const page = await startAlone(env, { ruleset: 'mages', places: ['human', 'random'] }, LAPTOP);
  await decision(page).waitFor();
  await page.getByRole('button', { name: 'Rules and keys' }).click();
  const rules = page.getByRole('dialog', { name: 'Rules and keys' });
  await rules.getByRole('heading', { name: 'Answering' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await rules.waitFor({ state: 'hidden' });
  await page.goto(`${env.url}/#/game/mages`);
  await page.getByRole('region', { name: 'How to play' }).getByText('Two mages duel.').waitFor();
  await expectAccessible(page);
});

test('skirmish shows the order of turns with hit points, and actions as tiles', async () => {
  const options = { order: 'listed' };
  const page = await startAlone(env, { ruleset: 'skirmish', options, places: ['human', 'random'] }, LAPTOP);
  await decision(page).waitFor();
  const order = page.getByRole('list', { name: 'Turn order' });
  expect(await order.getByRole('listitem').count()).toBe(8);
  expect(await order.locator('[aria-current="step"]').textContent()).toMatch(/Fighter\s*30/);
  expect(await page.locator('.tile[data-choice]').count()).toBeGreaterThan(2);
  // Every token has a figure, and none a letter.
  expect(await page.locator('.figure .disc svg').count()).toBe(8);
  await page.keyboard.press('1');
  await decision(page).getByText('Press a marked square').waitFor();
});

test('Little Ages has piles by colour, totals of icons and tracks of deeds', async () => {
  const boards = [['harbour', 'bazaar'], ['quarry']];
  const page = await startAlone(
    env,
    { ruleset: 'dogma', options: { opening: 0, boards }, places: ['human', 'random'] },
    LAPTOP,
  );
  await decision(page).waitFor();
  const green = page.getByRole('group', { name: 'green, 2' });
  await green.getByRole('button', { name: /^Harbour/ }).waitFor();
  expect(await green.locator('.edge').textContent()).toBe('Bazaar');
  expect(await page.locator('.player.own .icon').nth(2).textContent()).toMatch(/coin\s*2/);
  expect(await page.locator('.track').count()).toBe(7);
  await screenshot(page, 'dogma-look', false);
});

test('pictures of the ruleset come from the server, once', async () => {
  const page = await startAlone(env, { ruleset: 'draft', places: ['human', 'random'] }, LAPTOP);
  await decision(page).waitFor();
  const art = page.locator('.card .art use[href*="-"]').last();
  await expect.poll(() => art.evaluate((use) => (use as SVGGraphicsElement).getBBox().width)).toBeGreaterThan(10);
  const urls = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map((entry) => entry.name)
      .filter((name) => name.includes('/pictures/')),
  );
  expect(urls).toHaveLength(1);
  const { headers } = await fetch(urls[0]!);
  expect(headers.get('cache-control')).toContain('immutable');
});

test('on a phone nothing of the opponents scrolls sideways', async () => {
  const boards = [['harbour'], ['quarry', 'aqueduct', 'dugout', 'chronicle'], ['bonfire']];
  const page = await startAlone(
    env,
    { ruleset: 'dogma', options: { opening: 0, boards }, places: ['human', 'random', 'random'] },
    PHONE,
  );
  await decision(page).waitFor();
  const overflowing = await page.evaluate(() =>
    [...document.querySelectorAll('.opponents *')]
      .filter((node) => node.scrollWidth > node.clientWidth + 2 && getComputedStyle(node).overflowX === 'auto')
      .map((node) => node.className),
  );
  expect(overflowing).toEqual([]);
});
