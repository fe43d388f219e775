/** With animations on: things move, and nothing goes wrong while they do. */
import { expect, test } from 'vitest';

import { decision, pressOn, sit, sitAlone } from './hands.ts';
import { DESK, isAccessible, picture, world } from './world.ts';

const here = world();

test('cards fly from hand to table, unless somebody wants them to hold still', async () => {
  const options = { opening: 5, mana: 8, mulligan: false };
  const page = await sitAlone(
    here,
    { ruleset: 'mages', options, places: ['human', 'random'] },
    { ...DESK, reducedMotion: 'no-preference' },
  );
  await decision(page).waitFor();
  const count = () =>
    page.evaluate(() => {
      const counted = globalThis as unknown as { flown: number };
      counted.flown = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...given) {
        counted.flown += 1;
        return animate.apply(this, given);
      };
    });
  const flown = () => page.evaluate(() => (globalThis as unknown as { flown: number }).flown);
  await count();
  await pressOn(page, 30, 11);
  expect(await flown()).toBeGreaterThan(0);
  await page.getByText('Menu', { exact: true }).click();
  await page.getByLabel('No animations').check();
  await picture(page, 'mages-menu', false);
  await page.getByText('Menu', { exact: true }).click();
  await page.waitForTimeout(600);
  await count();
  await pressOn(page, 30, 5);
  expect(await flown()).toBe(0);
});

test('what goes into a hidden pile is seen going there, and is gone then', async () => {
  const page = await sitAlone(
    here,
    { ruleset: 'mages', options: { opening: 4 }, places: ['human', 'random'] },
    { ...DESK, reducedMotion: 'no-preference' },
  );
  await page.getByRole('group', { name: 'Hand, 4' }).waitFor();
  await page.evaluate(() => {
    const seen = globalThis as unknown as { vanished: string[] };
    seen.vanished = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof HTMLElement && node.matches('.vanishing')) seen.vanished.push(node.textContent ?? '');
    }).observe(document.body, { childList: true });
  });
  await decision(page).getByRole('button', { name: 'Yes' }).click();
  await page.getByRole('group', { name: 'Hand, 3' }).waitFor();
  const vanished = await page.evaluate(() => (globalThis as unknown as { vanished: string[] }).vanished);
  expect(vanished.length).toBe(4);
  await expect.poll(() => page.locator('.vanishing').count()).toBe(0);
});

test('pointing at a card for a moment shows all of it', async () => {
  const options = { opening: 0, mana: 3, fields: [['captain'], ['bat']], hands: [['bolt'], []] };
  const page = await sitAlone(here, { ruleset: 'mages', options, places: ['human', 'random'] });
  await page.getByRole('button', { name: /^Night Bat/ }).hover();
  const detail = page.getByRole('tooltip');
  await detail.getByText('Guards do not stop it, and only flyers can attack it.').waitFor();
  await picture(page, 'mages-detail', false);
  await page.keyboard.press('Escape');
  await page.mouse.move(5, 5);
  await detail.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Goblin Captain/ }).focus();
  await page.keyboard.press('ArrowUp');
  await detail.waitFor();
});

test('a value that something has changed is marked, and the card tells by what', async () => {
  const options = { opening: 0, fields: [['captain', 'raider', 'drummer'], ['bat']], hands: [['bomber'], []] };
  const page = await sitAlone(here, { ruleset: 'mages', options, places: ['human', 'random'] });
  const raider = page.getByRole('button', { name: /^Goblin Raider.*power 3 instead of 2/ });
  expect(await raider.locator('.strength').textContent()).toContain('3▲');
  const bomber = page.getByRole('button', { name: /^Goblin Bomber, costs 1 instead of 2/ });
  expect(await bomber.locator('.cost').textContent()).toContain('1▼');
  expect(await page.getByRole('button', { name: /^Night Bat/ }).textContent()).not.toMatch(/[▲▼]|instead/);
  await raider.hover();
  const detail = page.getByRole('tooltip');
  await detail.getByText('2, +1 by Goblin Captain').waitFor();
  await picture(page, 'mages-modified', false);
  await isAccessible(page);
  await page.keyboard.press('Escape');
  await bomber.hover();
  await detail.getByText('2, −1 by Goblin Drummer').waitFor();
});

test('lessons are told to whoever wants to learn', async () => {
  const page = await sitAlone(here, { ruleset: 'mages', options: { mulligan: false }, places: ['human', 'random'] });
  await decision(page).waitFor();
  await page.getByText('Menu', { exact: true }).click();
  await page.getByRole('button', { name: 'Teach me' }).click();
  await decision(page)
    .getByText(/Play a creature from your hand/)
    .waitFor();
  await page.getByText('Menu', { exact: true }).click();
  await picture(page, 'mages-lesson', false);
});

test('one may take back what one did', async () => {
  const page = await sitAlone(here, {
    ruleset: 'dogma',
    // It is still one's turn afterwards: nothing of the bot's comes to light.
    options: { opening: 0, actions: 4, boards: [['menhir'], ['bonfire']], hands: [['quarry', 'tanning'], []] },
    places: ['human', 'random'],
  });
  await page.getByRole('button', { name: /^Quarry/ }).click();
  await decision(page)
    .getByRole('button', { name: /^Lay a card/ })
    .click();
  await page
    .getByRole('group', { name: /^Board, 2/ })
    .first()
    .waitFor();
  await page.getByText('Menu', { exact: true }).click();
  await page.getByRole('button', { name: 'Take back' }).click();
  await page
    .getByRole('group', { name: /^Board, 1/ })
    .first()
    .waitFor();
});

test('where something has come to light the others are asked before it is taken back', async () => {
  const options = { opening: 0, boards: [['menhir'], ['bonfire']], hands: [['quarry'], ['tanning']] };
  const { pages } = await sit(here, { ruleset: 'dogma', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [(typeof pages)[0], (typeof pages)[0]];
  await decision(ann)
    .getByRole('button', { name: /^Draw a card/ })
    .click();
  await ann.getByRole('group', { name: 'Hand, 2' }).waitFor();
  await ann.getByText('Menu', { exact: true }).click();
  await ann.getByRole('button', { name: 'Take back' }).click();
  await bob.getByRole('alert').getByText('would like to take back').waitFor();
  await picture(bob, 'dogma-consent', false);
  await bob.getByRole('button', { name: 'Allow' }).click();
  await ann.getByRole('group', { name: 'Hand, 1' }).waitFor();
});

test('who looks on sees what all may see, and is asked nothing', async () => {
  await sit(here, {
    ruleset: 'mages',
    places: ['human', 'random'],
    options: { mulligan: false },
    isPublic: true,
  });
  const page = await here.person(DESK, '#/lobby');
  await page.getByRole('region', { name: 'Look on' }).getByRole('link').click();
  await page.getByText('You are looking on.').waitFor();
  expect(await page.locator('.card').count()).toBe(0);
  await picture(page, 'mages-looking-on', false);
});
