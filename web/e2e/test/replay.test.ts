import { Client, unwrap, type Prompt } from '@intermezzo/sdk';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
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

/** Signs a page in and returns an SDK client for its account, for steps that need no clicking. */
async function signIn(page: Page): Promise<Client> {
  const client = new Client({ server: env.url, WebSocket: class {} });
  const { token } = await client.guest();
  await page.evaluate((token) => localStorage.setItem('intermezzo.token', token), token);
  await page.reload();
  return client;
}

/** Plays a hotseat match of mages with an undo, concedes it, and returns its id. */
async function playMatch(client: Client, answers = 24): Promise<string> {
  const { http } = client;
  const body = { ruleset: 'mages', seats: 2, hotseat: true, private: true, options: { mulligan: false, mana: 4 } };
  const { id } = await unwrap(http.POST('/matches', { body }));
  const params = { path: { id } };
  await unwrap(http.POST('/matches/{id}/seats', { params, body: { seat: 1 } }));
  await unwrap(http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  for (let turn = 0; turn < answers; turn += 1) {
    let isAnswered = false;
    for (const seat of [0, 1]) {
      const { prompts } = await unwrap(http.GET('/matches/{id}/inputs', { params: { ...params, query: { seat } } }));
      const prompt = prompts[0] as unknown as Prompt | undefined;
      if (!prompt) continue;
      const option = prompt.options[(turn * 7) % Math.max(1, prompt.options.length)];
      const answer = option
        ? Array.from({ length: Math.max(1, prompt.min) }, (_, at) => ({ n: (option.n + at) % prompt.options.length }))
        : 'pass';
      const path = { ...params.path, inputId: prompt.inputId };
      await unwrap(
        http.POST('/matches/{id}/inputs/{inputId}', { params: { path, query: { seat } }, body: { answers: answer } }),
      );
      isAnswered = true;
      if (turn === 5) {
        await unwrap(
          http.POST('/matches/{id}/control', { params: { ...params, query: { seat } }, body: { kind: 'undo' } }),
        );
        const agree = { kind: 'consent' as const, agree: true };
        const other = { ...params, query: { seat: 1 - seat } };
        await unwrap(http.POST('/matches/{id}/control', { params: other, body: agree })).catch(() => undefined);
      }
    }
    if (!isAnswered) break;
  }
  await unwrap(
    http.POST('/matches/{id}/control', { params: { ...params, query: { seat: 1 } }, body: { kind: 'concede' } }),
  );
  return id;
}

test('a replay is navigated with keyboard, slider and event list', async () => {
  const page = await env.openPage();
  const id = await playMatch(await signIn(page));
  await page.goto(`${env.url}/#/replay/${id}`);
  await page.getByRole('heading', { name: 'Duel of Mages' }).waitFor();
  await page.getByText('Start of the match').first().waitFor();

  // Decision by decision, in the words of players, from where the first is made: everything is laid out then.
  const decisions = page.getByRole('complementary', { name: 'Decisions' });
  await page.getByRole('region', { name: 'Table' }).getByText('Battlefield').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await decisions.locator('[aria-current="step"]').waitFor();
  await decisions.getByLabel('Alternatives').getByText(/^or /).first().waitFor();
  await expectAccessible(page);
  await screenshot(page, 'replay-decisions', false);
  await page.keyboard.press('Home');

  await page.getByRole('button', { name: 'Details' }).click();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('slider', { name: 'Position' }).and(page.locator('[aria-valuetext^="event 1 of"]')).waitFor();
  await page.keyboard.press('End');
  const last = Number(await page.getByRole('slider', { name: 'Position' }).getAttribute('max'));
  expect(last).toBeGreaterThan(60);
  await page.getByRole('region', { name: 'Table' }).getByText('won', { exact: true }).first().waitFor();
  expect(page.url()).toContain(`at=${last}&as=all`);

  // Consequences can be collapsed and expanded.
  const rows = page.locator('[data-row]');
  const all = await rows.count();
  await page.getByRole('button', { name: 'Collapse all' }).click();
  expect(await rows.count()).toBeLessThan(all);
  await page.getByRole('button', { name: 'Expand all' }).click();
  expect(await rows.count()).toBe(all);

  // In the middle of a resolution the work in progress is shown.
  for (let at = 0; at < 40 && (await page.getByRole('heading', { name: 'In progress' }).count()) === 0; at += 1) {
    await page.keyboard.press('ArrowLeft');
    await page.locator(`[data-row][aria-current='step']`).waitFor();
  }
  await page.getByRole('heading', { name: 'In progress' }).waitFor();
  await page
    .getByText(/^Undone by /)
    .first()
    .waitFor();
  await expectAccessible(page);
  await screenshot(page, 'replay');

  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.locator('[data-row="2"][aria-current="step"]').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
});

test('a link opens a moment from one perspective, and hidden cards stay hidden', async () => {
  const page = await env.openPage();
  const id = await playMatch(await signIn(page), 6);
  const other = await env.openPage(DESKTOP, `#/replay/${id}?at=9999&as=seat0`);
  await other.locator('button[aria-current="step"]').waitFor();
  expect(await other.getByRole('combobox', { name: /^Seen as/ }).inputValue()).toBe('seat0');
  const hand = other.getByRole('region', { name: 'Table' }).locator('[data-zone="p1.hand"]');
  await hand.first().waitFor();
  expect(await hand.locator('[data-object]').count()).toBe(0);

  await other.getByRole('combobox', { name: /^Seen as/ }).selectOption('all');
  await hand.locator('[data-object]').first().waitFor();
  expect(other.url()).toContain('as=all');
});

test('the seed is verified and the log can be downloaded', async () => {
  const page = await env.openPage();
  const id = await playMatch(await signIn(page), 8);
  await page.goto(`${env.url}/#/replay/${id}`);
  await page.getByRole('button', { name: 'Was it fair?' }).click();
  await page.getByText('The seed matches the commitment').waitFor();
  await page.getByText(/^All \d+ links of the hash chain are valid/).waitFor();
  await page.getByText(/intermezzo verify mages-/).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'replay-verify', false);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Details' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download log' }).click(),
  ]);
  const log = JSON.parse(await readFile(await download.path(), 'utf8')) as { ruleset: { id: string } };
  expect(log.ruleset.id).toBe('mages');
});

test('a changed log fails verification', async () => {
  const page = await env.openPage();
  const id = await playMatch(await signIn(page), 3);
  await page.route(/\/log$/, async (route) => {
    const answer = await route.fetch();
    const log = (await answer.json()) as { inputs: { state: string }[] };
    log.inputs[1]!.state = log.inputs[0]!.state;
    await route.fulfill({ response: answer, json: log });
  });
  await page.goto(`${env.url}/#/replay/${id}`);
  await page.getByRole('button', { name: 'Was it fair?' }).click();
  await page.getByText('The hash chain is broken at input 2').waitFor();
});

test('a new match can be forked from a replay', async () => {
  const page = await env.openPage();
  const id = await playMatch(await signIn(page), 6);
  await page.goto(`${env.url}/#/replay/${id}`);
  await page.getByRole('button', { name: 'Next input' }).click();
  await page.getByRole('button', { name: 'Play from here' }).click();
  await page.waitForURL(/#\/match\/[0-9a-f]{32}$/);
  expect(page.url()).not.toContain(id);
  await page.getByText('Your turn').or(page.getByRole('heading')).first().waitFor();
});

test('a replay fits a phone in light and dark mode', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await env.openPage({ ...PHONE, colorScheme });
    const id = await playMatch(await signIn(page), 10);
    await page.goto(`${env.url}/#/replay/${id}?at=9999`);
    await page.locator('[aria-current="step"]').waitFor();
    await page.getByRole('region', { name: 'Table' }).locator('[data-zone]').first().waitFor();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await screenshot(page, `replay-phone-${colorScheme}`);
  }
});

test('a running match cannot be replayed', async () => {
  const page = await env.openPage();
  const client = await signIn(page);
  const body = { ruleset: 'mages', places: ['human', 'random'] as ('human' | 'random')[] };
  const { id } = await unwrap(client.http.POST('/matches', { body }));
  await unwrap(client.http.POST('/matches/{id}/start', { params: { path: { id } } }));
  await page.goto(`${env.url}/#/replay/${id}`);
  await page.getByRole('heading', { name: 'Replay not available' }).waitFor();
  allowErrors(/403/);
});
