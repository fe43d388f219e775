import { expect, test, vi } from 'vitest';

vi.stubGlobal('location', { hash: '' });
vi.stubGlobal('addEventListener', () => undefined);
const { parseRoute, pathTo } = await import('../src/lib/route.svelte.ts');

test('routes are parsed as they are formatted', () => {
  expect(parseRoute('#/match/17?seat=1').path).toEqual(['match', '17']);
  expect(parseRoute('#/match/17?seat=1').query.get('seat')).toBe('1');
  expect(parseRoute('').path).toEqual([]);
  expect(parseRoute('#/').path).toEqual([]);
  expect(parseRoute(pathTo('game', 'a/b c')).path).toEqual(['game', 'a/b c']);
  expect(parseRoute('#/%E0%A4%A').path).toEqual(['%E0%A4%A']);
});
