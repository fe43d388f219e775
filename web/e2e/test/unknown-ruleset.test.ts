/** A ruleset published during the test: the table can play games it was not written for. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

import { call, decision, log, startAlone } from '../support/match-actions.ts';
import { expectAccessible, screenshot, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();

const RULES = `
ir: 1
ruleset: {id: unseen, version: 1.0.0, name: The Unseen, description: Questions of every kind., uses: [core@1]}
players: {min: 2, max: 2, seats: 2}
outcomes: [done]
kinds: {lamp: {props: {light: {type: int, default: 1}}}}
zones: {shelf: {of: player, visible: all, order: list, active: true}}
defs:
  red: {kind: lamp, name: Red Lamp, props: {light: 3}}
  blue: {kind: lamp, name: Blue Lamp, props: {light: 2}}
  old: {kind: lamp, name: Old Lamp}
events:
  Arranged: {payload: {player: player, lamps: list<lamp>}, text: "{player} arranges {lamps}"}
  Dimmed: {payload: {amount: int, best: list<lamp>}, text: "Dimmed by {amount}, best {best}"}
  Planned: {payload: {parts: int}, text: "{parts} things are planned"}
setup:
  - each: players
    as: p
    do: [{create: red, owner: p, in: p.shelf}, {create: blue, owner: p, in: p.shelf}, {create: old, owner: p, in: p.shelf}]
flow:
  - let: {p: "players[0]"}
  - {choose: sorted, by: p, from: p.shelf, count: p.shelf.count, order: true, title: Put them in order}
  - {emit: Arranged, player: p, lamps: sorted}
  - {choose: best, by: p, from: p.shelf, min: 1, max: 2, order: true, title: Which are best?}
  - {choose: amount, by: p, from: "[2, 1, 5]", title: By how much?}
  - {emit: Dimmed, amount: amount, best: best}
  - choose: plan
    by: p
    title: What will you do?
    choices:
      - {id: rest, title: Rest}
      - id: trade
        title: Trade
        min: 1
        max: 2
        choices:
          - {id: give, title: Give lamps, choices: p.shelf, min: 1, max: 2}
          - {id: sing, title: Sing}
          - {id: swap, title: Swap everything, exclusive: true}
  - {emit: Planned, parts: plan.chosen.count}
  - {end: done, winners: "[p]"}
`;

beforeAll(async () => {
  const { token } = await call<{ token: string }>(env, 'POST', '/accounts');
  await call(env, 'POST', '/rulesets', token, { files: { 'ruleset.yaml': RULES } });
});

const done = (page: Page) => decision(page).getByRole('button', { name: /^(Confirm|Lay out)/ });
const choice = (page: Page, name: RegExp) => decision(page).getByRole('button', { name });

test('ordering, ordered picks, numbers and nested branches can be answered', async () => {
  const page = await startAlone(env, { ruleset: 'unseen', places: ['human', 'random'] });
  await decision(page).getByRole('heading', { name: 'Put them in order' }).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'unknown-ruleset-order', false);
  await choice(page, /^Move Old lamp up/i).click();
  await choice(page, /^1 Red lamp/i).focus();
  await page.keyboard.press('ArrowDown');
  await done(page).click();
  await log(page)
    .getByText(/arrange Old Lamp, Red Lamp, Blue Lamp/)
    .waitFor();

  const lamp = (name: string) =>
    page.getByRole('group', { name: 'You' }).getByRole('button', { name: new RegExp(`^${name}`) });
  await lamp('Old Lamp').click();
  await lamp('Red Lamp').click();
  await lamp('Red Lamp').getByText('selected, position 2').waitFor();
  await done(page).click();
  await decision(page).getByRole('heading', { name: 'By how much?' }).waitFor();
  await page.keyboard.press('3');
  await log(page)
    .getByText(/Dimmed by 5, best Old Lamp, Red Lamp/)
    .waitFor();

  await choice(page, /^Trade/).click();
  expect(await done(page).isDisabled()).toBe(true);
  await choice(page, /^Give lamps/).click();
  await choice(page, /^Blue lamp/i).click();
  await choice(page, /^Sing/).click();
  await expectAccessible(page);
  await screenshot(page, 'unknown-ruleset-branches', false);
  await done(page).click();
  await log(page).getByText('2 things are planned').waitFor();
  await page.getByRole('region', { name: 'Result' }).waitFor();
});
