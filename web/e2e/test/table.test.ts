/** Playing at the table: dragging, keyboard, stack, grid, draft and nested choices. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { decision, log, pass, pressObject, startAlone, startMatch, viewOf } from '../support/match-actions.ts';
import {
  expectAccessible,
  expectUncutTexts,
  PHONE,
  screenshot,
  setupEnvironment,
} from '../support/test-environment.ts';

const env = setupEnvironment();

async function drag(page: Page, what: Locator, onto: Locator): Promise<void> {
  const [from, to] = [(await what.boundingBox())!, (await onto.boundingBox())!];
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 6 });
  await page.mouse.up();
}

const card = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).first();
const slot = (page: Page, number: number) => page.getByRole('button', { name: new RegExp(`^Slot ${number}`) });

test('cards are dragged into slots, saved as a draft and revealed', async () => {
  const setup = { ruleset: 'orcain', options: { prep_ms: 120_000 } };
  const { pages } = await startMatch(env, { ...setup, places: ['human', 'human'] });
  const [page, other] = pages as [Page, Page];
  await decision(other)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .click();
  await drag(page, card(page, 'Counter'), slot(page, 3));
  await slot(page, 3).filter({ hasText: 'Counter' }).waitFor();
  await drag(page, card(page, 'Attack'), slot(page, 1));
  await drag(page, slot(page, 3), slot(page, 2));
  await slot(page, 2).filter({ hasText: 'Counter' }).waitFor();
  await card(page, 'Heal').click();
  await slot(page, 3).filter({ hasText: 'Heal' }).waitFor();
  await decision(page)
    .getByText(/Draft saved.*Attack, Counter, Heal/)
    .waitFor();
  await screenshot(page, 'orcain-slots', false);
  await decision(page)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .click();
  const shown = page.getByRole('group', { name: 'Latest events' });
  await shown.getByText('Counter').first().waitFor();
  await screenshot(page, 'orcain-revealed', false);
  await log(page)
    .getByText(/^Step 1/)
    .first()
    .waitFor();
});

test('a round can be played with the keyboard', async () => {
  const page = await startAlone(env, { ruleset: 'orcain', options: { prep_ms: 120_000 }, places: ['human', 'random'] });
  await card(page, 'Attack').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await slot(page, 1).filter({ hasText: 'Attack' }).waitFor();
  await slot(page, 2).filter({ hasText: 'Heal' }).waitFor();
  await decision(page)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .focus();
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Latest events' }).waitFor();
  // The focus moves to the next prompt.
  await page.locator('[data-object].selectable:focus').waitFor();
});

/** Passes for all players until a condition is met. */
async function passUntil(pages: Page[], isMet: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await isMet()) return;
    for (const page of pages)
      if (
        await pass(page)
          .isEnabled({ timeout: 50 })
          .catch(() => false)
      )
        await pass(page).click();
    await pages[0]!.waitForTimeout(30);
  }
  throw new Error('the condition was not met');
}

test('a spell is countered by another, which is on top of the stack', async () => {
  const options = { opening: 0, mana: 5, hands: [['bolt', 'echo'], ['refusal']], fields: [['raider'], ['bat']] };
  const { pages } = await startMatch(env, { ruleset: 'mages', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  await decision(ann).waitFor();
  await passUntil(
    pages,
    async () => (await ann.getByTitle('turn 3').count()) > 0 && (await card(ann, 'Bolt.*selectable').count()) > 0,
  );
  await card(ann, 'Bolt').click();
  await decision(ann)
    .getByText(/Cast Bolt: Hurt whom/)
    .waitFor();
  await screenshot(ann, 'mages-aiming', false);
  const foe = (await ann.locator('.player:not(.own) .name').textContent())!;
  await pressObject(ann, new RegExp(`^${foe}`));
  await pass(ann).click();
  await decision(bob).getByRole('heading', { name: 'Answer, or let it happen' }).waitFor();
  // The bolt is its only legal target, so it needs no further press.
  await card(bob, 'Refusal').click();
  const stack = ann.getByRole('region', { name: 'Stack, 2 items' });
  await stack.waitFor();
  const items = await stack.getByRole('listitem').allTextContents();
  expect(items[0]).toContain('Cast Refusal');
  expect(items[0]).toContain('next');
  expect(items[1]).toContain(foe);
  // Each item has a line to its target; the line of the next item is solid.
  await expect.poll(() => ann.locator('.target-lines .line').count()).toBe(2);
  expect(await ann.locator('.target-lines .next .line').count()).toBe(1);
  await expectAccessible(ann);
  await screenshot(ann, 'mages-stack', false);
  await passUntil(pages, async () => (await ann.getByRole('region', { name: /^Stack/ }).count()) === 0);
  expect(await ann.locator('.target-lines').count()).toBe(0);
  await ann.getByRole('button', { name: new RegExp(`^${foe}.*life 20`) }).waitFor();
});

test('a creature is dragged onto the battlefield, and unavailable actions are explained', async () => {
  const options = { opening: 0, mana: 5, hands: [['raider', 'drake'], []], fields: [['captain'], []] };
  const page = await startAlone(env, { ruleset: 'mages', options, places: ['human', 'random'] });
  await decision(page).waitFor();
  await card(page, 'Goblin Captain').click();
  await decision(page).getByText('Only in combat').waitFor();
  await screenshot(page, 'mages-why-not', false);
  await drag(page, card(page, 'Goblin Raider'), card(page, 'Goblin Captain'));
  await log(page)
    .getByText(/You play Goblin Raider/)
    .waitFor();
});

test('hidden cards never reach the page, its storage or its connection', async () => {
  const { pages, id, tokens } = await startMatch(env, {
    ruleset: 'mages',
    places: ['human', 'human'],
    options: { mulligan: false },
  });
  const [ann, bob] = pages as [Page, Page];
  const received: string[] = [];
  ann.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => received.push(String(payload))));
  ann.on('response', (answer) => {
    if (answer.url().includes('/matches'))
      void answer.text().then(
        (text) => received.push(text),
        () => undefined,
      );
  });
  await ann.reload();
  await decision(ann).waitFor();
  await passUntil(pages, async () => (await bob.getByTitle('turn 2').count()) > 0);
  type Dealt = { players: { zones: { hand: { items?: { title: string }[] } } }[] };
  const titles = async (token: string, seat: number) =>
    (await viewOf<Dealt>(env, id, token)).players[seat]!.zones.hand.items!.map(({ title }) => title);
  const own = await titles(tokens[0]!, 0);
  const secret = (await titles(tokens[1]!, 1)).filter((title) => !own.includes(title));
  expect(secret.length).toBeGreaterThan(2);
  const stored = await ann.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  const everything = [await ann.content(), stored, ...received].join('\n');
  expect(received.join('')).toContain(own[0]);
  for (const title of secret) expect(everything).not.toContain(title);
});

test('a path is selected by pressing a square and extended step by step', async () => {
  const options = {
    order: 'listed',
    terrain: [
      { def: 'wall', x: 3, y: 1 },
      { def: 'rubble', x: 4, y: 3 },
    ],
    width: 8,
    height: 5,
    roster: [
      { def: 'rogue', seat: 0, x: 1, y: 2 },
      { def: 'fighter', seat: 0, x: 1, y: 4 },
      { def: 'ogre', seat: 1, x: 6, y: 2 },
      { def: 'ogre', seat: 1, x: 6, y: 4 },
    ],
  };
  const page = await startAlone(env, { ruleset: 'skirmish', options, places: ['human', 'greedy'] });
  await page.getByRole('button', { name: /^Walk/ }).click();
  await page.getByRole('button', { name: 'e3, selectable' }).click();
  await decision(page).getByText('3 steps').waitFor();
  await page.getByRole('button', { name: /^f2.*selectable/ }).click();
  await decision(page).getByText('4 steps').waitFor();
  await screenshot(page, 'skirmish-way', false);
  await decision(page).getByRole('button', { name: 'Back' }).click();
  await decision(page).getByText('3 steps').waitFor();
  await decision(page).getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('button', { name: /^e3, Rogue/ }).waitFor();
  await log(page)
    .getByText(/Rogue steps to e3/)
    .waitFor();
  await page.getByRole('button', { name: /^Shoot/ }).click();
  await page
    .getByRole('button', { name: /Ogre.*selectable/ })
    .first()
    .hover();
  await screenshot(page, 'skirmish-aim', false);
});

test('a card is picked from a draft pack on a phone', async () => {
  const page = await startAlone(
    env,
    { ruleset: 'draft', places: ['human', 'random', 'random'], options: { rounds: 1 } },
    PHONE,
  );
  const first = page.getByRole('button', { name: /selectable$/ }).first();
  const name = (await first.textContent())!.trim().split(',')[0]!;
  await first.tap();
  await page
    .getByRole('group', { name: /^Your picks, 1/ })
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .waitFor();
  await screenshot(page, 'draft-phone-picked', false);
});

test('one of several effects of a card is chosen', async () => {
  const options = { opening: 0, boards: [['menhir'], ['bonfire']], hands: [['quarry', 'tanning'], []] };
  const page = await startAlone(env, { ruleset: 'dogma', options, places: ['human', 'random'] });
  await decision(page).getByRole('heading', { name: 'Your action' }).waitFor();
  await card(page, 'Menhir').click();
  await decision(page)
    .getByRole('button', { name: /^Use Menhir/ })
    .click();
  await decision(page).getByRole('heading', { name: 'What is the stone for?' }).waitFor();
  await expectUncutTexts(page);
  await screenshot(page, 'dogma-alternatives', false);
  await decision(page)
    .getByRole('button', { name: /^Draw a 2/ })
    .waitFor();
  await card(page, 'Quarry').click();
  await decision(page)
    .getByRole('button', { name: /^Score Quarry/ })
    .click();
  await log(page)
    .getByText(/You score Quarry/)
    .waitFor();
});
