/** The hash of a view. The server's tests have the same example. */
import { expect, test } from 'vitest';
import { applyPatch, viewHash, type View } from '../src/index.ts';

const view = JSON.parse(
  `{"you":"p0","match":{"round":1},"players":[{"id":"p0","props":{"hp":7},"zones":{"hand":{"count":2,
  "items":[{"id":"#3","title":"Götter \\"x\\"","zones":{"in":{"count":1}}},null]}}}],
  "zones":{"table":{"count":0}},"ending":null}`,
) as View;

test('the hash of a view is the sum of the hashes of its parts', () => {
  expect(viewHash(view)).toBe('6aadf0c65a367f62');
});

test('the hash follows a patch', () => {
  viewHash(view);
  const patched = applyPatch(view, [{ op: 'replace', path: '/players/0/props/hp', value: 8 }]);
  expect(viewHash(patched)).toBe('59fb7769bff90ddc');
  expect(viewHash(JSON.parse(JSON.stringify(patched)) as View)).toBe('59fb7769bff90ddc');
});
