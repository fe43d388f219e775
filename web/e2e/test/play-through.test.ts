/** Every game from its card on the home page to the result and a rematch, with the keyboard alone and by touch alone. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { startAlone, type MatchSetup } from '../support/match-actions.ts';
import { PHONE, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const GAMES: Record<string, MatchSetup> = {
  orcain: { ruleset: 'orcain', places: ['human', 'greedy'] },
  mages: { ruleset: 'mages', options: { life: 6, mana: 3, mulligan: false }, places: ['human', 'greedy'] },
  skirmish: {
    ruleset: 'skirmish',
    options: {
      rounds: 5,
      roster: [
        { def: 'fighter', seat: 0, x: 4, y: 4 },
        { def: 'goblin', seat: 1, x: 6, y: 4 },
      ],
    },
    places: ['human', 'greedy'],
  },
  draft: {
    ruleset: 'draft',
    options: { rounds: 1, pack_size: 4, programme: 3 },
    places: ['human', 'greedy', 'greedy', 'greedy'],
  },
  dogma: { ruleset: 'dogma', options: { target: 1, rounds: 4 }, places: ['human', 'greedy', 'greedy'] },
};
const MAX_MS = 75_000;
/** Longer than a question that needs no press stays. */
const PATIENCE_MS = 1500;

interface Step {
  isOver: boolean;
  isAsked: boolean;
  /** The only answer is to go on, and there is nothing to read. */
  isIdle: boolean;
  /** What the question says. */
  words: string;
  hasMain: boolean;
  isFocused: boolean;
  /** Where something can be tapped: on marked things, choices and buttons that go on. */
  targets: { x: number; y: number; isMain: boolean }[];
}

/** Returns what a player sees and could do now. */
const look = (page: Page): Promise<Step> =>
  page.evaluate(() => {
    /** In the middle of it, or near its upper edge if something lies on it. */
    const visiblePoint = (node: Element) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      const points = [
        { x: x + width / 2, y: y + height / 2 },
        { x: x + width / 2, y: y + 12 },
      ];
      return points.find(({ x, y }) => {
        const at = document.elementFromPoint(x, y);
        return width > 0 && at !== null && (node.contains(at) || at.contains(node));
      });
    };
    const all = (selector: string) => [...document.querySelectorAll<HTMLButtonElement>(selector)];
    const table = document.querySelector('[aria-label="Table"]');
    const marked = all('[data-focus-stop].selectable:not(.picked)');
    const choices = all('[data-choice]:not([aria-pressed="true"])').filter((one) => !one.disabled);
    const ends = all('.ends button').filter((one) => !one.disabled);
    const mains = ends.some((one) => one.dataset['main'] !== undefined)
      ? ends.filter((one) => one.dataset['main'] !== undefined)
      : ends;
    const hasLesson = document.querySelector('.lesson') !== null;
    const isAsked = document.querySelector('[aria-label="Your decision"]') !== null;
    return {
      isOver: document.querySelector('[aria-label="Result"]') !== null,
      isAsked,
      isIdle: isAsked && !hasLesson && marked.length === 0 && choices.length === 0 && mains.length > 0,
      words: document.querySelector('.question')?.textContent.trim() ?? '',
      hasMain: mains.length > 0,
      isFocused: document.activeElement?.matches('.selectable:not(.picked), [data-choice]') ?? false,
      targets: [
        ...[...marked, ...choices].filter((node) => table?.contains(node)).map((node) => ({ node, isMain: false })),
        ...mains.map((node) => ({ node, isMain: true })),
      ].flatMap(({ node, isMain }) => {
        const point = visiblePoint(node);
        return point ? [{ ...point, isMain }] : [];
      }),
    };
  });

/** The settings of a new visitor, except that nothing is played out slowly. */
async function hurry(page: Page): Promise<void> {
  await page.evaluate(() => {
    localStorage.setItem('intermezzo.speed', 'none');
    localStorage.setItem('intermezzo.taught', '*');
    localStorage.removeItem('intermezzo.skip');
  });
  await page.reload();
}

function randomness(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];

/** Plays until the result appears. Returns how many presses answered, and how many of them could do nothing but go on. */
async function play(
  page: Page,
  act: (step: Step, random: (below: number) => number) => Promise<boolean>,
): Promise<{ all: number; idle: string[] }> {
  const random = randomness(11);
  const presses = { all: 0, idle: [] as string[] };
  const end = Date.now() + MAX_MS;
  const match = page.url();
  let askedSince = Date.now();
  while (Date.now() < end) {
    // A press meant for the table can hit the result, which appears in this moment.
    if (page.url() !== match) await page.goto(match);
    const step = await look(page);
    if (step.isOver) return presses;
    if (!step.isIdle) askedSince = Date.now();
    const mustWait = !step.isAsked || (step.isIdle && Date.now() - askedSince < PATIENCE_MS);
    if (!mustWait && (await act(step, random))) {
      presses.all += 1;
      if (step.isIdle) presses.idle.push(step.words);
    } else await page.waitForTimeout(15);
  }
  throw new Error('the match did not end');
}

/** Presses Enter on what has the focus, a digit, or Space, after moving about. */
async function pressKeys(page: Page, { isFocused, hasMain, targets }: Step, random: (below: number) => number) {
  const isAlone = targets.every(({ isMain }) => isMain);
  if (hasMain && (isAlone || random(4) === 0)) await page.keyboard.press(' ');
  else if (isFocused) await page.keyboard.press(random(3) === 0 ? ' ' : 'Enter');
  else {
    if (random(5) === 0) await page.keyboard.press(String(1 + random(4)));
    await page.keyboard.press(ARROWS[random(4)]!);
    return false;
  }
  return true;
}

async function tap(page: Page, { targets }: Step, random: (below: number) => number) {
  const things = targets.filter(({ isMain }) => !isMain);
  const mains = targets.filter(({ isMain }) => isMain);
  const from = things.length === 0 || (mains.length > 0 && random(4) === 0) ? mains : things;
  const target = from[random(from.length)];
  if (target) await page.touchscreen.tap(target.x, target.y);
  return target !== undefined;
}

const STILL = { reducedMotion: 'no-preference' } as const;

test.each(Object.keys(GAMES))('%s with the keyboard alone, up to a rematch', { timeout: 90_000 }, async (name) => {
  const page = await startAlone(env, GAMES[name]!, { viewport: { width: 1280, height: 720 }, ...STILL });
  await hurry(page);
  await page.getByRole('region', { name: 'Table' }).waitFor();
  const { all, idle } = await play(page, (step, random) => pressKeys(page, step, random));
  expect(idle.length, `of ${all} presses: ${idle.join(' | ')}`).toBeLessThanOrEqual(2 + all / 10);
  const match = page.url();
  await page.keyboard.press(' ');
  await expect.poll(() => page.url()).not.toBe(match);
});

test.each(Object.keys(GAMES))('%s by touch alone, up to a rematch', { timeout: 90_000 }, async (name) => {
  const page = await startAlone(env, GAMES[name]!, { ...PHONE, ...STILL });
  await hurry(page);
  await page.getByRole('region', { name: 'Table' }).waitFor();
  const { all, idle } = await play(page, (step, random) => tap(page, step, random));
  expect(idle.length, `of ${all} presses: ${idle.join(' | ')}`).toBeLessThanOrEqual(2 + all / 10);
  const match = page.url();
  await page.getByRole('button', { name: /^Rematch/ }).tap();
  await expect.poll(() => page.url()).not.toBe(match);
});

test('from the home page to a match and its result with the keyboard alone', { timeout: 60_000 }, async () => {
  const page = await env.openPage({ viewport: { width: 1280, height: 720 }, ...STILL });
  await hurry(page);
  const play1 = page.getByRole('button', { name: /^Play Orcain/ });
  for (let tabs = 0; tabs < 30 && !(await play1.evaluate((node) => node === document.activeElement)); tabs += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Table' }).waitFor();
  await play(page, (step, random) => pressKeys(page, step, random));
});
