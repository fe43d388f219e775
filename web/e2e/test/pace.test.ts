/** The pace of the table: events one by one, questions that need no press, signals and sound. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { decision, log, pass, startAlone, startMatch, type MatchSetup } from '../support/match-actions.ts';
import { DESKTOP, expectAccessible, screenshot, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const MOVING = { ...DESKTOP, reducedMotion: 'no-preference' } as const;

/** Changes settings of the page and loads it again. */
async function withSettings(page: Page, settings: Record<string, string>): Promise<void> {
  await page.evaluate((all) => {
    for (const [name, value] of Object.entries(all)) localStorage.setItem(`intermezzo.${name}`, value);
  }, settings);
  await page.reload();
  await decision(page).waitFor();
}

const card = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).first();
const playing = (page: Page) => page.getByRole('region', { name: 'What is happening' });
const DUEL: MatchSetup = { ruleset: 'orcain', options: { prep_ms: 120_000 }, places: ['human', 'greedy'] };

async function layOut(page: Page): Promise<void> {
  for (const name of ['Attack', 'Heal', 'Counter']) await card(page, name).click();
  await decision(page)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .click();
}

test('events are shown one by one, and the question follows', async () => {
  const page = await startAlone(env, DUEL, MOVING);
  await withSettings(page, { taught: '*' });
  const seen = page.evaluate(
    () =>
      new Promise<{ lines: number[]; early: number }>((resolve) => {
        const found = { lines: [] as number[], early: 0 };
        const observer = new MutationObserver((changes) => {
          const told = document.querySelectorAll('[aria-label="Log"] li:not(.heading)').length;
          const isAsked = document.querySelector('[aria-label="Your decision"]') !== null;
          const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
          if (added.some((node) => node instanceof Element && node.matches('[aria-label="Log"] li:not(.heading)')))
            found.lines.push(performance.now());
          if (isAsked && told > 0 && told < 3) found.early += 1;
          if (isAsked && told >= 3) {
            observer.disconnect();
            resolve(found);
          }
        });
        observer.observe(document.body, { childList: true, subtree: true });
      }),
  );
  await layOut(page);
  await playing(page).getByRole('button', { name: 'Next' }).waitFor();
  await screenshot(page, 'orcain-playing', false);
  const { lines, early } = await seen;
  await expectAccessible(page);
  expect(early).toBe(0);
  // Three pairs take more than a second, but no more than six.
  const took = lines.at(-1)! - lines[0]!;
  expect(took).toBeGreaterThan(1000);
  expect(took).toBeLessThan(6500);
});

test('Space shows the next moment, S the rest', async () => {
  const page = await startAlone(env, DUEL, MOVING);
  await withSettings(page, { taught: '*' });
  await layOut(page);
  await playing(page).waitFor();
  await page.keyboard.press(' ');
  await page.keyboard.press(' ');
  await log(page)
    .getByText(/^Step 1/)
    .waitFor({ timeout: 1000 });
  await page.keyboard.press('s');
  await decision(page).waitFor({ timeout: 1000 });
  expect(
    await log(page)
      .getByText(/^Step 3/)
      .count(),
  ).toBe(1);
});

test('without motion every line still has its moment', async () => {
  const page = await startAlone(env, DUEL);
  await withSettings(page, { speed: 'calm' });
  await layOut(page);
  await playing(page).waitFor();
  expect(await page.locator('.burst, .vanishing').count()).toBe(0);
  await decision(page).waitFor();
  await log(page)
    .getByText(/^Step 3/)
    .waitFor();
});

const EMPTY_HANDS: MatchSetup = {
  ruleset: 'mages',
  options: { opening: 0, mulligan: false, hands: [[], []], decks: [['bolt'], ['bolt']], fields: [[], []] },
  places: ['human', 'random'],
};

test('questions without an answer are passed after a moment, unless that is switched off', async () => {
  const { decks: _, ...options } = EMPTY_HANDS.options!;
  const page = await startAlone(env, { ...EMPTY_HANDS, options: { ...options, mana: 0 } });
  const skip = decision(page).getByRole('switch', { name: 'Skip when I cannot answer' });
  await skip.waitFor();
  expect(await skip.isChecked()).toBe(false);
  const before = await decision(page).getByRole('heading').textContent();
  await page.waitForTimeout(1100);
  expect(await decision(page).getByRole('heading').textContent()).toBe(before);
  await skip.check();
  await page.getByTitle(/^turn [2-9]/).waitFor();
});

test('one is not asked about one’s own spell, and can wait', async () => {
  const options = {
    opening: 0,
    mana: 5,
    mulligan: false,
    hands: [['bolt', 'echo'], []],
    fields: [['raider'], ['bat']],
  };
  const page = await startAlone(env, { ruleset: 'mages', options, places: ['human', 'random'] });
  await withSettings(page, { skip: 'on' });
  await card(page, 'Bolt').click();
  await page.locator('.card.foe', { hasText: 'Night Bat' }).click();
  await decision(page).getByRole('button', { name: 'Wait' }).click();
  await decision(page).getByRole('button', { name: 'Let Bolt happen' }).waitFor();
  await page.waitForTimeout(1000);
  await page.getByRole('region', { name: /^Stack/ }).waitFor();
  await screenshot(page, 'mages-own-spell', false);
  await decision(page).getByText('Stops').click();
  await decision(page).getByLabel('Stop in Combat, turns of others').check();
  await expectAccessible(page);
  await page.reload();
  await decision(page).waitFor();
  // The page knows nothing of what was held before it was loaded again.
  await page.getByRole('region', { name: /^Stack/ }).waitFor({ state: 'detached' });
});

test('the title and the icon show whose turn it is', async () => {
  const { pages } = await startMatch(env, {
    ruleset: 'mages',
    options: { mulligan: false },
    places: ['human', 'human'],
  });
  const [ann, bob] = pages as [Page, Page];
  await decision(ann).waitFor();
  await expect.poll(() => ann.title()).toMatch(/^● Your turn/);
  expect(await bob.title()).not.toMatch(/Your turn/);
  expect(await ann.locator('link[rel="icon"]').getAttribute('href')).toMatch(/^data:image\/svg/);
  for (let passes = 0; passes < 8 && (await decision(bob).count()) === 0; passes += 1) {
    await pass(ann)
      .click({ timeout: 1000 })
      .catch(() => undefined);
    await ann.waitForTimeout(60);
  }
  await expect.poll(() => bob.title()).toMatch(/^● Your turn/);
});

test('events have sounds, which one press turns off', async () => {
  const page = await startAlone(env, DUEL, MOVING);
  await withSettings(page, { taught: '*', speed: 'quick' });
  await page.evaluate(() => {
    const counter = globalThis as unknown as { sounds: number };
    counter.sounds = 0;
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...given) {
      counter.sounds += 1;
      return start.apply(this, given);
    };
  });
  const sounds = () => page.evaluate(() => (globalThis as unknown as { sounds: number }).sounds);
  await layOut(page);
  await playing(page).waitFor();
  await decision(page).waitFor();
  const heard = await sounds();
  expect(heard).toBeGreaterThan(3);
  const control = page.getByRole('button', { name: 'Sound' });
  await control.click();
  expect(await control.getAttribute('aria-pressed')).toBe('false');
  await layOut(page);
  await playing(page).waitFor();
  await page.keyboard.press('s');
  expect(await sounds()).toBe(heard);
  expect(await page.evaluate(() => localStorage.getItem('intermezzo.mute'))).toBe('yes');
});

test('the tutorial is on in one’s first match of a game', async () => {
  const page = await startAlone(env, { ruleset: 'mages', options: { mulligan: false }, places: ['human', 'random'] });
  await withSettings(page, { taught: '' });
  await decision(page)
    .getByText(/Play a creature from your hand/)
    .waitFor();
  await page.locator('summary', { hasText: 'Menu' }).click();
  await page.getByRole('button', { name: 'Tutorial is on' }).waitFor();
});

test('the result tells the reason and the change of the rating', async () => {
  const setup: MatchSetup = {
    ruleset: 'mages',
    options: { mulligan: false },
    places: ['human', 'human'],
    isPublic: true,
  };
  const { pages } = await startMatch(env, setup);
  const [ann, bob] = pages as [Page, Page];
  await ann.locator('summary', { hasText: 'Menu' }).click();
  await ann.getByRole('button', { name: 'Concede …' }).click();
  await ann.getByRole('button', { name: 'Concede', exact: true }).click();
  const result = bob.getByRole('region', { name: 'Result' });
  await result.getByText(/gave up\.$/).waitFor();
  await result.getByText('Your rating in Duel of Mages').waitFor();
  await result.getByText(/^\+\d+$/).waitFor();
  await expectAccessible(bob);
  await screenshot(bob, 'mages-result', false);
  // Rematch has the focus.
  await bob.keyboard.press(' ');
  await ann.getByText(/wants to play again/).waitFor();
});
