/** Players report others, and moderators deal with it on their page. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { binaryPath } from '../../sdk/test/test-server.ts';
import { call, signIn } from '../support/match-actions.ts';
import { expectAccessible, screenshot, setupEnvironment } from '../support/test-environment.ts';

const data = mkdtempSync(join(tmpdir(), 'intermezzo-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));
const env = setupEnvironment('--data', data);

interface NewAccount {
  token: string;
  account: { id: string; name: string };
}

const RULESET = `
ir: 1
ruleset: {id: coin-toss, version: 1.0.0, name: Coin Toss, uses: [core@1]}
players: {min: 2, max: 2}
outcomes: [tossed]
flow: [{end: tossed}]
`;

test('a moderator closes a report, bans the player and takes a game down', async () => {
  const [ann, bob, mia] = await Promise.all(
    ['ann', 'bob', 'mia'].map((name) => call<NewAccount>(env, 'POST', '/accounts', undefined, { name })),
  );
  execFileSync(binaryPath(), ['admin', '--data', data, 'moderator', 'mia', 'on']);

  await call(env, 'POST', '/rulesets', ann!.token, { files: { 'ruleset.yaml': RULESET } });

  const player = await env.openPage(undefined, '#/');
  await signIn(player, ann!.token);
  await player.goto(`${env.url}/#/player/bob`);
  await player.getByRole('button', { name: 'Report …', exact: true }).click();
  await player.getByLabel('What is wrong?').fill('calls others names');
  await player.getByRole('button', { name: 'Report', exact: true }).click();
  await player.getByText('A moderator will look at it.').waitFor();
  await player.goto(`${env.url}/#/moderation`);
  await player.getByText('This page is for moderators.').waitFor();

  const page = await env.openPage(undefined, '#/');
  await signIn(page, mia!.token);
  await page.getByRole('link', { name: 'Moderation' }).click();
  await page.getByText('calls others names').waitFor();
  await expectAccessible(page);
  await screenshot(page, 'moderation');
  await page.getByLabel('Name or id of an account').fill('bob');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByRole('button', { name: 'Ban …', exact: true }).click();
  await page.getByLabel('Reason, which the player can read').fill('insults');
  await page.getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByText('Account banned').waitFor();
  await page.getByRole('button', { name: 'Close …', exact: true }).click();
  await page.getByLabel('What was done').fill('banned for a week');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByText('No open reports.').waitFor();

  const row = page.getByRole('row', { name: /Coin Toss/ });
  await row.getByRole('button', { name: 'Take down …', exact: true }).click();
  await page.getByLabel('Reason for taking it down').fill('broken rules');
  await page.getByRole('button', { name: 'Take down', exact: true }).click();
  await page.getByText('coin-toss was taken down').waitFor();
  await row.waitFor({ state: 'detached' });
  const listed = await call<{ items: { id: string }[] }>(env, 'GET', '/rulesets?limit=50');
  expect(listed.items.map(({ id }) => id)).not.toContain('coin-toss');

  await page.reload();
  for (const done of ['banned an account', 'closed a report', 'took coin-toss down'])
    await page.getByRole('cell', { name: done }).waitFor();
  const banned = await fetch(`${env.url}/matches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bob!.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ruleset: 'orcain' }),
  });
  expect(banned.status).toBe(403);
});
