/** Time, and what one does about a match instead of playing it: pausing, passing by oneself, giving up. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import { program } from '../../sdk/test/server.ts';
import { call, decision, pass, sit, sitAlone } from './hands.ts';
import { forgive, isAccessible, PHONE, picture, world } from './world.ts';

const data = mkdtempSync(join(tmpdir(), 'intermezzo-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));
const here = world('--data', data);

const bank = (page: Page, whose: 'own' | 'other') =>
  page.locator(`.player${whose === 'own' ? '.own' : ':not(.own)'} .bank`).first();
const menu = (page: Page) => page.getByText('Menu', { exact: true });
const seconds = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

test('a paused match says so, its clocks stand still, and it goes on where it was', async () => {
  const judge = await call<{ token: string; account: { name: string } }>(here, 'POST', '/accounts');
  await here.without(async () => {
    await promisify(execFile)(program(), ['admin', '--data', data, 'moderator', judge.account.name, 'on']);
  });
  const { pages, id } = await sit(here, {
    ruleset: 'orcain',
    options: { prep_ms: 600_000 },
    places: ['human', 'human'],
  });
  const [ann, bob] = pages as [Page, Page];
  await decision(ann).getByRole('timer').waitFor();
  const control = (kind: string) => call(here, 'POST', `/matches/${id}/control`, judge.token, { kind, reason: 'tea' });
  await control('pause');
  for (const page of pages) {
    await page.getByText('The match is paused').waitFor();
    expect(await decision(page).getByRole('timer').count()).toBe(0);
  }
  await isAccessible(ann);
  await picture(ann, 'orcain-paused', false);
  await control('resume');
  await Promise.all(pages.map((page) => decision(page).getByRole('timer').waitFor()));
  await bob.getByText('The match is paused').waitFor({ state: 'detached' });
  for (const name of ['Attack', 'Heal', 'Counter'])
    await ann
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .first()
      .click();
  await decision(ann).getByRole('button', { name: 'Done' }).click();
  await ann.getByText(/^Waiting for /).waitFor();
});

test('time is taken from whoever is asked, and who has none left has lost', async () => {
  const options = { opening: 0, mulligan: false, bank_ms: 600_000, hands: [['bolt'], ['bolt']] };
  const { pages } = await sit(here, { ruleset: 'mages', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  await decision(ann).waitFor();
  const before = seconds((await bank(ann, 'own').textContent())!);
  expect(before).toBeGreaterThan(500);
  await expect.poll(async () => seconds((await bank(ann, 'own').textContent())!)).toBeLessThan(before);
  expect(seconds((await bank(ann, 'other').textContent())!)).toBe(600);
  expect(seconds((await bank(bob, 'own').textContent())!)).toBe(600);
  await picture(ann, 'mages-banks', false);

  const late = await sitAlone(here, {
    ruleset: 'mages',
    options: { opening: 0, mulligan: false, bank_ms: 1500, hands: [['bolt'], ['bolt']] },
    places: ['human', 'random'],
  });
  const result = late.getByRole('region', { name: 'Result' });
  await result.getByRole('heading', { name: / won$/ }).waitFor();
  await result.getByText('Out of time').waitFor();
});

test('who passes by itself is not asked until that is called off', async () => {
  const options = { opening: 0, mulligan: false, mana: 3, hands: [['bolt', 'bolt'], []] };
  const { pages } = await sit(here, { ruleset: 'mages', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  await pass(ann).waitFor();
  await menu(ann).click();
  await ann.getByLabel('Pass by itself').selectOption('always');
  await ann.getByText(/^Waiting for /).waitFor();
  await picture(ann, 'mages-auto-pass', false);
  // Bob alone plays on, through Ann's turns, too.
  for (let passes = 0; passes < 60 && (await bob.getByTitle('turn 4').count()) === 0; passes += 1) {
    await pass(bob)
      .click({ timeout: 1000 })
      .catch(() => undefined);
  }
  await bob.getByTitle('turn 4').waitFor();
  expect(await decision(ann).count()).toBe(0);
  await ann.getByLabel('Pass by itself').selectOption('off');
  for (let passes = 0; passes < 60 && (await pass(ann).count()) === 0; passes += 1) {
    await pass(bob)
      .click({ timeout: 1000 })
      .catch(() => undefined);
  }
  await pass(ann).waitFor();
});

test('giving up takes two presses, and both are told how it ended', async () => {
  const { pages } = await sit(here, { ruleset: 'mages', places: ['human', 'human'] }, PHONE);
  const [ann, bob] = pages as [Page, Page];
  await menu(ann).click();
  await ann.getByRole('button', { name: 'Concede …' }).click();
  await ann.getByRole('button', { name: 'Play on' }).click();
  await ann.getByRole('button', { name: 'Concede …' }).click();
  await picture(ann, 'mages-phone-concede', false);
  await ann.getByRole('button', { name: 'Give up' }).click();
  await bob.getByRole('heading', { name: 'You have won' }).waitFor();
  const result = ann.getByRole('region', { name: 'Result' });
  await result.getByRole('heading', { name: / won$/ }).waitFor();
  await result.getByText('Concede').waitFor();
  forgive(/WebSocket|ERR_CONNECTION|Failed to load/);
});
