import { expect, test, vi } from 'vitest';

vi.stubGlobal('location', { hash: '' });
vi.stubGlobal('addEventListener', () => undefined);
const { parse, to } = await import('../src/lib/route.svelte.ts');

test('addresses are read as they were written', () => {
  expect(parse('#/match/17?seat=1').path).toEqual(['match', '17']);
  expect(parse('#/match/17?seat=1').query.get('seat')).toBe('1');
  expect(parse('').path).toEqual([]);
  expect(parse('#/').path).toEqual([]);
  expect(parse(to('game', 'a/b c')).path).toEqual(['game', 'a/b c']);
  expect(parse('#/%E0%A4%A').path).toEqual(['%E0%A4%A']);
});
