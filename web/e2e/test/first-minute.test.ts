import { expect, test } from 'vitest';

import { DESK, fits, isAccessible, PHONE, picture, world } from './world.ts';

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

test('the page fits a phone, in light and in dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await here.person({ ...PHONE, colorScheme });
    await page.getByRole('heading', { name: 'Orcain' }).waitFor();
    await fits(page);
    await isAccessible(page);
    await picture(page, `home-phone-${colorScheme}`);
  }
});

test('the theme that was chosen stays', async () => {
  const page = await here.person({ ...DESK, colorScheme: 'light' });
  await page.getByRole('button', { name: 'Dark colours' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Light colours' }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
});
