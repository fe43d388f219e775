/** What players expect of every table: keys work at once, nothing is told before it is seen, marked targets accept. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { decision, log, startAlone, startMatch, type MatchSetup } from '../support/match-actions.ts';
import { DESKTOP, PHONE, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const MOVING = { ...DESKTOP, reducedMotion: 'no-preference' } as const;

const card = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).first();
const slot = (page: Page, number: number) => page.getByRole('button', { name: new RegExp(`^Slot ${number}`) });
const menu = (page: Page) => page.locator('summary', { hasText: 'Menu' });

async function middle(of: Locator): Promise<{ x: number; y: number }> {
  const box = (await of.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test('the keyboard plays right after entering a match', async () => {
  const page = await env.openPage();
  const play = page.getByRole('button', { name: /^Play Orcain/ });
  await play.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await slot(page, 1).and(page.locator('.filled')).waitFor();
});

test('a match against a bot has no clock', async () => {
  const page = await startAlone(env, { ruleset: 'orcain', options: { prep_ms: 1000 }, places: ['human', 'random'] });
  await card(page, 'Attack').click();
  await page.waitForTimeout(2500);
  await slot(page, 1).filter({ hasText: 'Attack' }).waitFor();
  expect(await page.getByRole('timer').count()).toBe(0);
});

test('the log, the counters and the result wait until the cards are revealed', async () => {
  const options = { rounds: 1, prep_ms: 120_000 };
  const page = await startAlone(env, { ruleset: 'orcain', options, places: ['human', 'greedy'] }, MOVING);
  for (const name of ['Attack', 'Heal', 'Counter']) await card(page, name).click();
  const isEarly = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const early: string[] = [];
        let pairs = 0;
        const watch = () => {
          const turned = document.querySelectorAll('.reveal:not(.hidden)').length;
          const told = document.querySelector('[aria-label="Log"]')!.textContent!;
          // A pair is not told when it appears, and neither is what follows.
          if (turned > pairs && new RegExp(`Step ${turned}`).test(told)) early.push('log');
          if (turned > pairs && document.querySelector('[aria-label="Result"]')) early.push('result');
          if (turned > pairs + 1) early.push('pairs at once');
          // A name plate that turns edge-on is narrower than it is high.
          for (const one of document.querySelectorAll('.player'))
            if (one.getBoundingClientRect().width < 40) early.push('name plate');
          pairs = turned;
          if (early.length > 0 || (pairs === 3 && /Step 3/.test(told))) resolve(early);
          else requestAnimationFrame(watch);
        };
        watch();
      }),
  );
  await decision(page)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .click();
  expect(await isEarly).toEqual([]);
  await log(page)
    .getByText(/^Step 1/)
    .first()
    .waitFor();
});

const CREATURES: MatchSetup = {
  ruleset: 'mages',
  options: { opening: 0, mana: 5, hands: [['raider', 'bolt'], []], fields: [['captain'], ['bat']] },
  places: ['human', 'random'],
};

test('marked drop targets accept, and nothing else does', async () => {
  const page = await startAlone(env, CREATURES);
  await decision(page).waitFor();
  const [raider, foe, own] = [card(page, 'Goblin Raider'), card(page, 'Night Bat'), card(page, 'Goblin Captain')];
  const [from, onFoe, onOwn] = [await middle(raider), await middle(foe), await middle(own)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(onFoe.x, onFoe.y, { steps: 5 });
  const marked = () =>
    page.locator('.drop, .target').evaluateAll((all: HTMLElement[]) => all.map((one) => one.dataset['zone']));
  expect(await marked()).toEqual(['p0.battlefield']);
  await page.mouse.up();
  await page.waitForTimeout(300);
  expect(await page.getByRole('group', { name: 'Hand, 2' }).count()).toBe(1);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(onOwn.x, onOwn.y, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('group', { name: 'Hand, 1' }).waitFor();
});

test('the menu closes on Escape, on a click outside and on choosing', async () => {
  const page = await startAlone(env, CREATURES);
  const concede = page.getByRole('button', { name: 'Concede …' });
  await menu(page).click();
  await concede.waitFor();
  await page.keyboard.press('Escape');
  await concede.waitFor({ state: 'hidden' });
  await menu(page).click();
  await concede.waitFor();
  await page.mouse.click(300, 500);
  await concede.waitFor({ state: 'hidden' });
  await menu(page).click();
  await page.getByRole('button', { name: 'Start tutorial' }).click();
  await concede.waitFor({ state: 'hidden' });
});

test('a walk can be taken back before the first square', async () => {
  const options = {
    order: 'listed',
    width: 8,
    height: 5,
    roster: [
      { def: 'rogue', seat: 0, x: 1, y: 2 },
      { def: 'ogre', seat: 1, x: 6, y: 2 },
    ],
  };
  const page = await startAlone(env, { ruleset: 'skirmish', options, places: ['human', 'greedy'] });
  const walk = page.getByRole('button', { name: /^Walk/ });
  await walk.click();
  await decision(page).getByRole('button', { name: 'Back' }).click();
  await walk.waitFor();
});

test('tooltips keep the bookkeeping of the rules to themselves', async () => {
  const page = await startAlone(env, CREATURES);
  await card(page, 'Goblin Captain').hover();
  const detail = page.getByRole('tooltip');
  await detail.getByText('Goblin Captain').first().waitFor();
  expect(await detail.textContent()).not.toMatch(/arrived|-1/);
});

test('on a phone the line of an attack ends at the attacked creature', async () => {
  const options = { opening: 0, mana: 5, mulligan: false, hands: [[], []], fields: [['raider'], ['bones']] };
  const { pages } = await startMatch(env, { ruleset: 'mages', options, places: ['human', 'human'] }, PHONE);
  const [ann, bob] = pages as [Page, Page];
  const attack = ann.getByRole('region', { name: /^Stack/ }).getByRole('button', { name: /Attack/ });
  for (let tries = 0; tries < 60 && (await attack.count()) === 0; tries += 1) {
    const target = ann.locator('.player.selectable').first();
    const raider = ann.locator('.card.selectable', { hasText: 'Goblin Raider' }).first();
    if (await target.isVisible()) await target.tap();
    else if (await raider.isVisible()) await raider.tap();
    else
      for (const page of [ann, bob])
        await decision(page)
          .locator('.ends button')
          .last()
          .click({ timeout: 300 })
          .catch(() => undefined);
    await ann.waitForTimeout(60);
  }
  await attack.waitFor();
  const line = bob.locator('.target-lines .line').first();
  await line.waitFor({ state: 'attached' });
  await bob.waitForTimeout(800);
  const end = await line.evaluate((path: SVGPathElement) => {
    const { x, y } = path.getPointAtLength(path.getTotalLength());
    const { x: left, y: top } = path.ownerSVGElement!.getBoundingClientRect();
    return { x: x + left, y: y + top };
  });
  const panel = (await bob.locator('.player.own').boundingBox())!;
  expect(end.x).toBeGreaterThan(panel.x - 8);
  expect(end.x).toBeLessThan(panel.x + panel.width + 8);
  expect(end.y).toBeGreaterThan(panel.y - 8);
  expect(end.y).toBeLessThan(panel.y + panel.height + 8);
});
