import { expect, test } from 'vitest';

import { compare } from '../../src/match/compare.ts';
import { display, entity, player, view } from './fixtures.ts';

const game = display({
  ui: {
    compare: {
      choice: 'use',
      of: 'totals',
      key: 'featured',
      enough: 'joins in',
      less: 'stays out',
      defs: { bonfire: { less: 'has to obey' } },
    },
  },
});
const having = (seat: number, coin: number) => ({ ...player(seat), props: { totals: { coin, leaf: 9 } } });
const table = { ...view({ players: [having(0, 2), having(1, 2), having(2, 1)] }), you: 'p0' };
const harbour = entity('#1', { props: { featured: 'coin' } });

test('those who have as much join in, the others do not', () => {
  const found = compare('use', harbour, table, game);
  expect(found).toMatchObject({ sign: 'coin', own: 2 });
  expect(found!.rows.map(({ player, count, words }) => [player.id, count, words])).toEqual([
    ['p1', 2, 'joins in'],
    ['p2', 1, 'stays out'],
  ]);
});

test('an entity can have words of its own', () => {
  const found = compare('use', { ...harbour, def: 'bonfire' }, table, game);
  expect(found!.rows.map(({ words }) => words)).toEqual(['joins in', 'has to obey']);
});

test('other choices and spectators compare nothing', () => {
  expect(compare('lay', harbour, table, game)).toBeUndefined();
  expect(compare('use', harbour, { ...table, you: null }, game)).toBeUndefined();
});
