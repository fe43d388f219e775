import { expect, test } from 'vitest';

import { DESK, fits, forgive, isAccessible, PHONE, picture, world } from './world.ts';

const here = world();

test('one click on a game and a guest is playing against a bot', async () => {
  const page = await here.person();
  await page.getByRole('heading', { name: 'Orcain' }).waitFor();
  await isAccessible(page);
  await picture(page, 'home');
  await page.getByRole('button', { name: /^Play Orcain/ }).click();
  await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
  expect(page.url()).toMatch(/#\/match\/[0-9a-f]{32}$/);
});

test('bots that one plays against at once think ahead, also where something is hidden', async () => {
  const page = await here.person();
  const made = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/matches'),
  );
  await page.getByRole('button', { name: /^Play Duel of Mages/ }).click();
  expect(await (await made).json()).toMatchObject({ seats: [{ seat: 0 }, { seat: 1, bot: 'greedy' }] });
  await page.getByRole('heading', { name: 'Change your hand for one card less?' }).waitFor();
});

test('the page fits a phone, in light and in dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await here.person({ ...PHONE, colorScheme });
    await page.getByRole('heading', { name: 'Orcain' }).waitFor();
    await fits(page);
    await isAccessible(page);
    await picture(page, `home-phone-${colorScheme}`);
  }
});

test('who cannot reach the server may try again', async () => {
  const page = await here.person();
  await page.getByRole('heading', { name: 'Orcain' }).waitFor();
  await page.route('**/rulesets?*', (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').getByText('The games could not be loaded').waitFor();
  await isAccessible(page);
  await page.unroute('**/rulesets?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Orcain' }).waitFor();
  forgive(/ERR_FAILED/);
});

test('everything can be read in the dark', async () => {
  const page = await here.person({ ...DESK, colorScheme: 'dark' }, '#/game/skirmish');
  await page.getByText('Rules of this match').click();
  await isAccessible(page);
  await picture(page, 'game-dark');
  await page.getByRole('button', { name: 'Make the match' }).click();
  await page.getByRole('heading', { name: 'Seats' }).waitFor();
  await isAccessible(page);
  await picture(page, 'room-dark');
  for (const name of ['lobby', 'me', 'playground']) {
    await page.goto(`${here.url}/#/${name}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status').first().waitFor({ state: 'attached' });
    await isAccessible(page);
    await picture(page, `${name}-dark`);
  }
});

test('no mouse is needed', async () => {
  const page = await here.person();
  const play = page.getByRole('button', { name: /^Play Orcain/ });
  await play.waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
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

test('the theme that was chosen stays', async () => {
  const page = await here.person({ ...DESK, colorScheme: 'light' });
  await page.getByRole('button', { name: 'Dark colours' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Light colours' }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
});
