import { expect, test } from 'vitest';

import { accessibleValue, changeDetails, changeOf } from '../../src/match/modified-values.ts';
import { entity } from './fixtures.ts';

const raider = entity('#1', {
  props: { power: 4, cost: 1, resists: ['fire'], life: 3 },
  modified: {
    power: {
      base: 2,
      by: [
        { source: '#2', title: 'Goblin Captain', change: 3 },
        { source: null, title: null, change: -1 },
      ],
    },
    cost: { base: 2, by: [{ source: null, title: 'market_day', change: -1 }] },
    resists: { base: [], by: [{ source: '#1', title: 'Raging', change: null }] },
  },
});

test('a changed value is more, less or other than its base', () => {
  expect(['power', 'cost', 'resists', 'life'].map((name) => changeOf(raider, name))).toEqual([
    'more',
    'less',
    'other',
    undefined,
  ]);
  expect(changeOf(entity('#2'), 'power')).toBeUndefined();
});

test('changes are listed in order, and hidden sources are not named', () => {
  expect(changeDetails(raider).map(({ name, value, steps }) => `${name} ${value}: ${steps}`)).toEqual([
    'Power 4: 2, +3 from Goblin Captain, −1 from a hidden effect',
    'Cost 1: 2, −1 from Market day',
    'Resists fire: none, changed by Raging',
  ]);
  expect(changeDetails(entity('#2'))).toEqual([]);
});

test('screen readers get the base value, too', () => {
  expect(accessibleValue(raider, 'power', 4)).toBe('4 instead of 2');
  expect(accessibleValue(raider, 'life', 3)).toBe('3');
});
