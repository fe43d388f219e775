import { expect, test } from 'vitest';

import { LatestLoader } from '../../src/replay/latest-loader.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test('only the first and the last of many quick requests are loaded', async () => {
  const loaded: number[] = [];
  const latest = new LatestLoader(async (key) => {
    loaded.push(key);
    await settled();
    return `moment ${key}`;
  });
  const shown: string[] = [];
  for (const key of [1, 2, 3, 4])
    latest.request(
      key,
      (value) => shown.push(value),
      () => undefined,
    );
  await settled();
  await settled();
  await settled();
  expect(loaded).toEqual([1, 4]);
  expect(shown).toEqual(['moment 4']);
  latest.request(
    1,
    (value) => shown.push(value),
    () => undefined,
  );
  expect(shown).toEqual(['moment 4', 'moment 1']);
});

test('a failure is reported and the next request tries again', async () => {
  let isBroken = true;
  const latest = new LatestLoader<number>((key) =>
    isBroken ? Promise.reject(new Error('gone')) : Promise.resolve(key),
  );
  const results: unknown[] = [];
  latest.request(
    1,
    (value) => results.push(value),
    (error) => results.push(String(error)),
  );
  await settled();
  isBroken = false;
  latest.request(
    1,
    (value) => results.push(value),
    (error) => results.push(error),
  );
  await settled();
  expect(results).toEqual(['Error: gone', 1]);
});

test('the cache is limited', async () => {
  const latest = new LatestLoader((key) => Promise.resolve(key), 2);
  for (const key of [1, 2, 3]) await latest.prefetch(key);
  expect([1, 2, 3].map((key) => latest.cached(key))).toEqual([undefined, 2, 3]);
});
