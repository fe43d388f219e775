/** Animations, tooltips, modified values, tutorial, undo and spectators. */
import { expect, test } from 'vitest';

import { decision, pressRandomly, startAlone, startMatch } from '../support/match-actions.ts';
import { DESKTOP, expectAccessible, screenshot, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();

test('moves are animated unless animations are disabled', async () => {
  const options = { opening: 5, mana: 8, mulligan: false };
  const page = await startAlone(
    env,
    { ruleset: 'mages', options, places: ['human', 'random'] },
    { ...DESKTOP, reducedMotion: 'no-preference' },
  );
  await decision(page).waitFor();
  const count = () =>
    page.evaluate(() => {
      const counter = globalThis as unknown as { animated: number };
      counter.animated = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...given) {
        counter.animated += 1;
        return animate.apply(this, given);
      };
    });
  const animated = () => page.evaluate(() => (globalThis as unknown as { animated: number }).animated);
  await count();
  await pressRandomly(page, 8, 11);
  expect(await animated()).toBeGreaterThan(0);
  await page.locator('summary', { hasText: 'Menu' }).click();
  await page.getByLabel('Disable animations').check();
  await screenshot(page, 'mages-menu', false);
  await page.locator('summary', { hasText: 'Menu' }).click();
  await page.waitForTimeout(600);
  await count();
  await pressRandomly(page, 5, 5);
  expect(await animated()).toBe(0);
});

test('cards moving into a hidden pile are animated and then removed', async () => {
  const page = await startAlone(
    env,
    { ruleset: 'mages', options: { opening: 4 }, places: ['human', 'random'] },
    { ...DESKTOP, reducedMotion: 'no-preference' },
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
  await decision(page).getByRole('button', { name: 'Take a new hand' }).click();
  await page.getByRole('group', { name: 'Hand, 3' }).waitFor();
  const vanished = await page.evaluate(() => (globalThis as unknown as { vanished: string[] }).vanished);
  expect(vanished.length).toBe(4);
  await expect.poll(() => page.locator('.vanishing').count()).toBe(0);
});

test('hovering over a card shows its tooltip', async () => {
  const options = { opening: 0, mana: 3, fields: [['captain'], ['bat']], hands: [['bolt'], []] };
  const page = await startAlone(env, { ruleset: 'mages', options, places: ['human', 'random'] });
  await page.getByRole('button', { name: /^Night Bat/ }).hover();
  const detail = page.getByRole('tooltip');
  await detail.getByText('Guards do not stop it, and only flyers can attack it.').waitFor();
  await screenshot(page, 'mages-tooltip', false);
  await page.keyboard.press('Escape');
  await page.mouse.move(5, 5);
  await detail.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Goblin Captain/ }).focus();
  await page.keyboard.press('ArrowUp');
  await detail.waitFor();
});

test('modified values are marked and explained in the tooltip', async () => {
  const options = { opening: 0, fields: [['captain', 'raider', 'drummer'], ['bat']], hands: [['bomber'], []] };
  const page = await startAlone(env, { ruleset: 'mages', options, places: ['human', 'random'] });
  const raider = page.getByRole('button', { name: /^Goblin Raider.*power 3 instead of 2/ });
  expect(await raider.locator('.strength').textContent()).toContain('3▲');
  const bomber = page.getByRole('button', { name: /^Goblin Bomber, costs 1 instead of 2/ });
  expect(await bomber.locator('.cost').textContent()).toContain('1▼');
  expect(await page.getByRole('button', { name: /^Night Bat/ }).textContent()).not.toMatch(/[▲▼]|instead/);
  await raider.hover();
  const detail = page.getByRole('tooltip');
  await detail.getByText('2, +1 from Goblin Captain').waitFor();
  await screenshot(page, 'mages-modified', false);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await bomber.hover();
  await detail.getByText('2, −1 from Goblin Drummer').waitFor();
});

test('the tutorial shows hints', async () => {
  const page = await startAlone(env, { ruleset: 'mages', options: { mulligan: false }, places: ['human', 'random'] });
  await decision(page).waitFor();
  await page.locator('summary', { hasText: 'Menu' }).click();
  await page.getByRole('button', { name: 'Start tutorial' }).click();
  await decision(page)
    .getByText(/Play a creature from your hand/)
    .waitFor();
  await page.locator('summary', { hasText: 'Menu' }).click();
  await screenshot(page, 'mages-tutorial', false);
});

test('a player can undo a move', async () => {
  const page = await startAlone(env, {
    ruleset: 'dogma',
    // The turn continues afterwards, so the undo reveals nothing about the bot.
    options: { opening: 0, actions: 4, boards: [['menhir'], ['bonfire']], hands: [['quarry', 'tanning'], []] },
    places: ['human', 'random'],
  });
  await page.getByRole('button', { name: /^Quarry/ }).click();
  await decision(page)
    .getByRole('button', { name: /^Lay Quarry/ })
    .click();
  await page
    .getByRole('group', { name: /^Board, 2/ })
    .first()
    .waitFor();
  await page.locator('summary', { hasText: 'Menu' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page
    .getByRole('group', { name: /^Board, 1/ })
    .first()
    .waitFor();
});

test('undoing a move that revealed information needs consent', async () => {
  const options = { opening: 0, boards: [['menhir'], ['bonfire']], hands: [['quarry'], ['tanning']] };
  const { pages } = await startMatch(env, { ruleset: 'dogma', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [(typeof pages)[0], (typeof pages)[0]];
  await decision(ann)
    .getByRole('button', { name: /^Draw a card/ })
    .click();
  await ann.getByRole('group', { name: 'Hand, 2' }).waitFor();
  await ann.locator('summary', { hasText: 'Menu' }).click();
  await ann.getByRole('button', { name: 'Undo' }).click();
  await bob.getByRole('alert').getByText('wants to undo their last move').waitFor();
  await screenshot(bob, 'dogma-consent', false);
  await bob.getByRole('button', { name: 'Allow' }).click();
  await ann.getByRole('group', { name: 'Hand, 1' }).waitFor();
});

test('spectators see only public information and get no prompts', async () => {
  await startMatch(env, {
    ruleset: 'mages',
    places: ['human', 'random'],
    options: { mulligan: false },
    isPublic: true,
  });
  const page = await env.openPage(DESKTOP, '#/lobby');
  await page.getByRole('region', { name: 'Watch' }).getByRole('link').click();
  await page.getByText('You are watching this match.').waitFor();
  expect(await page.locator('.card').count()).toBe(0);
  await screenshot(page, 'mages-spectator', false);
});
