/** Stories at the table: what people do with their hands, one game at a time. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { decision, log, pass, pressThing, sit, sitAlone, viewOf } from './hands.ts';
import { isAccessible, PHONE, picture, textsAreWhole, world } from './world.ts';

const here = world();

async function drag(page: Page, what: Locator, onto: Locator): Promise<void> {
  const [from, to] = [(await what.boundingBox())!, (await onto.boundingBox())!];
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 6 });
  await page.mouse.up();
}

const card = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).first();
const slot = (page: Page, number: number) => page.getByRole('button', { name: new RegExp(`^Slot ${number}`) });

test('cards are dragged into slots, kept as a draft, and revealed step by step', async () => {
  const page = await sitAlone(here, { ruleset: 'orcain', options: { prep_ms: 120_000 }, places: ['human', 'random'] });
  await drag(page, card(page, 'Counter'), slot(page, 3));
  await slot(page, 3).filter({ hasText: 'Counter' }).waitFor();
  await drag(page, card(page, 'Attack'), slot(page, 1));
  await drag(page, slot(page, 3), slot(page, 2));
  await slot(page, 2).filter({ hasText: 'Counter' }).waitFor();
  await card(page, 'Heal').click();
  await slot(page, 3).filter({ hasText: 'Heal' }).waitFor();
  await decision(page)
    .getByText(/Kept as your draft.*Attack, Counter, Heal/)
    .waitFor();
  await picture(page, 'orcain-slots', false);
  await decision(page).getByRole('button', { name: 'Done' }).click();
  const shown = page.getByRole('group', { name: 'Just now' });
  await shown.getByText('Counter').first().waitFor();
  await picture(page, 'orcain-revealed', false);
  await log(page)
    .getByText(/^Step 1/)
    .first()
    .waitFor();
});

test('the keyboard alone plays a round', async () => {
  const page = await sitAlone(here, { ruleset: 'orcain', options: { prep_ms: 120_000 }, places: ['human', 'random'] });
  await card(page, 'Attack').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await slot(page, 1).filter({ hasText: 'Attack' }).waitFor();
  await slot(page, 2).filter({ hasText: 'Heal' }).waitFor();
  await decision(page).getByRole('button', { name: 'Done' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Just now' }).waitFor();
  // The next question has the focus where it is answered.
  await page.locator('[data-thing].can:focus').waitFor();
});

/** Passes for everybody until something is there. */
async function passUntil(pages: Page[], isThere: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await isThere()) return;
    for (const page of pages)
      if (
        await pass(page)
          .isEnabled({ timeout: 50 })
          .catch(() => false)
      )
        await pass(page).click();
    await pages[0]!.waitForTimeout(30);
  }
  throw new Error('it did not come to that');
}

test('a spell is answered by another, which lies above it and happens first', async () => {
  const options = { opening: 0, mana: 5, hands: [['bolt', 'echo'], ['refusal']], fields: [['raider'], ['bat']] };
  const { pages } = await sit(here, { ruleset: 'mages', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  await decision(ann).waitFor();
  await passUntil(
    pages,
    async () => (await ann.getByTitle('turn 3').count()) > 0 && (await card(ann, 'Bolt.*can be chosen').count()) > 0,
  );
  await card(ann, 'Bolt').click();
  await decision(ann)
    .getByText(/Cast Bolt: choose victim/)
    .waitFor();
  await picture(ann, 'mages-aiming', false);
  const foe = (await bob.locator('.player.own .name').textContent())!;
  await pressThing(ann, new RegExp(`^${foe}`));
  await pass(ann).click();
  await decision(bob).getByRole('heading', { name: 'Answer, or let it happen' }).waitFor();
  await card(bob, 'Refusal').click();
  await bob
    .getByRole('region', { name: /^Stack/ })
    .getByRole('button', { name: /Cast Bolt/ })
    .click();
  const stack = ann.getByRole('region', { name: 'Stack, 2 waiting' });
  await stack.waitFor();
  const items = await stack.getByRole('listitem').allTextContents();
  expect(items[0]).toContain('Cast Refusal');
  expect(items[0]).toContain('next');
  expect(items[1]).toContain(foe);
  // Lines lead from each item to what it is aimed at; the one that happens next is drawn through.
  await expect.poll(() => ann.locator('.aims .line').count()).toBe(2);
  expect(await ann.locator('.aims .next .line').count()).toBe(1);
  await isAccessible(ann);
  await picture(ann, 'mages-stack', false);
  await passUntil(pages, async () => (await ann.getByRole('region', { name: /^Stack/ }).count()) === 0);
  expect(await ann.locator('.aims').count()).toBe(0);
  await ann.getByRole('button', { name: new RegExp(`^${foe}.*life 20`) }).waitFor();
});

test('a creature is dragged onto the battlefield, and one that cannot act says why', async () => {
  const options = { opening: 0, mana: 5, hands: [['raider', 'drake'], []], fields: [['captain'], []] };
  const page = await sitAlone(here, { ruleset: 'mages', options, places: ['human', 'random'] });
  await decision(page).waitFor();
  await card(page, 'Goblin Captain').click();
  await decision(page).getByText('Only in combat').waitFor();
  await picture(page, 'mages-why-not', false);
  await drag(page, card(page, 'Goblin Raider'), card(page, 'Goblin Captain'));
  await log(page)
    .getByText(/announces Play Goblin Raider/)
    .waitFor();
});

test('nothing of another hand is in the page, in its storage or on its wire', async () => {
  const { pages, id, tokens } = await sit(here, {
    ruleset: 'mages',
    places: ['human', 'human'],
    options: { mulligan: false },
  });
  const [ann, bob] = pages as [Page, Page];
  const heard: string[] = [];
  ann.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => heard.push(String(payload))));
  ann.on('response', (answer) => {
    if (answer.url().includes('/matches'))
      void answer.text().then(
        (text) => heard.push(text),
        () => undefined,
      );
  });
  await ann.reload();
  await decision(ann).waitFor();
  await passUntil(pages, async () => (await bob.getByTitle('turn 2').count()) > 0);
  type Dealt = { players: { zones: { hand: { items?: { title: string }[] } } }[] };
  const titles = async (token: string, seat: number) =>
    (await viewOf<Dealt>(here, id, token)).players[seat]!.zones.hand.items!.map(({ title }) => title);
  const own = await titles(tokens[0]!, 0);
  const secret = (await titles(tokens[1]!, 1)).filter((title) => !own.includes(title));
  expect(secret.length).toBeGreaterThan(2);
  const stored = await ann.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  const everything = [await ann.content(), stored, ...heard].join('\n');
  expect(heard.join('')).toContain(own[0]);
  for (const title of secret) expect(everything).not.toContain(title);
});

test('one walks over the field, square by square, to where one pressed', async () => {
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
    ],
  };
  const page = await sitAlone(here, { ruleset: 'skirmish', options, places: ['human', 'greedy'] });
  await decision(page).getByRole('button', { name: /^Walk/ }).click();
  await page.getByRole('button', { name: 'e3, can be chosen' }).click();
  await decision(page).getByText('3 steps').waitFor();
  await page.getByRole('button', { name: /^f2.*can be chosen/ }).click();
  await decision(page).getByText('4 steps').waitFor();
  await picture(page, 'skirmish-way', false);
  await decision(page).getByRole('button', { name: 'Back' }).click();
  await decision(page).getByText('3 steps').waitFor();
  await decision(page).getByRole('button', { name: 'Go' }).click();
  await page.getByRole('button', { name: /^e3, Rogue/ }).waitFor();
  await log(page)
    .getByText(/Rogue steps to e3/)
    .waitFor();
  await decision(page)
    .getByRole('button', { name: /^Shoot/ })
    .click();
  await page.getByRole('button', { name: /Ogre.*can be chosen/ }).hover();
  await picture(page, 'skirmish-aim', false);
});

test('one picks from a pack on a phone; the rest goes on', async () => {
  const page = await sitAlone(
    here,
    { ruleset: 'draft', places: ['human', 'random', 'random'], options: { rounds: 1 } },
    PHONE,
  );
  const first = page.getByRole('button', { name: /can be chosen$/ }).first();
  const name = (await first.textContent())!.trim().split(',')[0]!;
  await first.tap();
  await page
    .getByRole('group', { name: /^Picks, 1/ })
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .waitFor();
  await picture(page, 'draft-phone-picked', false);
});

test('an alternative within a card is chosen: what is the stone for?', async () => {
  const options = { opening: 0, boards: [['menhir'], ['bonfire']], hands: [['quarry', 'tanning'], []] };
  const page = await sitAlone(here, { ruleset: 'dogma', options, places: ['human', 'random'] });
  await decision(page).getByRole('heading', { name: 'Your action' }).waitFor();
  await card(page, 'Menhir').click();
  await decision(page)
    .getByRole('button', { name: /^Use a card/ })
    .click();
  await decision(page).getByRole('heading', { name: 'What is the stone for?' }).waitFor();
  await textsAreWhole(page);
  await picture(page, 'dogma-alternatives', false);
  await decision(page)
    .getByRole('button', { name: /^Draw a 2/ })
    .waitFor();
  await card(page, 'Quarry').click();
  await decision(page)
    .getByRole('button', { name: /^Score a card/ })
    .click();
  await log(page)
    .getByText(/scores Quarry/)
    .waitFor();
});
