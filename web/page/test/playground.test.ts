import { Text } from '@codemirror/state';
import type { Branch, Prompt } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { readRolls, writeRolls } from '../src/playground/dice.ts';
import { offsetOf, positionOf, rangeOf } from '../src/playground/positions.ts';
import { branchAnswer, isDirect, isEnough, nothing, takenBranch, toggled } from '../src/playground/selection.ts';

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

function prompt(part: Partial<Prompt>): Prompt {
  return {
    inputId: 1, actor: 'p0', name: 'a', kind: 'pick', title: '', options: [], branches: [], min: 1, max: 1, slots: null,
    pass: false, drafts: false, draft: null, deadlineMs: null, default: null, ...part,
  };
}

test('one of many is answered by a click, a row of slots is filled first', () => {
  expect(isDirect(prompt({}))).toBe(true);
  expect(isDirect(prompt({ path: true }))).toBe(false);
  const layout = prompt({ slots: 3, min: 3, max: 3 });
  expect(isDirect(layout)).toBe(false);
  const picks = toggled(layout, toggled(layout, nothing(layout), 2), 0);
  expect(picks).toEqual([2, 0, null]);
  expect(toggled(layout, picks, 2)).toEqual([null, 0, null]);
  expect(isEnough(layout, picks)).toBe(true);
});

test('of several no more than the most are picked', () => {
  const two = prompt({ min: 2, max: 2 });
  const picks = [0, 1, 2].reduce((picks, n) => toggled(two, picks, n), nothing(two));
  expect(picks).toEqual([1, 2]);
  expect(isEnough(two, [1])).toBe(false);
});

test('alternatives are taken with what is inside, and exclusive ones alone', () => {
  const option = { n: 0, value: 'x', label: 'x' };
  const inner: Branch = { id: 'card', title: '', exclusive: false, options: [option], min: 0, max: 1 };
  const give: Branch = { id: 'give', title: '', exclusive: false, options: [], min: 0, max: 0, branches: [inner] };
  const keep: Branch = { id: 'keep', title: '', exclusive: true, options: [], min: 0, max: 0 };
  const all = [give, keep];
  let taken = takenBranch(all, [], give, {});
  taken = { ...takenBranch([inner], ['give'], inner, taken), 'give/card': [0] };
  expect(branchAnswer(all, taken)).toEqual([{ id: 'give', selection: [{ id: 'card', selection: [0] }] }]);
  taken = takenBranch(all, [], keep, taken);
  expect(branchAnswer(all, taken)).toEqual([{ id: 'keep', selection: [] }]);
});

test('rolls are read as they are written', () => {
  const rolls = [[3, 5], { for: 'attack', faces: [17] }];
  expect(readRolls('3 5\nattack: 17\n')).toEqual(rolls);
  expect(readRolls(writeRolls(rolls))).toEqual(rolls);
  expect(readRolls('a six')).toHaveProperty('wrong');
});
