import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';

import { binaryPath, servePlayground } from '../../sdk/test/test-server.ts';
import { expectAccessible, screenshot, setupEnvironmentWith } from '../support/test-environment.ts';

const WIDE = { viewport: { width: 1440, height: 900 } };
const LAPTOP = { viewport: { width: 1024, height: 700 } };

let folder = '';
let rules = '';

const env = setupEnvironmentWith(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'playground-')), 'my-game');
  await promisify(execFile)(binaryPath(), ['new', folder]);
  rules = await readFile(join(folder, 'ruleset.yaml'), 'utf8');
  return servePlayground(folder);
});

beforeEach(async () => {
  await rm(join(folder, 'scenarios', 'recorded.yaml'), { force: true });
  await writeFile(join(folder, 'ruleset.yaml'), rules);
  // The match of the previous test is replayed under these rules before a page asks for it.
  await expect.poll(rulesetId).toBe('my-game');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function rulesetId(): Promise<string | undefined> {
  const info = (await (await fetch(`${env.url}/dev`)).json()) as { ruleset: { id: string } | null };
  return info.ruleset?.id;
}
const onDisk = () => readFile(join(folder, 'ruleset.yaml'), 'utf8');
const line = (page: Page, text: string): Locator => page.locator('.cm-line', { hasText: text });
const verdict = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: 'Problems' }).getByText(text).first();

async function open(how = WIDE): Promise<Page> {
  const page = await env.openPage(how, '#/playground');
  await line(page, 'id: my-game').waitFor();
  await verdict(page, 'No errors').waitFor();
  return page;
}

/** Starts a new match. */
async function startNewMatch(page: Page): Promise<void> {
  const facts = page.getByText(/^seed \d+ ·/);
  const before = await facts.textContent();
  await page.getByRole('button', { name: 'New match', exact: true }).click();
  await expect.poll(() => facts.textContent()).not.toBe(before);
}

/** Answers the prompts of the seats in turn with these amounts. */
async function add(page: Page, ...amounts: number[]): Promise<void> {
  for (const [turn, amount] of amounts.entries()) {
    const seat = page.getByRole('region', { name: `Seat ${(turn % 2) + 1}`, exact: true });
    await seat.getByRole('button', { name: String(amount), exact: true }).click();
    await page.getByText(new RegExp(`· ${turn + 1} inputs?`)).waitFor();
  }
}

/** Inserts a text before the last character of a line, scrolling to it first. */
async function insert(page: Page, at: Locator, text: string): Promise<void> {
  if ((await at.count()) === 0) {
    await page.locator('.cm-line').first().click();
    await page.keyboard.press('Control+End');
  }
  await at.click();
  // The first press goes to the end of the visual line, the second to the end of the whole line.
  await page.keyboard.press('End');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(text);
  await page.keyboard.press('Escape');
}

test('errors are shown at their position while typing and disappear when fixed', async () => {
  const page = await open();
  await line(page, 'outcomes: [reached]').click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('zonez: 3');
  await page.keyboard.press('Escape');
  const where = rules.split('\n').findIndex((text) => text.startsWith('outcomes:')) + 2;
  const problem = page.getByRole('region', { name: 'Problems' }).getByRole('button', { name: /zonez/ });
  await problem.getByText(`ruleset.yaml:${where}:1`).waitFor();
  await problem.getByText('did you mean `zones`?').waitFor();
  await page.locator('.cm-lintRange-error', { hasText: 'zonez' }).waitFor();
  await screenshot(page, 'playground-mistake', false);
  expect(await onDisk()).toBe(rules);

  await line(page, 'ir: 1').click();
  await problem.click();
  await page.locator('.cm-activeLine', { hasText: 'zonez' }).waitFor();
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Delete');
  await verdict(page, 'No errors').waitFor();
  expect(await page.locator('.cm-lintRange-error').count()).toBe(0);
});

test('completion offers the allowed keys', async () => {
  const page = await open();
  await line(page, 'outcomes: [reached]').click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('zon');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'zones' }).first().click();
  await line(page, 'zones:').waitFor();
});

test('saving rules replays the match and shows the first difference', async () => {
  const page = await open();
  await startNewMatch(page);
  await add(page, 3, 2);
  await expectAccessible(page);
  await screenshot(page, 'playground', false);

  await insert(page, line(page, 'emit: Added'), ' + 1');
  await page.keyboard.press('Control+s');
  await page.getByText(/First difference: event \d+/).waitFor();
  await page.locator('del', { hasText: 'adds 3' }).waitFor();
  await page.locator('ins', { hasText: 'adds 4' }).waitFor();
  expect(await onDisk()).toContain('amount: amount + 1');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('button', { name: 'Return to current state' }).waitFor();
  await screenshot(page, 'playground-difference', false);
  await expectAccessible(page);
});

test('matches are recorded as scenarios, and failures link to their line', async () => {
  const page = await open();
  await startNewMatch(page);
  await add(page, 1, 2);
  await page.getByRole('region', { name: 'Seat 1', exact: true }).getByText('total 3').waitFor();
  await page.getByRole('tab', { name: 'Scenarios' }).click();
  await page.getByLabel('Record this match as a scenario').fill('one and two');
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await line(page, 'one and two').waitFor();
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('3 passed').waitFor();

  await page.getByRole('button', { name: 'ruleset.yaml' }).first().click();
  await insert(page, line(page, 'emit: Added'), ' + 1');
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('2 failed').waitFor();
  await screenshot(page, 'playground-scenarios', false);
  await expectAccessible(page);
  await page
    .getByRole('button', { name: /^scenarios\/first\.yaml:\d+$/ })
    .first()
    .click();
  const [firstName] = /name: .+/.exec(await readFile(join(folder, 'scenarios', 'first.yaml'), 'utf8'))!;
  await line(page, firstName).waitFor();
});

test('changes by other editors are detected and never overwritten silently', async () => {
  const page = await open();
  const title = /title: (.+)/.exec(rules)![1]!;
  await writeFile(join(folder, 'ruleset.yaml'), rules.replace(title, 'Which number?'));
  await line(page, 'Which number?').waitFor();

  await insert(page, line(page, 'outcomes: [reached]'), ', drawn');
  await writeFile(join(folder, 'ruleset.yaml'), rules);
  await page.getByText('This file was changed on disk by another program.').waitFor();
  await page.getByRole('button', { name: 'Reload from disk' }).click();
  await line(page, title).waitFor();
  expect(await onDisk()).toBe(rules);
});

test('bots play seats, events can be stepped through, and the match can be rewound', async () => {
  const page = await open();
  await startNewMatch(page);
  await page.getByRole('combobox', { name: 'Controller of seat 2' }).selectOption('random');
  await page
    .getByRole('region', { name: 'Seat 1', exact: true })
    .getByRole('button', { name: '1', exact: true })
    .click();
  await page.getByText('· 2 inputs').waitFor();
  await page.getByRole('button', { name: 'Previous event' }).click();
  await page.getByText(/^event \d+ of \d+$/).waitFor();
  await page.getByRole('button', { name: 'Return to current state' }).click();
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('button', { name: 'Rewind after input 0' }).click();
  await page.getByText('Abandoned branches').waitFor();
  await page.getByText('· 0 inputs').waitFor();
  await screenshot(page, 'playground-events', false);
  await page.getByRole('combobox', { name: 'Controller of seat 2' }).selectOption('');
});

/** A ruleset with dice and modifiers. */
const DICE_RULES = `
ir: 1
ruleset: {id: my-game, version: 0.1.0, name: Thrown}
outcomes: [done]
players: {seats: 2, props: {points: {type: int, default: 0}}}
kinds:
  piece: {props: {power: {type: int, default: 2, mod: true}}}
zones:
  board: {visible: all, active: true}
defs:
  pawn: {kind: piece}
  captain:
    kind: piece
    modifiers:
      - {id: leads, of: piece.power, if: it != self, add: 1}
setup:
  - {create: pawn, in: board}
  - {create: captain, in: board}
flow:
  - repeat: 9
    do:
      - {choose: go, by: "players[0]", from: "[true, false]", title: Throw?}
      - {roll: 2d6, for: throw, as: thrown}
      - add: {"players[0].points": thrown.total}
  - end: done
`;

async function openDiceRules(): Promise<Page> {
  await writeFile(join(folder, 'ruleset.yaml'), DICE_RULES);
  const page = await env.openPage(WIDE, '#/playground');
  await line(page, 'name: Thrown').waitFor();
  await verdict(page, 'No errors').waitFor();
  return page;
}

test('rolls can be predetermined and are listed afterwards', async () => {
  const page = await openDiceRules();
  await startNewMatch(page);
  await page.getByRole('tab', { name: 'Dice' }).click();
  await page.getByLabel('Next rolls').fill('six and six');
  await page.getByRole('button', { name: 'Set rolls' }).click();
  await page.getByText('“six and six” is not a roll').waitFor();
  await page.getByLabel('Next rolls').fill('6 5\nthrow: 1 1');
  await page.getByRole('button', { name: 'Set rolls' }).click();
  const seat = page.getByRole('region', { name: 'Seat 1', exact: true });
  await seat.getByRole('button', { name: 'Yes' }).click();
  await seat.getByText('points 11').first().waitFor();
  await page.getByText('Previous rolls').waitFor();
  await seat.getByRole('button', { name: 'Yes' }).click();
  await seat.getByText('points 13').first().waitFor();
  await expectAccessible(page);
  await screenshot(page, 'playground-dice', false);
});

test('the inspector shows the base value, each modifier and its line in the rules', async () => {
  const page = await openDiceRules();
  await startNewMatch(page);
  await page.getByRole('tab', { name: 'Inspect' }).click();
  const tools = page.getByRole('region', { name: 'Tools' });
  await tools.getByRole('button', { name: /pawn/i }).click();
  const selected = page.getByRole('region', { name: 'Selected entity' });
  await selected.getByText('2 → 3 by').waitFor();
  await screenshot(page, 'playground-modifiers', false);
  const written = DICE_RULES.split('\n').findIndex((text) => text.includes('id: leads')) + 1;
  await selected.getByRole('button', { name: `ruleset.yaml:${written}` }).click();
  await page.locator('.cm-activeLine', { hasText: 'id: leads' }).waitFor();
  await selected.getByRole('button', { name: /captain/ }).click();
  await selected.getByRole('heading', { name: /captain/i }).waitFor();
});

test('panes are resized with mouse and keyboard', async () => {
  const page = await open();
  const line = page.getByRole('separator', { name: 'Resize rules' });
  const share = async () => Number(await line.getAttribute('aria-valuenow'));
  const before = await share();
  await line.focus();
  await page.keyboard.press('ArrowRight');
  expect(await share()).toBe(before + 2);
  const box = (await line.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 100, box.y + 200, { steps: 4 });
  await page.mouse.up();
  expect(await share()).toBeGreaterThan(before + 4);
  const now = await share();
  await page.mouse.move(box.x - 200, box.y + 200);
  expect(await share()).toBe(now);
  for (let press = 0; press < 40; press += 1) await line.press('ArrowLeft');
  expect(await share()).toBe(Number(await line.getAttribute('aria-valuemin')));
});

test('the playground works on a laptop in dark mode', async () => {
  const page = await open({ ...LAPTOP, ...{ colorScheme: 'dark' } });
  await screenshot(page, 'playground-laptop-rules', false);
  await page.getByRole('button', { name: 'Match', exact: true }).click();
  await startNewMatch(page);
  await add(page, 2);
  await expectAccessible(page);
  await screenshot(page, 'playground-laptop-match', false);
});
