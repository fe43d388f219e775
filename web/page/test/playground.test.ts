import { Text } from '@codemirror/state';
import { expect, test } from 'vitest';

import { readRolls, writeRolls } from '../src/playground/dice.ts';
import { offsetOf, positionOf, rangeOf } from '../src/playground/positions.ts';

const text = Text.of(['name: 😀 x', '', 'end']);

test('characters that are two units long do not shift what comes after', () => {
  expect(offsetOf(text, { line: 1, column: 9 })).toBe(9);
  expect(positionOf(text, 9)).toEqual({ line: 1, column: 9 });
  expect(text.sliceString(offsetOf(text, { line: 1, column: 9 }), 10)).toBe('x');
});

test('places outside a file are moved into it', () => {
  expect(offsetOf(text, { line: 99, column: 1 })).toBe(text.length);
  expect(offsetOf(text, { line: 1, column: 99 })).toBe(10);
  expect(offsetOf(text, { line: 0, column: 0 })).toBe(0);
});

test('there is something to underline wherever there can be', () => {
  expect(rangeOf(text, { line: 3, column: 4 }, { line: 3, column: 4 })).toEqual({ from: 14, to: 15 });
  expect(rangeOf(text, { line: 3, column: 1 }, { line: 3, column: 1 })).toEqual({ from: 12, to: 13 });
  expect(rangeOf(text, { line: 2, column: 1 }, { line: 2, column: 1 })).toEqual({ from: 11, to: 11 });
});

test('rolls are read as they are written', () => {
  const rolls = [[3, 5], { for: 'attack', faces: [17] }];
  expect(readRolls('3 5\nattack: 17\n')).toEqual(rolls);
  expect(readRolls(writeRolls(rolls))).toEqual(rolls);
  expect(readRolls('a six')).toHaveProperty('wrong');
});
