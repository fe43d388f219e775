/** The server is killed in the middle of a match. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import { decision, log, startMatch } from '../support/match-actions.ts';
import { allowErrors, setupEnvironment } from '../support/test-environment.ts';

const data = mkdtempSync(join(tmpdir(), 'intermezzo-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));
const env = setupEnvironment('--data', data);

test('players continue after the server was killed, and nothing is lost', async () => {
  const options = { rounds: 1, pack_size: 4, programme: 2 };
  const { pages } = await startMatch(env, { ruleset: 'draft', options, places: ['human', 'human'] });
  const [ann, bob] = pages as [Page, Page];
  const selectable = (page: Page) => page.getByRole('button', { name: /selectable$/ });
  for (let pick = 0; pick < 4; pick += 1) {
    for (const page of pages) {
      await selectable(page).first().click();
      await page
        .getByText(new RegExp(`Picks ?${pick + 1}`))
        .or(page.getByRole('group', { name: `Picks, ${pick + 1}` }))
        .first()
        .waitFor();
    }
  }
  for (const page of pages)
    await decision(page).getByRole('heading', { name: 'Choose the acts of your programme' }).waitFor();
  // Cards of one hour overlap; their titles are in sight.
  const title = { position: { x: 20, y: 8 } };
  await selectable(ann).nth(0).click(title);
  await selectable(ann).nth(0).click(title);
  await decision(ann).getByText('Draft saved.').waitFor();
  const picked = ann.locator('.card.picked');
  const before = await picked.evaluateAll((all) => all.map((one) => one.getAttribute('data-object')));
  expect(before).toHaveLength(2);

  await env.whileStopped(async () => {
    await ann.getByText('Connection lost.').waitFor();
  });
  await ann.getByText('Connection lost.').waitFor({ state: 'detached' });
  expect(await picked.evaluateAll((all) => all.map((one) => one.getAttribute('data-object')))).toEqual(before);
  // The draft also survives a reload.
  await ann.reload();
  await expect
    .poll(() => picked.evaluateAll((all) => all.map((one) => one.getAttribute('data-object'))))
    .toEqual(before);
  await decision(ann)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .click();
  await selectable(bob).nth(0).click(title);
  await selectable(bob).nth(0).click(title);
  await decision(bob)
    .getByRole('button', { name: /^(Confirm|Lay out)/ })
    .click();
  for (const page of pages) {
    await page.getByRole('region', { name: 'Result' }).waitFor();
    await log(page)
      .getByText(/The match is over/)
      .waitFor();
  }
  allowErrors(/WebSocket|ERR_CONNECTION|Failed to load/);
});
