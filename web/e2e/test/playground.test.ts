import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';

import { program, workshop } from '../../sdk/test/server.ts';
import { isAccessible, picture, worldOf } from './world.ts';

const WIDE = { viewport: { width: 1440, height: 900 } };
const LAPTOP = { viewport: { width: 1024, height: 700 } };

let folder = '';
let rules = '';

const here = worldOf(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'playground-')), 'my-game');
  await promisify(execFile)(program(), ['new', folder]);
  rules = await readFile(join(folder, 'ruleset.yaml'), 'utf8');
  return workshop(folder);
});

beforeEach(async () => {
  await rm(join(folder, 'scenarios', 'recorded.yaml'), { force: true });
  await writeFile(join(folder, 'ruleset.yaml'), rules);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const onDisk = () => readFile(join(folder, 'ruleset.yaml'), 'utf8');
const line = (page: Page, text: string): Locator => page.locator('.cm-line', { hasText: text });
const verdict = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: 'What is wrong' }).getByText(text).first();

async function open(how = WIDE): Promise<Page> {
  const page = await here.person(how, '#/playground');
  await line(page, 'id: my-game').waitFor();
  await verdict(page, 'no errors').waitFor();
  return page;
}

/** Begins a match of one's own. */
async function begin(page: Page): Promise<void> {
  const facts = page.getByText(/^seed \d+ ·/);
  const before = await facts.textContent();
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await expect.poll(() => facts.textContent()).not.toBe(before);
}

/** Seat by seat, as many as are said. */
async function add(page: Page, ...amounts: number[]): Promise<void> {
  for (const [turn, amount] of amounts.entries()) {
    const seat = page.getByRole('region', { name: `Seat ${(turn % 2) + 1}`, exact: true });
    await seat.getByRole('button', { name: String(amount), exact: true }).click();
    await page.getByText(new RegExp(`· ${turn + 1} inputs?`)).waitFor();
  }
}

/** Puts something before the last character of a line. Only lines in sight are there to be clicked. */
async function insert(page: Page, at: Locator, text: string): Promise<void> {
  if ((await at.count()) === 0) {
    await page.locator('.cm-line').first().click();
    await page.keyboard.press('Control+End');
  }
  await at.click();
  // Once to the end of what can be seen of a long line, once to its own.
  await page.keyboard.press('End');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(text);
  await page.keyboard.press('Escape');
}

test('a mistake is shown where it stands while one types, and is gone when it is mended', async () => {
  const page = await open();
  await line(page, 'outcomes: [reached]').click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('zonez: 3');
  await page.keyboard.press('Escape');
  const where = rules.split('\n').findIndex((text) => text.startsWith('outcomes:')) + 2;
  const problem = page.getByRole('region', { name: 'What is wrong' }).getByRole('button', { name: /zonez/ });
  await problem.getByText(`ruleset.yaml:${where}:1`).waitFor();
  await problem.getByText('did you mean `zones`?').waitFor();
  await page.locator('.cm-lintRange-error', { hasText: 'zonez' }).waitFor();
  await picture(page, 'playground-mistake', false);
  expect(await onDisk()).toBe(rules);

  await line(page, 'ir: 1').click();
  await problem.click();
  await page.locator('.cm-activeLine', { hasText: 'zonez' }).waitFor();
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Delete');
  await verdict(page, 'no errors').waitFor();
  expect(await page.locator('.cm-lintRange-error').count()).toBe(0);
});

test('keys that may stand at a place are offered', async () => {
  const page = await open();
  await line(page, 'outcomes: [reached]').click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('zon');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'zones' }).first().click();
  await line(page, 'zones:').waitFor();
});

test('saved rules are tried on the match that is open, and the first difference is told', async () => {
  const page = await open();
  await begin(page);
  await add(page, 3, 2);
  await isAccessible(page);
  await picture(page, 'playground', false);

  await insert(page, line(page, 'emit: Added'), ' + 1');
  await page.keyboard.press('Control+s');
  await page.getByText(/The first difference is event \d+/).waitFor();
  await page.locator('del', { hasText: 'adds 3' }).waitFor();
  await page.locator('ins', { hasText: 'adds 4' }).waitFor();
  expect(await onDisk()).toContain('amount: amount + 1');
  await page.getByRole('button', { name: 'Look' }).click();
  await page.getByRole('button', { name: 'Back to now' }).waitFor();
  await picture(page, 'playground-difference', false);
  await isAccessible(page);
});

test('what was played becomes a scenario; scenarios are run, and lead to where they fail', async () => {
  const page = await open();
  await begin(page);
  await add(page, 1, 2);
  await page.getByRole('region', { name: 'Seat 1', exact: true }).getByText('total 3').waitFor();
  await page.getByRole('tab', { name: 'Scenarios' }).click();
  await page.getByLabel('Record what was played').fill('one and two');
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await line(page, 'one and two').waitFor();
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('3 passed').waitFor();

  await page.getByRole('button', { name: 'ruleset.yaml' }).first().click();
  await insert(page, line(page, 'emit: Added'), ' + 1');
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('2 failed').waitFor();
  await picture(page, 'playground-scenarios', false);
  await isAccessible(page);
  await page
    .getByRole('button', { name: /^scenarios\/first\.yaml:\d+$/ })
    .first()
    .click();
  await line(page, 'name: whoever reaches the goal wins').waitFor();
});

test('what another editor writes is noticed, and nobody writes over it unasked', async () => {
  const page = await open();
  await writeFile(join(folder, 'ruleset.yaml'), rules.replace('How much do you add?', 'What do you add?'));
  await line(page, 'What do you add?').waitFor();

  await insert(page, line(page, 'outcomes: [reached]'), ', drawn');
  await writeFile(join(folder, 'ruleset.yaml'), rules);
  await page.getByText('Somebody else has changed this file on disk.').waitFor();
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await line(page, 'How much do you add?').waitFor();
  expect(await onDisk()).toBe(rules);
});

test('bots take seats, one goes back, and every event can be stepped through', async () => {
  const page = await open();
  await begin(page);
  await page.getByRole('combobox', { name: 'Who plays seat 2' }).selectOption('random');
  await page
    .getByRole('region', { name: 'Seat 1', exact: true })
    .getByRole('button', { name: '1', exact: true })
    .click();
  await page.getByText('· 2 inputs').waitFor();
  await page.getByRole('button', { name: 'One event back' }).click();
  await page.getByText(/^event \d+ of \d+$/).waitFor();
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('button', { name: 'Go back after input 0' }).click();
  await page.getByText('Left behind').waitFor();
  await page.getByText('· 0 inputs').waitFor();
  await picture(page, 'playground-events', false);
  await page.getByRole('combobox', { name: 'Who plays seat 2' }).selectOption('');
});

/** Pieces that are thrown with dice and strengthen each other. */
const THROWN = `
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

async function openThrown(): Promise<Page> {
  await writeFile(join(folder, 'ruleset.yaml'), THROWN);
  const page = await here.person(WIDE, '#/playground');
  await line(page, 'name: Thrown').waitFor();
  await verdict(page, 'no errors').waitFor();
  return page;
}

test('dice show what the author wants, and what they showed is told', async () => {
  const page = await openThrown();
  await begin(page);
  await page.getByRole('tab', { name: 'Dice' }).click();
  await page.getByLabel('The next rolls').fill('six and six');
  await page.getByRole('button', { name: 'Set the next rolls' }).click();
  await page.getByText('“six and six” is no roll').waitFor();
  await page.getByLabel('The next rolls').fill('6 5\nthrow: 1 1');
  await page.getByRole('button', { name: 'Set the next rolls' }).click();
  const seat = page.getByRole('region', { name: 'Seat 1', exact: true });
  await seat.getByRole('button', { name: 'Yes' }).click();
  await seat.getByText('points 11').first().waitFor();
  await page.getByText('Rolled so far').waitFor();
  await seat.getByRole('button', { name: 'Yes' }).click();
  await seat.getByText('points 13').first().waitFor();
  await isAccessible(page);
  await picture(page, 'playground-dice', false);
});

test('a value is taken apart: what is stored, what each modifier makes of it, and where that is written', async () => {
  const page = await openThrown();
  await begin(page);
  await page.getByRole('tab', { name: 'Inspect' }).click();
  const about = page.getByRole('region', { name: 'About the match' });
  await about.getByRole('button', { name: /pawn/i }).click();
  const thing = page.getByRole('region', { name: 'What was picked' });
  await thing.getByText('2 → 3 by').waitFor();
  await picture(page, 'playground-modifiers', false);
  const written = THROWN.split('\n').findIndex((text) => text.includes('id: leads')) + 1;
  await thing.getByRole('button', { name: `ruleset.yaml:${written}` }).click();
  await page.locator('.cm-activeLine', { hasText: 'id: leads' }).waitFor();
  await thing.getByRole('button', { name: /captain/ }).click();
  await thing.getByRole('heading', { name: /captain/i }).waitFor();
});

test('the lines between panes are moved by mouse and by keys', async () => {
  const page = await open();
  const line = page.getByRole('separator', { name: 'Width of the rules' });
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

test('the playground can be used on a laptop, in the dark', async () => {
  const page = await open({ ...LAPTOP, ...{ colorScheme: 'dark' } });
  await picture(page, 'playground-laptop-rules', false);
  await page.getByRole('button', { name: 'Match', exact: true }).click();
  await begin(page);
  await add(page, 2);
  await isAccessible(page);
  await picture(page, 'playground-laptop-match', false);
});
