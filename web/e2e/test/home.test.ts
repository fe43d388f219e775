import { expect, test } from 'vitest';

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

test('one click starts a match against a bot as a guest', async () => {
  const page = await env.openPage();
  await page.getByRole('heading', { name: 'Orcain' }).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'home');
  await page.getByRole('button', { name: /^Play Orcain/ }).click();
  await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
  expect(page.url()).toMatch(/#\/match\/[0-9a-f]{32}$/);
});

test('the default opponent is the greedy bot', async () => {
  const page = await env.openPage();
  const made = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/matches'),
  );
  await page.getByRole('button', { name: /^Play Duel of Mages/ }).click();
  expect(await (await made).json()).toMatchObject({ seats: [{ seat: 0 }, { seat: 1, bot: 'greedy' }] });
  await page.getByRole('heading', { name: 'Change your hand for one card less?' }).waitFor();
});

test('the home page fits a phone in light and dark mode', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await env.openPage({ ...PHONE, colorScheme });
    await page.getByRole('heading', { name: 'Orcain' }).waitFor();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await screenshot(page, `home-phone-${colorScheme}`);
  }
});

test('loading the games can be retried', async () => {
  const page = await env.openPage();
  await page.getByRole('heading', { name: 'Orcain' }).waitFor();
  await page.route('**/rulesets?*', (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').getByText('Games could not be loaded').waitFor();
  await expectAccessible(page);
  await page.unroute('**/rulesets?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Orcain' }).waitFor();
  allowErrors(/ERR_FAILED/);
});

test('all pages are readable in dark mode', async () => {
  const page = await env.openPage({ ...DESKTOP, colorScheme: 'dark' }, '#/game/skirmish');
  await page.getByText('Game options').click();
  await expectAccessible(page);
  await screenshot(page, 'game-dark');
  await page.getByRole('button', { name: 'Create match' }).click();
  await page.getByRole('heading', { name: 'Seats' }).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'room-dark');
  for (const name of ['lobby', 'me', 'playground']) {
    await page.goto(`${env.url}/#/${name}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status').first().waitFor({ state: 'attached' });
    await expectAccessible(page);
    await screenshot(page, `${name}-dark`);
  }
});

test('a match can be started with the keyboard', async () => {
  const page = await env.openPage();
  const play = page.getByRole('button', { name: /^Play Orcain/ });
  await play.waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  for (
    let presses = 0;
    presses < 10 && !(await play.evaluate((node) => node === document.activeElement));
    presses += 1
  ) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
});

test('the chosen theme is remembered', async () => {
  const page = await env.openPage({ ...DESKTOP, colorScheme: 'light' });
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Light theme' }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
});

test('a match that waits for the player is one press away, and friends are invited from the first page', async () => {
  const page = await env.openPage();
  await page.getByRole('button', { name: /^Play Orcain/ }).click();
  await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
  await page.goto(`${env.url}/#/`);
  const callout = page.getByRole('region', { name: 'Your move', exact: true });
  await callout.getByText('Your move in Orcain Duel').waitFor();
  await expectAccessible(page);
  await screenshot(page, 'home-waiting', false);
  await callout.getByRole('link', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
  await page.goto(`${env.url}/#/`);
  await page.getByRole('button', { name: /^With a friend.*Duel of Mages/ }).click();
  await page.getByRole('heading', { name: 'Seats' }).waitFor();
});
