/** Touch input: dragging and long presses. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { decision, log, startAlone } from '../support/match-actions.ts';
import { expectNoHorizontalScroll, PHONE, screenshot, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();

/** Sends raw touch events. */
async function finger(page: Page) {
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: at });
  return {
    down: (x: number, y: number) => touch('touchStart', [{ x, y }]),
    move: (x: number, y: number) => touch('touchMove', [{ x, y }]),
    up: () => touch('touchEnd', []),
  };
}

async function middle(of: Locator): Promise<{ x: number; y: number }> {
  const box = (await of.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(page: Page, what: Locator, onto: Locator): Promise<void> {
  const [from, to, one] = [await middle(what), await middle(onto), await finger(page)];
  await one.down(from.x, from.y);
  const steps = 8;
  for (let step = 1; step <= steps; step += 1) {
    await one.move(from.x + ((to.x - from.x) * step) / steps, from.y + ((to.y - from.y) * step) / steps);
  }
  await one.up();
}

const card = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).first();
const slot = (page: Page, number: number) => page.getByRole('button', { name: new RegExp(`^Slot ${number}`) });

test('cards are dragged into slots and between slots by touch', async () => {
  const options = { prep_ms: 120_000 };
  const page = await startAlone(env, { ruleset: 'orcain', options, places: ['human', 'random'] }, PHONE);
  await drag(page, card(page, 'Defense'), slot(page, 3));
  await slot(page, 3).filter({ hasText: 'Defense' }).waitFor();
  await drag(page, slot(page, 3), slot(page, 1));
  await slot(page, 1).filter({ hasText: 'Defense' }).waitFor();
  await slot(page, 3).filter({ hasText: 'empty' }).waitFor();
  await expectNoHorizontalScroll(page);
  await screenshot(page, 'orcain-phone-dragged', false);
});

test('a creature is dragged from the hand onto the table by touch', async () => {
  const options = { opening: 0, mana: 5, hands: [['raider'], []], fields: [['captain'], []] };
  const page = await startAlone(env, { ruleset: 'mages', options, places: ['human', 'random'] }, PHONE);
  await decision(page).waitFor();
  await drag(page, card(page, 'Goblin Raider'), card(page, 'Goblin Captain'));
  await page.getByRole('button', { name: 'Log' }).click();
  await log(page)
    .getByText(/You play Goblin Raider/)
    .waitFor();
});

test('a long press shows the tooltip and plays nothing', async () => {
  const options = { opening: 0, mana: 5, hands: [['raider'], []], fields: [['captain', 'bomber'], []] };
  const page = await startAlone(env, { ruleset: 'mages', options, places: ['human', 'random'] }, PHONE);
  await decision(page).waitFor();
  const one = await finger(page);
  const raider = card(page, 'Goblin Raider');
  const { x, y } = await middle(raider);
  await one.down(x, y);
  const detail = page.getByRole('tooltip');
  await detail.getByText('Goblin Raider').first().waitFor();
  await screenshot(page, 'mages-phone-tooltip', false);
  await one.up();
  await detail.waitFor({ state: 'detached' });
  expect(await page.getByRole('group', { name: 'Hand, 1' }).count()).toBe(1);
  expect(await raider.getAttribute('aria-pressed')).toBeNull();

  // Modified values are explained there, too.
  const at = await middle(card(page, 'Goblin Bomber'));
  await one.down(at.x, at.y);
  await detail.getByText('1, +1 from Goblin Captain').first().waitFor();
  await one.up();
});
