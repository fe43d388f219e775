/** Pausing, time banks, auto-pass and conceding. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import { binaryPath } from '../../sdk/test/test-server.ts';
import { call, decision, pass, startMatch } from '../support/match-actions.ts';
import { allowErrors, expectAccessible, PHONE, screenshot, setupEnvironment } from '../support/test-environment.ts';

const data = mkdtempSync(join(tmpdir(), 'intermezzo-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));
const env = setupEnvironment('--data', data);

const bank = (page: Page, whose: 'own' | 'other') =>
  page.locator(`.player${whose === 'own' ? '.own' : ':not(.own)'} .bank`).first();
const menu = (page: Page) => page.locator('summary', { hasText: 'Menu' });
const seconds = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

test('a paused match stops its clocks and resumes where it was', async () => {
  const judge = await call<{ token: string; account: { name: string } }>(env, 'POST', '/accounts');
  await env.whileStopped(async () => {
    await promisify(execFile)(binaryPath(), ['admin', '--data', data, 'moderator', judge.account.name, 'on']);
  });
  const { pages, id } = await startMatch(env, {
    ruleset: 'orcain',
    options: { prep_ms: 600_000 },
    places: ['human', 'human'],
  });
  const [ann, bob] = pages as [Page, Page];
  await decision(ann).getByRole('timer').waitFor();
  const control = (kind: string) => call(env, 'POST', `/matches/${id}/control`, judge.token, { kind, reason: 'break' });
  await control('pause');
  for (const page of pages) {
    await page.getByText('The match is paused').waitFor();
    expect(await decision(page).getByRole('timer').count()).toBe(0);
  }
  await expectAccessible(ann);
  await screenshot(ann, 'orcain-paused', false);
  await control('resume');
  await Promise.all(pages.map((page) => decision(page).getByRole('timer').waitFor()));
  await bob.getByText('The match is paused').waitFor({ state: 'detached' });
  for (const name of ['Attack', 'Heal', 'Counter'])
    await ann
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .first()
      .click();
  await decision(ann)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .click();
  await ann.getByText(/^Waiting for /).waitFor();
});

test('only the deciding player loses time, and an empty bank loses the match', async () => {
  const options = { opening: 0, mulligan: false, bank_ms: 600_000, hands: [['bolt'], ['bolt']] };
  const { pages } = await startMatch(env, { ruleset: 'mages', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  await decision(ann).waitFor();
  const before = seconds((await bank(ann, 'own').textContent())!);
  expect(before).toBeGreaterThan(500);
  await expect.poll(async () => seconds((await bank(ann, 'own').textContent())!)).toBeLessThan(before);
  expect(seconds((await bank(ann, 'other').textContent())!)).toBe(600);
  expect(seconds((await bank(bob, 'own').textContent())!)).toBe(600);
  await screenshot(ann, 'mages-banks', false);

  const { pages: slow } = await startMatch(env, {
    ruleset: 'mages',
    options: { opening: 0, mulligan: false, bank_ms: 1500, hands: [['bolt'], ['bolt']] },
    places: ['human', 'human'],
  });
  const late = slow[0]!;
  const result = late.getByRole('region', { name: 'Result' });
  await result.getByRole('heading', { name: /^You (won|lost)$| won$/ }).waitFor();
  await result.getByText(/ran out of time\.$/).waitFor();
});

test('auto-pass skips all prompts until it is turned off', async () => {
  const options = { opening: 0, mulligan: false, mana: 3, hands: [['bolt', 'bolt'], []] };
  const { pages } = await startMatch(env, { ruleset: 'mages', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  await pass(ann).waitFor();
  await menu(ann).click();
  await ann.getByLabel('Auto-pass').selectOption('always');
  await ann.getByText(/^Waiting for /).waitFor();
  await screenshot(ann, 'mages-auto-pass', false);
  // Bob passes until turn 4, through Ann's turns, too.
  for (let passes = 0; passes < 60 && (await bob.getByTitle('turn 4').count()) === 0; passes += 1) {
    await pass(bob)
      .click({ timeout: 1000 })
      .catch(() => undefined);
  }
  await bob.getByTitle('turn 4').waitFor();
  expect(await decision(ann).count()).toBe(0);
  await ann.getByLabel('Auto-pass').selectOption('off');
  for (let passes = 0; passes < 60 && (await pass(ann).count()) === 0; passes += 1) {
    await pass(bob)
      .click({ timeout: 1000 })
      .catch(() => undefined);
  }
  await pass(ann).waitFor();
});

test('conceding needs a confirmation and shows the result to both players', async () => {
  const { pages } = await startMatch(env, { ruleset: 'mages', places: ['human', 'human'] }, PHONE);
  const [ann, bob] = pages as [Page, Page];
  await menu(ann).click();
  await ann.getByRole('button', { name: 'Concede …' }).click();
  await ann.getByRole('button', { name: 'Cancel' }).click();
  await ann.getByRole('button', { name: 'Concede …' }).click();
  await screenshot(ann, 'mages-phone-concede', false);
  await ann.getByRole('button', { name: 'Concede', exact: true }).click();
  await bob.getByRole('heading', { name: 'You won' }).waitFor();
  const result = ann.getByRole('region', { name: 'Result' });
  await result.getByRole('heading', { name: /^You (won|lost)$| won$/ }).waitFor();
  await result.getByText('You gave up.').waitFor();
  allowErrors(/WebSocket|ERR_CONNECTION|Failed to load/);
});
