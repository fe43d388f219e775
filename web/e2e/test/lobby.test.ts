import { Client } from '@intermezzo/sdk';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DESK, fits, forgive, isAccessible, PHONE, picture, world } from './world.ts';

const here = world();

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

/** The same account in a program, for what the story is not about. */
async function program(page: Page): Promise<Client> {
  const token = await page.evaluate(() => localStorage.getItem('intermezzo.token'));
  return new Client({ server: here.url, token: token!, WebSocket: (await import('ws')).default });
}

async function concede(page: Page): Promise<void> {
  const client = await program(page);
  const id = /#\/match\/([0-9a-f]+)/.exec(page.url())![1]!;
  const match = client.follow(id);
  await match.concede();
  match.close();
}

test('a private match with rules of its own, by a link, and once more', async () => {
  const ann = await here.person();
  await ann.getByRole('link', { name: 'Duel of Mages', exact: true }).click();
  await heading(ann, 'Make a match').waitFor();
  await isAccessible(ann);
  await picture(ann, 'game');
  await ann.getByLabel('Name of the match').fill('Tuesday night');
  await ann.getByLabel('Private, by link only').check();
  await ann.getByText('Rules of this match').click();
  await ann.getByLabel('Life', { exact: true }).fill('7');
  await picture(ann, 'create');
  await button(ann, 'Make the match').click();

  await heading(ann, 'Tuesday night').waitFor();
  await ann.getByText('life: 7').waitFor();
  await ann.getByRole('img', { name: /QR code/ }).waitFor();
  await isAccessible(ann);
  await picture(ann, 'room');
  const link = await ann.getByLabel('Link to this match', { exact: true }).inputValue();
  expect(link).toContain('#/join/');

  const bob = await here.person(PHONE, new URL(link).hash);
  await button(bob, 'Sit here').click();
  await button(bob, 'I am ready').click();
  await fits(bob);
  await isAccessible(bob);
  await picture(bob, 'room-phone');
  await button(ann, 'I am ready').click();
  await Promise.all([ann, bob].map((page) => heading(page, 'Change your hand for one card less?').waitFor()));

  await concede(bob);
  await Promise.all([heading(ann, 'You have won').waitFor(), heading(bob, / won$/).waitFor()]);
  await picture(ann, 'result');
  await fits(bob);
  await picture(bob, 'result-phone');
  await isAccessible(bob);
  await button(ann, 'Play again').click();
  await button(bob, 'They want to play again: join').click();
  await Promise.all([ann, bob].map((page) => heading(page, 'Change your hand for one card less?').waitFor()));
});

test('bots are put on seats and taken off', async () => {
  const ann = await here.person(DESK, '#/game/skirmish');
  await button(ann, 'Make the match').click();
  await button(ann, 'Better bot').click();
  await button(ann, 'Take the bot away').click();
  await button(ann, 'Easy bot').click();
  await picture(ann, 'room-bot');
  await button(ann, 'I am ready').click();
  await ann.getByRole('region', { name: 'Table' }).waitFor();
});

test('two who look for an opponent find each other', async () => {
  const ann = await here.person(DESK, '#/game/orcain');
  await button(ann, 'Find an opponent').click();
  await ann.getByText('You are the first in line.').waitFor();
  await ann.getByText('Looking for an opponent in').waitFor();
  await picture(ann, 'waiting');
  await isAccessible(ann);
  const bob = await here.person(PHONE, '#/game/orcain');
  await bob.getByText('One player is waiting.').waitFor();
  await fits(bob);
  await isAccessible(bob);
  await picture(bob, 'game-phone');
  await button(bob, 'Find an opponent').click();
  await Promise.all([ann, bob].map((page) => heading(page, 'Lay out your three cards').waitFor()));

  await concede(bob);
  await heading(ann, 'You have won').waitFor();
  await ann.goto(`${here.url}/#/game/orcain`);
  const lines = ann.getByRole('table').getByRole('row');
  await lines.nth(2).waitFor();
  expect(await lines.nth(1).textContent()).toContain('1 of 1');
  await isAccessible(ann);
  await picture(ann, 'leaderboard');
  // Others are looked at by their names: what they play, and their public matches.
  await lines.nth(2).getByRole('link').click();
  await ann.getByRole('heading', { name: 'Public matches' }).waitFor();
  await ann.getByText('0 won, 1 lost').waitFor();
  await ann.getByRole('region', { name: 'Public matches' }).getByText('lost', { exact: true }).waitFor();
  await isAccessible(ann);
  await picture(ann, 'player');
  await ann.locator('header .who').click();
  await ann.getByText('1 won, 0 lost').waitFor();
  await isAccessible(ann);
  await picture(ann, 'me-rated');
});

test('who waits may stop waiting', async () => {
  const ann = await here.person(DESK, '#/game/mages');
  await button(ann, 'Find an opponent').click();
  await ann.getByText('You are the first in line.').waitFor();
  await ann.getByRole('link', { name: 'Lobby' }).click();
  await button(ann, 'Stop waiting').click();
  await ann.getByText('Looking for an opponent in').waitFor({ state: 'detached' });
});

test('open matches are listed, and those that wait for one come first', async () => {
  const ann = await here.person(DESK, '#/game/dogma');
  await ann.getByLabel('Name of the match').fill('Ages for all');
  await button(ann, 'Make the match').click();
  await heading(ann, 'Ages for all').waitFor();
  await ann.goto(`${here.url}/#/`);
  await button(ann, /^Play Duel of Mages/).click();
  await heading(ann, 'Change your hand').waitFor();
  await ann.getByRole('link', { name: 'Lobby' }).click();
  const own = ann.getByRole('region', { name: 'Your matches' }).getByRole('listitem');
  await own.nth(1).waitFor();
  expect(await own.first().textContent()).toContain('Your turn: Change your hand');
  expect(await own.nth(1).textContent()).toContain('Ages for all');
  await isAccessible(ann);
  await picture(ann, 'lobby');

  const bob = await here.person(PHONE, '#/lobby');
  await bob.getByRole('link', { name: /Ages for all/ }).waitFor();
  await fits(bob);
  await isAccessible(bob);
  await picture(bob, 'lobby-phone');
  await bob.getByRole('link', { name: /Ages for all/ }).click();
  await button(bob, 'Sit here').click();
  await button(bob, 'Leave').click();
  await button(bob, 'Sit here').waitFor();
});

test('a guest takes a name and a password, signs out, and comes back', async () => {
  const ann = await here.person();
  await button(ann, /^Play Orcain/).click();
  await heading(ann, 'Lay out your three cards').waitFor();
  await ann.locator('header .who').click();
  await ann.getByLabel('Name', { exact: true }).fill('ann-e2e');
  await button(ann, 'Change the name').click();
  await heading(ann, 'ann-e2e').waitFor();
  await ann.getByLabel('Password', { exact: true }).fill('a good long one');
  await button(ann, 'Set the password').click();
  await ann.getByText('account with a password').waitFor();
  await ann.getByText('To begin with').waitFor();
  await isAccessible(ann);
  await picture(ann, 'me');
  await button(ann, 'Sign out').click();
  // The page before has a field of that name, too.
  await heading(ann, 'Who are you?').waitFor();
  await ann.getByLabel('Name', { exact: true }).fill('ann-e2e');
  await ann.getByLabel('Password', { exact: true }).fill('a good long one');
  await picture(ann, 'sign-in');
  await isAccessible(ann);
  await ann.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await heading(ann, 'ann-e2e').waitFor();

  const phone = await here.person(PHONE, '#/me');
  await phone.getByRole('button', { name: 'Go on as a guest' }).click();
  await phone.getByText('You play as a guest.').waitFor();
  await fits(phone);
  await isAccessible(phone);
  await picture(phone, 'me-phone');
});

test('two seats on one screen take turns', async () => {
  const ann = await here.person();
  await button(ann, /^Both sides of Orcain/).click();
  await button(ann, /^Seat 1/).waitFor();
  for (const card of ['attack', 'defense', 'heal']) await button(ann, card).click();
  await button(ann, 'Done').click();
  await ann.locator('[aria-pressed="true"]', { hasText: 'Seat 2' }).waitFor();
  await heading(ann, 'Lay out your three cards').waitFor();
  await picture(ann, 'both-sides');
});

test('a wrong address and a wrong code are told in words', async () => {
  const page = await here.person(DESK, '#/nowhere');
  await heading(page, 'There is nothing here').waitFor();
  await page.goto(`${here.url}/#/match/${'0'.repeat(32)}`);
  await heading(page, 'This match cannot be shown').waitFor();
  await page.goto(`${here.url}/#/join/NOSUCH`);
  await heading(page, 'No such match').waitFor();
  forgive(/404/);
});
