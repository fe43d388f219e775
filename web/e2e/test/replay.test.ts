import { Client, need, type Prompt } from '@intermezzo/sdk';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DESK, fits, forgive, isAccessible, PHONE, picture, world } from './world.ts';

const here = world();

/** The account of somebody with a browser, for what need not be clicked. */
async function accountOf(page: Page): Promise<Client> {
  const client = new Client({ server: here.url, WebSocket: class {} });
  const { token } = await client.guest();
  await page.evaluate((token) => localStorage.setItem('intermezzo.token', token), token);
  await page.reload();
  return client;
}

/** A duel of mages on one screen, played by chance for a while and then given up. One answer is taken back. */
async function finished(client: Client, answers = 24): Promise<string> {
  const { http } = client;
  const wish = { ruleset: 'mages', seats: 2, hotseat: true, private: true, options: { mulligan: false, mana: 4 } };
  const { id } = await need(http.POST('/matches', { body: wish }));
  const params = { path: { id } };
  await need(http.POST('/matches/{id}/seats', { params, body: { seat: 1 } }));
  await need(http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  for (let turn = 0; turn < answers; turn += 1) {
    let isAnswered = false;
    for (const seat of [0, 1]) {
      const { prompts } = await need(http.GET('/matches/{id}/inputs', { params: { ...params, query: { seat } } }));
      const prompt = prompts[0] as unknown as Prompt | undefined;
      if (!prompt) continue;
      const option = prompt.options[(turn * 7) % Math.max(1, prompt.options.length)];
      const answer = option
        ? Array.from({ length: Math.max(1, prompt.min) }, (_, at) => (option.n + at) % prompt.options.length)
        : 'pass';
      const path = { ...params.path, inputId: prompt.inputId };
      await need(
        http.POST('/matches/{id}/inputs/{inputId}', { params: { path, query: { seat } }, body: { answers: answer } }),
      );
      isAnswered = true;
      if (turn === 5) {
        await need(
          http.POST('/matches/{id}/control', { params: { ...params, query: { seat } }, body: { kind: 'undo' } }),
        );
        const agree = { kind: 'consent' as const, agree: true };
        const other = { ...params, query: { seat: 1 - seat } };
        await need(http.POST('/matches/{id}/control', { params: other, body: agree })).catch(() => undefined);
      }
    }
    if (!isAnswered) break;
  }
  await need(
    http.POST('/matches/{id}/control', { params: { ...params, query: { seat: 1 } }, body: { kind: 'concede' } }),
  );
  return id;
}

test('a match is gone through event by event, by keyboard, slider and causes', async () => {
  const page = await here.person();
  const id = await finished(await accountOf(page));
  await page.goto(`${here.url}/#/replay/${id}`);
  await page.getByRole('heading', { name: 'Duel of Mages' }).waitFor();
  await page.getByText('Before anything happened').waitFor();

  await page.keyboard.press('ArrowRight');
  await page.getByRole('slider', { name: 'Moment' }).and(page.locator('[aria-valuetext^="event 1 of"]')).waitFor();
  await page.keyboard.press('End');
  const last = Number(await page.getByRole('slider', { name: 'Moment' }).getAttribute('max'));
  expect(last).toBeGreaterThan(60);
  await page
    .getByRole('region', { name: 'The table at this moment' })
    .getByText('won', { exact: true })
    .first()
    .waitFor();
  expect(page.url()).toContain(`at=${last}&as=all`);

  // Everything that followed from one event is folded away and comes back.
  const rows = page.locator('[data-row]');
  const all = await rows.count();
  await page.getByRole('button', { name: 'Fold all' }).click();
  expect(await rows.count()).toBeLessThan(all);
  await page.getByRole('button', { name: 'Unfold all' }).click();
  expect(await rows.count()).toBe(all);

  // In the middle of a resolution it is told what is under way.
  for (let at = 0; at < 40 && (await page.getByRole('heading', { name: 'Under way' }).count()) === 0; at += 1) {
    await page.keyboard.press('ArrowLeft');
    await page.locator(`[data-row][aria-current='step']`).waitFor();
  }
  await page.getByRole('heading', { name: 'Under way' }).waitFor();
  await page
    .getByText(/^Taken back by /)
    .first()
    .waitFor();
  await isAccessible(page);
  await picture(page, 'replay');

  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.locator('[data-row="2"][aria-current="step"]').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
});

test('a link leads to a moment as somebody saw it, and what others hid stays hidden there', async () => {
  const page = await here.person();
  const id = await finished(await accountOf(page), 6);
  const other = await here.person(DESK, `#/replay/${id}?at=9999&as=seat0`);
  await other.locator('[data-row][aria-current="step"]').waitFor();
  expect(await other.getByRole('combobox', { name: /^As/ }).inputValue()).toBe('seat0');
  const hand = other.getByRole('region', { name: 'The table at this moment' }).locator('[data-zone="p1.hand"]');
  await hand.first().waitFor();
  expect(await hand.locator('[data-thing]').count()).toBe(0);

  await other.getByRole('combobox', { name: /^As/ }).selectOption('all');
  await hand.locator('[data-thing]').first().waitFor();
  expect(other.url()).toContain('as=all');
});

test('the seed is what was promised, and the log can be taken home', async () => {
  const page = await here.person();
  const id = await finished(await accountOf(page), 8);
  await page.goto(`${here.url}/#/replay/${id}`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('The seed is the one that was promised').waitFor();
  await page.getByText(/^All \d+ links of the log fit together/).waitFor();
  await page.getByText(/intermezzo verify mages-/).waitFor();
  await isAccessible(page);
  await picture(page, 'replay-verify', false);
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download log' }).click(),
  ]);
  const log = JSON.parse(await readFile(await download.path(), 'utf8')) as { ruleset: { id: string } };
  expect(log.ruleset.id).toBe('mages');
});

test('a log that was changed afterwards is found out', async () => {
  const page = await here.person();
  const id = await finished(await accountOf(page), 3);
  await page.route(/\/log$/, async (route) => {
    const answer = await route.fetch();
    const log = (await answer.json()) as { inputs: { state: string }[] };
    log.inputs[1]!.state = log.inputs[0]!.state;
    await route.fulfill({ response: answer, json: log });
  });
  await page.goto(`${here.url}/#/replay/${id}`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('The log does not fit together at input 2').waitFor();
});

test('one plays on from the middle of another match', async () => {
  const page = await here.person();
  const id = await finished(await accountOf(page), 6);
  await page.goto(`${here.url}/#/replay/${id}`);
  await page.getByRole('button', { name: 'To the next input' }).click();
  await page.getByRole('button', { name: 'Play on from here' }).click();
  await page.waitForURL(/#\/match\/[0-9a-f]{32}$/);
  expect(page.url()).not.toContain(id);
  await page.getByText('Your turn').or(page.getByRole('heading')).first().waitFor();
});

test('a replay fits a phone, in light and in dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await here.person({ ...PHONE, colorScheme });
    const id = await finished(await accountOf(page), 10);
    await page.goto(`${here.url}/#/replay/${id}?at=9999`);
    await page.locator('[data-row][aria-current="step"]').waitFor();
    await page.getByRole('region', { name: 'The table at this moment' }).locator('[data-zone]').first().waitFor();
    await fits(page);
    await isAccessible(page);
    await picture(page, `replay-phone-${colorScheme}`);
  }
});

test('a match that is not over cannot be replayed, and says so', async () => {
  const page = await here.person();
  const client = await accountOf(page);
  const body = { ruleset: 'mages', places: ['human', 'random'] as ('human' | 'random')[] };
  const { id } = await need(client.http.POST('/matches', { body }));
  await need(client.http.POST('/matches/{id}/start', { params: { path: { id } } }));
  await page.goto(`${here.url}/#/replay/${id}`);
  await page.getByRole('heading', { name: 'This match cannot be replayed' }).waitFor();
  forgive(/403/);
});
