/** The server dies in the middle of a match, and both go on where they were. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import { decision, log, sit } from './hands.ts';
import { forgive, world } from './world.ts';

const data = mkdtempSync(join(tmpdir(), 'intermezzo-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));
const here = world('--data', data);

test('both go on after the server was killed, with nothing lost', async () => {
  const options = { rounds: 1, pack_size: 4, programme: 2 };
  const { pages } = await sit(here, { ruleset: 'draft', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  const marked = (page: Page) => page.getByRole('button', { name: /can be chosen$/ });
  for (let pick = 0; pick < 4; pick += 1) {
    for (const page of pages) {
      await marked(page).first().click();
      await page
        .getByText(new RegExp(`Picks ?${pick + 1}`))
        .or(page.getByRole('group', { name: `Picks, ${pick + 1}` }))
        .first()
        .waitFor();
    }
  }
  for (const page of pages)
    await decision(page).getByRole('heading', { name: 'Choose the acts of your programme' }).waitFor();
  await marked(ann).nth(0).click();
  await marked(ann).nth(0).click();
  await decision(ann).getByText('Kept as your draft').waitFor();
  const picked = ann.locator('.card.picked');
  const before = await picked.evaluateAll((all) => all.map((one) => one.getAttribute('data-thing')));
  expect(before).toHaveLength(2);

  await here.without(async () => {
    await ann.getByText('The connection is lost').waitFor();
  });
  await ann.getByText('The connection is lost').waitFor({ state: 'detached' });
  expect(await picked.evaluateAll((all) => all.map((one) => one.getAttribute('data-thing')))).toEqual(before);
  // Whoever comes back anew finds the draft as it was, too.
  await ann.reload();
  await expect
    .poll(() => picked.evaluateAll((all) => all.map((one) => one.getAttribute('data-thing'))))
    .toEqual(before);
  await decision(ann).getByRole('button', { name: 'Done' }).click();
  await marked(bob).nth(0).click();
  await marked(bob).nth(0).click();
  await decision(bob).getByRole('button', { name: 'Done' }).click();
  for (const page of pages) {
    await page.getByRole('region', { name: 'Result' }).waitFor();
    await log(page)
      .getByText(/The match is over/)
      .waitFor();
  }
  forgive(/WebSocket|ERR_CONNECTION|Failed to load/);
});
