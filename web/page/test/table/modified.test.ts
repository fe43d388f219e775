import { expect, test } from 'vitest';

import { changeOf, changesOf, heard } from '../../src/table/modified.ts';
import { thing } from './some.ts';

const raider = thing('#1', {
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

test('what is changed is more, less or merely other than before', () => {
  expect(['power', 'cost', 'resists', 'life'].map((name) => changeOf(raider, name))).toEqual([
    'more',
    'less',
    'other',
    undefined,
  ]);
  expect(changeOf(thing('#2'), 'power')).toBeUndefined();
});

test('what made a value is told in the order it counts, and what is hidden has no name', () => {
  expect(changesOf(raider).map(({ name, value, how }) => `${name} ${value}: ${how}`)).toEqual([
    'Power 4: 2, +3 by Goblin Captain, −1 by something hidden',
    'Cost 1: 2, −1 by Market day',
    'Resists fire: nothing, changed by Raging',
  ]);
  expect(changesOf(thing('#2'))).toEqual([]);
});

test('who hears a value hears what it would be', () => {
  expect(heard(raider, 'power', 4)).toBe('4 instead of 2');
  expect(heard(raider, 'life', 3)).toBe('3');
});
