import { readdir, stat } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DESKTOP, setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const FILES = new URL('../../page/dist/files/', import.meta.url);
/** Limit from an empty cache to a running match: files of the page as sent with gzip, with headers, without what games choose. */
const MAX_BYTES = 150_000;
/** Smaller files are not compressed. */
const MIN_COMPRESSED_BYTES = 512;

const CONTENT_TYPES: Record<string, RegExp> = { css: /^text\/css/, js: /^text\/javascript/, woff2: /^font\/woff2/ };

const html = { accept: 'text/html' };

async function firstFiles(): Promise<string[]> {
  const page = await (await fetch(env.url, { headers: html })).text();
  return [...page.matchAll(/(?:src|href)="(\/page\/assets\/[^"]+)"/g)].map((found) => found[1]!);
}

test('assets are compressed and cached forever', async () => {
  const files = await firstFiles();
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const answer = await fetch(env.url + file, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const plainBytes = (await stat(new URL(file.replace('/page/', ''), FILES))).size;
    // Fonts are compressed already.
    if (plainBytes >= MIN_COMPRESSED_BYTES && !file.endsWith('.woff2')) {
      expect(answer.headers.get('content-encoding')).toBe('br');
      expect(answer.headers.get('vary')).toContain('accept-encoding');
    }
    expect(answer.headers.get('content-type')).toMatch(CONTENT_TYPES[file.split('.').at(-1)!]!);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const plain = await fetch(env.url + file, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await answer.text());
  }
});

test('the HTML page is revalidated with an ETag', async () => {
  const first = await fetch(env.url, { headers: html });
  expect(first.headers.get('cache-control')).toBe('no-cache');
  expect(first.headers.get('content-security-policy')).toContain("script-src 'self';");
  const again = await fetch(env.url, { headers: { ...html, 'if-none-match': first.headers.get('etag')! } });
  expect(again.status).toBe(304);
});

/** Pictures that a ruleset chooses, as it chooses files of its own; which ones a match shows first depends on its seed. */
const figures = (await readdir(new URL('../../page/src/art/figures/', import.meta.url))).map((name) =>
  name.slice(0, -4),
);
const isFigure = (path: string) =>
  figures.some((name) => path.startsWith(`/page/assets/${name}-`) && path.endsWith('.svg'));

/** Every browser understands gzip; Brotli, which is smaller, needs a secure connection. */
const WITHOUT_BROTLI = { ...DESKTOP, extraHTTPHeaders: { 'accept-encoding': 'gzip' } };

/** Sums what a visitor with an empty cache downloads of the page until the first decision of a match. */
async function bytesToMatch(page: Page, game: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const ofPage = new Set<string>();
  const encodings = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url);
    if (pathname !== '/' && !(pathname.startsWith('/page/') && !isFigure(pathname))) return;
    ofPage.add(requestId);
    encodings.add(response.headers['content-encoding'] ?? 'none');
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (ofPage.has(requestId)) bytes += encodedDataLength;
  });
  await page.reload();
  await page
    .getByRole('button', { name: /^Play / })
    .nth(game)
    .click();
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await page.waitForLoadState('networkidle');
  // Fonts and very small files are sent as they are.
  expect([...encodings].sort()).toEqual(['gzip', 'none']);
  return bytes;
}

test('from the home page to a match, the page loads at most 150 kB with gzip', { timeout: 60_000 }, async () => {
  const home = await env.openPage();
  const buttons = home.getByRole('button', { name: /^Play / });
  await buttons.first().waitFor();
  const count = await buttons.count();
  expect(count).toBeGreaterThan(1);
  const sizes: number[] = [];
  for (let game = 0; game < count; game += 1) {
    const page = await env.openPage(WITHOUT_BROTLI);
    sizes.push(await bytesToMatch(page, game));
    await page.context().close();
  }
  console.log('bytes from the home page to a match', sizes);
  // Less would mean that the files were not counted.
  expect(Math.min(...sizes)).toBeGreaterThan(MAX_BYTES / 2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_BYTES);
});
