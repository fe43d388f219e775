import { Client } from '@intermezzo/sdk';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { call, signIn } from '../support/match-actions.ts';
import {
  allowErrors,
  DESKTOP,
  expectAccessible,
  expectNoHorizontalScroll,
  PHONE,
  screenshot,
  setupEnvironment,
} from '../support/test-environment.ts';

const env = setupEnvironment();

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

/** Returns an SDK client for the account of a page, for steps that need no clicking. */
async function clientOf(page: Page): Promise<Client> {
  const token = await page.evaluate(() => localStorage.getItem('intermezzo.token'));
  return new Client({ server: env.url, token: token!, WebSocket: (await import('ws')).default });
}

async function concede(page: Page): Promise<void> {
  const client = await clientOf(page);
  const id = /#\/match\/([0-9a-f]+)/.exec(page.url())![1]!;
  const match = client.follow(id);
  await match.concede();
  match.close();
}

test('a private match with custom options, an invite link and a rematch', async () => {
  const ann = await env.openPage();
  await ann.getByRole('link', { name: 'Duel of Mages', exact: true }).click();
  await heading(ann, 'Create a match').waitFor();
  await expectAccessible(ann);
  await screenshot(ann, 'game');
  await ann.getByLabel('Match name').fill('Tuesday night');
  await ann.getByLabel('Private (invite only)').check();
  await ann.getByText('Game options').click();
  await ann.getByLabel('Life', { exact: true }).fill('7');
  await screenshot(ann, 'create');
  await button(ann, 'Create match').click();

  await heading(ann, 'Tuesday night').waitFor();
  await ann.getByText('life: 7').waitFor();
  await ann.getByRole('img', { name: /QR code/ }).waitFor();
  await expectAccessible(ann);
  await screenshot(ann, 'room');
  const link = await ann.getByLabel('Invite link', { exact: true }).inputValue();
  expect(link).toContain('#/join/');

  const bob = await env.openPage(PHONE, new URL(link).hash);
  await button(bob, 'Take seat').click();
  await button(bob, 'Ready').click();
  await expectNoHorizontalScroll(bob);
  await expectAccessible(bob);
  await screenshot(bob, 'room-phone');
  await button(ann, 'Ready').click();
  await Promise.all([ann, bob].map((page) => heading(page, 'Change your hand for one card less?').waitFor()));

  await concede(bob);
  await Promise.all([heading(ann, 'You won').waitFor(), heading(bob, 'You lost').waitFor()]);
  await screenshot(ann, 'result');
  await expectNoHorizontalScroll(bob);
  await screenshot(bob, 'result-phone');
  await expectAccessible(bob);
  await button(ann, 'Rematch').click();
  await button(bob, 'Accept rematch').click();
  await Promise.all([ann, bob].map((page) => heading(page, 'Change your hand for one card less?').waitFor()));
});

test('the host adds and removes bots', async () => {
  const ann = await env.openPage(DESKTOP, '#/game/skirmish');
  await button(ann, 'Create match').click();
  await button(ann, 'Medium bot').click();
  await button(ann, 'Remove bot').click();
  await button(ann, 'Easy bot').click();
  await screenshot(ann, 'room-bot');
  await button(ann, 'Ready').click();
  await ann.getByRole('region', { name: 'Table' }).waitFor();
});

test('two players in the queue are matched and rated', async () => {
  // Guests and matches without a move are not rated.
  const [annToken, bobToken] = await Promise.all(
    ['queue-ann', 'queue-bob'].map(async (name) => {
      const account = { name, password: 'long enough to keep' };
      return (await call<{ token: string }>(env, 'POST', '/accounts', undefined, account)).token;
    }),
  );
  const ann = await env.openPage(DESKTOP, '#/game/orcain');
  await signIn(ann, annToken!);
  await button(ann, 'Find an opponent').click();
  await ann.getByText('You are first in the queue.').waitFor();
  await ann.getByText('Searching for an opponent').waitFor();
  await screenshot(ann, 'queue');
  await expectAccessible(ann);
  const bob = await env.openPage(PHONE, '#/game/orcain');
  await signIn(bob, bobToken!);
  await bob.getByText('1 player in the queue.').waitFor();
  await expectNoHorizontalScroll(bob);
  await expectAccessible(bob);
  await screenshot(bob, 'game-phone');
  await button(bob, 'Find an opponent').click();
  await Promise.all([ann, bob].map((page) => heading(page, 'Lay out your three cards').waitFor()));
  const id = /[0-9a-f]{32}/.exec(ann.url())![0];
  for (const token of [annToken, bobToken]) {
    const path = `/matches/${id}/inputs`;
    const { prompts } = await call<{ prompts: { inputId: number }[] }>(env, 'GET', path, token);
    await call(env, 'POST', `${path}/${prompts[0]!.inputId}`, token, { answers: ['#1', '#2', '#3'] });
  }

  await concede(bob);
  await heading(ann, 'You won').waitFor();
  await ann.goto(`${env.url}/#/game/orcain`);
  await ann.getByRole('region', { name: 'Result' }).waitFor({ state: 'detached' });
  const lines = ann.getByRole('region', { name: 'Leaderboard' }).getByRole('row');
  await lines.nth(2).waitFor();
  expect(await lines.nth(1).textContent()).toContain('1 of 1');
  await expectAccessible(ann);
  await screenshot(ann, 'leaderboard');
  // The leaderboard links to the profiles of other players.
  await lines.nth(2).getByRole('link').click();
  await ann.getByRole('heading', { name: 'Public matches' }).waitFor();
  await ann.getByText('0 won, 1 lost').waitFor();
  await ann.getByRole('region', { name: 'Public matches' }).getByText('lost', { exact: true }).waitFor();
  await expectAccessible(ann);
  await screenshot(ann, 'player');
  await ann.locator('header .account').click();
  await ann.getByText('1 won, 0 lost').waitFor();
  await expectAccessible(ann);
  await screenshot(ann, 'me-rated');
});

test('a player can leave the queue', async () => {
  const ann = await env.openPage(DESKTOP, '#/game/mages');
  await button(ann, 'Find an opponent').click();
  await ann.getByText('You are first in the queue.').waitFor();
  await ann.getByRole('link', { name: 'Lobby' }).click();
  await button(ann, 'Cancel').click();
  await ann.getByText('Searching for an opponent').waitFor({ state: 'detached' });
});

test("open matches are listed, and matches where it is the player's turn come first", async () => {
  const ann = await env.openPage(DESKTOP, '#/game/dogma');
  await ann.getByLabel('Match name').fill('Ages for all');
  await button(ann, 'Create match').click();
  await heading(ann, 'Ages for all').waitFor();
  await ann.goto(`${env.url}/#/`);
  await button(ann, /^Play Duel of Mages/).click();
  await heading(ann, 'Change your hand').waitFor();
  await ann.locator('summary', { hasText: 'Menu' }).click();
  await ann.getByRole('link', { name: 'Lobby' }).click();
  const own = ann.getByRole('region', { name: 'Your matches' }).getByRole('listitem');
  await own.nth(1).waitFor();
  expect(await own.first().textContent()).toContain('Your turn: Change your hand');
  expect(await own.nth(1).textContent()).toContain('Ages for all');
  await expectAccessible(ann);
  await screenshot(ann, 'lobby');

  const bob = await env.openPage(PHONE, '#/lobby');
  await bob.getByRole('link', { name: /Ages for all/ }).waitFor();
  await expectNoHorizontalScroll(bob);
  await expectAccessible(bob);
  await screenshot(bob, 'lobby-phone');
  await bob.getByRole('link', { name: /Ages for all/ }).click();
  await button(bob, 'Take seat').click();
  await button(bob, 'Leave').click();
  await button(bob, 'Take seat').waitFor();
});

test('a guest sets a name and a password, signs out and signs in again', async () => {
  const ann = await env.openPage();
  await button(ann, /^Play Orcain/).click();
  await heading(ann, 'Lay out your three cards').waitFor();
  await ann.locator('summary', { hasText: 'Menu' }).click();
  await ann.getByRole('link', { name: 'Account' }).click();
  await ann.getByLabel('Name', { exact: true }).fill('ann-e2e');
  await button(ann, 'Change name').click();
  await heading(ann, 'ann-e2e').waitFor();
  await ann.getByLabel('Password', { exact: true }).fill('a good long one');
  await button(ann, 'Set password').click();
  await ann.getByText('registered').waitFor();
  await ann.getByText('Welcome bonus').waitFor();
  await expectAccessible(ann);
  await screenshot(ann, 'me');
  await button(ann, 'Sign out').click();
  // The previous page has a field with the same label, so wait for the new one.
  await ann.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  await ann.getByLabel('Name', { exact: true }).fill('ann-e2e');
  await ann.getByLabel('Password', { exact: true }).fill('a good long one');
  await screenshot(ann, 'sign-in');
  await expectAccessible(ann);
  await ann.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await heading(ann, 'ann-e2e').waitFor();

  const phone = await env.openPage(PHONE, '#/me');
  await phone.getByRole('button', { name: 'Continue as guest' }).click();
  await phone.getByText('You are playing as a guest.').waitFor();
  await expectNoHorizontalScroll(phone);
  await expectAccessible(phone);
  await screenshot(phone, 'me-phone');
});

test('a hotseat match switches between the seats', async () => {
  const ann = await env.openPage();
  await ann.goto(`${env.url}/#/game/orcain`);
  await button(ann, /^Play both sides/).click();
  await button(ann, /^Seat 1/).waitFor();
  for (const card of ['attack', 'defense', 'heal']) await button(ann, card).click();
  await button(ann, 'Lay out').click();
  await ann.locator('[aria-pressed="true"]', { hasText: 'Seat 2' }).waitFor();
  await heading(ann, 'Lay out your three cards').waitFor();
  await screenshot(ann, 'both-sides');
});

test('wrong addresses and codes show an error page', async () => {
  const page = await env.openPage(DESKTOP, '#/nowhere');
  await heading(page, 'Page not found').waitFor();
  await page.goto(`${env.url}/#/match/${'0'.repeat(32)}`);
  await heading(page, 'This match is not available').waitFor();
  await page.goto(`${env.url}/#/join/NOSUCH`);
  await heading(page, 'Match not found').waitFor();
  allowErrors(/404/);
});
