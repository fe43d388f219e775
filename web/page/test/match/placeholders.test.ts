import { expect, test } from 'vitest';

import { evaluate, fillPlaceholders } from '../../src/match/placeholders.ts';

const lookup = (name: string, prop: string | undefined) =>
  ({ harm: 9, target: '#4', 'target.hp': 24 })[prop === undefined ? name : `${name}.${prop}`];

test('sums of fields and properties are whole numbers', () => {
  expect(evaluate('harm / 2', lookup)).toBe(4);
  expect(evaluate('-harm / 2', lookup)).toBe(-4);
  expect(evaluate('target.hp - harm * (1 + 1)', lookup)).toBe(6);
  expect(evaluate('target', lookup)).toBe('#4');
});

test('what the viewer does not see has no value', () => {
  expect(evaluate('armour + 1', lookup)).toBeUndefined();
  expect(evaluate('target + 1', lookup)).toBeUndefined();
  expect(evaluate('', lookup)).toBeUndefined();
});

test('a text with an unknown placeholder is not shown', () => {
  const words = (value: unknown) => (value === '#4' ? 'Rogue' : String(value));
  expect(fillPlaceholders('{target} takes {harm / 2} instead of {harm}', lookup, words)).toBe(
    'Rogue takes 4 instead of 9',
  );
  expect(fillPlaceholders('against {armour}', lookup, words)).toBeUndefined();
});
