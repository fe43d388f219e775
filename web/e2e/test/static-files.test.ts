import { readdir, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { setupEnvironment } from '../support/test-environment.ts';

const env = setupEnvironment();
const FILES = new URL('../../page/dist/files/', import.meta.url);
/** Size limit of the initial files, compressed. */
const MAX_BYTES = 200_000;
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

test('the initial files stay below the size limit', async () => {
  const names = [...(await firstFiles()).map((file) => file.replace('/page/', '')), 'index.html'];
  const size = async (name: string) => (await stat(new URL(name, FILES))).size;
  const sizes = await Promise.all(names.map((name) => size(`${name}.br`).catch(() => size(name))));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  expect((await readdir(FILES)).includes('index.html')).toBe(true);
});
