import { expect, test } from 'vitest';

import { Latest } from '../src/replay/latest.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test('of many that are wanted in haste only the first and the last are loaded', async () => {
  const loaded: number[] = [];
  const latest = new Latest(async (key) => {
    loaded.push(key);
    await settled();
    return `moment ${key}`;
  });
  const shown: string[] = [];
  for (const key of [1, 2, 3, 4])
    latest.want(
      key,
      (value) => shown.push(value),
      () => undefined,
    );
  await settled();
  await settled();
  await settled();
  expect(loaded).toEqual([1, 4]);
  expect(shown).toEqual(['moment 4']);
  latest.want(
    1,
    (value) => shown.push(value),
    () => undefined,
  );
  expect(shown).toEqual(['moment 4', 'moment 1']);
});

test('a failure is told, and the next wish is tried', async () => {
  let isBroken = true;
  const latest = new Latest<number>((key) => (isBroken ? Promise.reject(new Error('gone')) : Promise.resolve(key)));
  const told: unknown[] = [];
  latest.want(
    1,
    (value) => told.push(value),
    (error) => told.push(String(error)),
  );
  await settled();
  isBroken = false;
  latest.want(
    1,
    (value) => told.push(value),
    (error) => told.push(error),
  );
  await settled();
  expect(told).toEqual(['Error: gone', 1]);
});

test('only so many are kept', async () => {
  const latest = new Latest((key) => Promise.resolve(key), 2);
  for (const key of [1, 2, 3]) await latest.fetchAhead(key);
  expect([1, 2, 3].map((key) => latest.known(key))).toEqual([undefined, 2, 3]);
});
