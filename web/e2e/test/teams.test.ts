/** Games of teams: who belongs together, what a team sees, and how it wins. */
import type { View } from '@intermezzo/sdk';
import { beforeAll, expect, test } from 'vitest';

import { call, decision, signIn, startAlone, startMatch, viewOf } from '../support/match-actions.ts';
import { expectAccessible, screenshot, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();

const RULES = `
ir: 1
ruleset: {id: pairs, version: 1.0.0, name: Pairs, description: Two against two., uses: [core@1]}
players: {seats: 4, teams: [[0, 2], [1, 3]], props: {secret: {type: int, default: 7, visible: team}}}
kinds:
  card: {}
  team: {props: {points: int}}
zones:
  kept: {of: team, visible: team, holds: card}
defs:
  lamp: {kind: card, name: Lamp}
setup:
  - each: teams
    as: side
    do: [{create: lamp, in: side.kept}]
flow:
  - let: {p: "players[0]", rival: "players[1]", price: 3}
  - choose: deed
    by: p
    title: "Do you believe {rival}?"
    choices:
      - {id: believe, title: "Believe {rival}"}
      - {id: pay, title: "Pay {price} points"}
  - add: {p.team.points: "if deed.id == pay then price else 0"}
  - end: normal
    winners: "if deed.id == pay then [p] else [rival]"
    losers: "if deed.id == pay then [rival] else [p]"
    score: it.team.points
`;

beforeAll(async () => {
  const { token } = await call<{ token: string }>(env, 'POST', '/accounts');
  await call(env, 'POST', '/rulesets', token, { files: { 'ruleset.yaml': RULES } });
});

test('the table says who is in which team, and the team wins together', async () => {
  const page = await startAlone(env, { ruleset: 'pairs', places: ['human', 'greedy', 'greedy', 'greedy'] });
  const question = decision(page);
  await question.getByRole('heading', { name: /^Do you believe greedy bot/ }).waitFor();
  expect(await page.locator('.player .team').allTextContents()).toEqual(
    expect.arrayContaining(['team 1', 'team 2', 'your team', 'team 2']),
  );
  await screenshot(page, 'teams', false);
  await expectAccessible(page);
  await question.getByRole('button', { name: /^Believe greedy bot/ }).waitFor();
  await question.getByRole('button', { name: 'Pay 3 points' }).click();
  const confirm = question.getByRole('button', { name: /^Confirm/ });
  if (await confirm.isVisible().catch(() => false)) await confirm.click();
  await page.getByRole('heading', { name: 'Your team won' }).waitFor();
  await screenshot(page, 'teams-won', false);
});

test('a team sees what is kept for it, and the other team does not', async () => {
  const setup = { ruleset: 'pairs', places: ['human', 'human', 'human', 'greedy'] as ('human' | 'greedy')[] };
  const { id, pages, tokens } = await startMatch(env, setup);
  await Promise.all(pages.map((page) => page.getByText('Lamp').first().waitFor()));
  for (const [seat, token] of tokens.entries()) {
    const view = await viewOf<View>(env, id, token);
    const isKnown = view.zones['teams']!.items!.map((team) => team!.zones['kept']!.items !== undefined);
    expect(isKnown).toEqual([seat % 2 === 0, seat % 2 === 1]);
    const secrets = view.players.map(({ props }) => 'secret' in props);
    expect(secrets).toEqual([0, 1, 2, 3].map((other) => other % 2 === seat % 2));
  }
});

test('who waits for players sees which seats are a team', async () => {
  const { token } = await call<{ token: string }>(env, 'POST', '/accounts');
  const { id } = await call<{ id: string }>(env, 'POST', '/matches', token, { ruleset: 'pairs', private: true });
  const page = await env.openPage();
  await page.goto(`${env.url}/#/match/${id}`);
  await signIn(page, token);
  await page.getByRole('heading', { name: 'Seats' }).waitFor();
  const tags = page.locator('.seats .tag', { hasText: /^team/ });
  expect(await tags.allTextContents()).toEqual(['team 1', 'team 2', 'team 1', 'team 2']);
});
