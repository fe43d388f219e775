import { Text } from '@codemirror/state';
import { expect, test } from 'vitest';

import { formatRolls, parseRolls } from '../src/playground/dice-text.ts';
import { offsetOf, positionOf, rangeOf } from '../src/playground/editor-positions.ts';

const text = Text.of(['name: 😀 x', '', 'end']);

test('surrogate pairs count as one character', () => {
  expect(offsetOf(text, { line: 1, column: 9 })).toBe(9);
  expect(positionOf(text, 9)).toEqual({ line: 1, column: 9 });
  expect(text.sliceString(offsetOf(text, { line: 1, column: 9 }), 10)).toBe('x');
});

test('positions outside a file are clamped', () => {
  expect(offsetOf(text, { line: 99, column: 1 })).toBe(text.length);
  expect(offsetOf(text, { line: 1, column: 99 })).toBe(10);
  expect(offsetOf(text, { line: 0, column: 0 })).toBe(0);
});

test('ranges are never empty unless the line is', () => {
  expect(rangeOf(text, { line: 3, column: 4 }, { line: 3, column: 4 })).toEqual({ from: 14, to: 15 });
  expect(rangeOf(text, { line: 3, column: 1 }, { line: 3, column: 1 })).toEqual({ from: 12, to: 13 });
  expect(rangeOf(text, { line: 2, column: 1 }, { line: 2, column: 1 })).toEqual({ from: 11, to: 11 });
});

test('formatted rolls parse to the same rolls', () => {
  const rolls = [[3, 5], { for: 'attack', faces: [17] }];
  expect(parseRolls('3 5\nattack: 17\n')).toEqual(rolls);
  expect(parseRolls(formatRolls(rolls))).toEqual(rolls);
  expect(parseRolls('a six')).toHaveProperty('error');
});
