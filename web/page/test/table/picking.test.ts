import { expect, test } from 'vitest';

import { branchAnswer, isComplete, takenWith } from '../../src/table/branches.ts';
import { leftIn, timeText } from '../../src/table/clocks.ts';
import { moved, placed, shortage, slotted, toggled } from '../../src/table/picking.ts';
import { option } from './some.ts';

test('of more than may be picked the oldest goes', () => {
  expect(toggled([1, 2], 3, 2)).toEqual([2, 3]);
  expect(toggled([1, 2], 1, 2)).toEqual([2]);
});

test('what is moved keeps the rest in order', () => {
  expect(moved([1, 2, 3], 0, 2)).toEqual([2, 3, 1]);
  expect(moved([1, 2, 3], 2, -4)).toEqual([3, 1, 2]);
});

test('slots are filled from the first, emptied by pressing again, and swapped by dragging', () => {
  expect(slotted([null, 5, null], 7)).toEqual([7, 5, null]);
  expect(slotted([7, 5, null], 5)).toEqual([7, null, null]);
  expect(slotted([1, 2, 3], 4)).toEqual([1, 2, 3]);
  expect(placed([7, 5, null], 7, 1)).toEqual([5, 7, null]);
});

test('too few and too many are told apart', () => {
  expect(shortage(1, 2, 2)).toBe('1 of 2 picked');
  expect(shortage(0, 1, 3)).toBe('At least 1; 0 picked');
  expect(shortage(2, 1, 3)).toBeUndefined();
});

const branches = [
  { id: 'rest', title: 'Rest', exclusive: true, options: [], min: 0, max: 0 },
  { id: 'give', title: 'Give', exclusive: false, options: [option(0, '#1'), option(1, '#2')], min: 1, max: 2 },
  { id: 'take', title: 'Take', exclusive: false, options: [option(0, '#3')], min: 1, max: 1 },
];

test('an exclusive alternative goes with no other', () => {
  const [rest, give, take] = branches as [(typeof branches)[0], (typeof branches)[0], (typeof branches)[0]];
  const two = takenWith(takenWith({}, give, branches, 2), take, branches, 2);
  expect(Object.keys(two)).toEqual(['give', 'take']);
  expect(Object.keys(takenWith(two, rest, branches, 2))).toEqual(['rest']);
  expect(Object.keys(takenWith(takenWith({}, rest, branches, 2), give, branches, 2))).toEqual(['give']);
});

test('an answer is complete when every level has enough', () => {
  const taken = { give: { inner: {}, picks: [1] }, take: { inner: {}, picks: [] } };
  expect(isComplete(taken, branches, 1, 2)).toBe(false);
  const all = { ...taken, take: { inner: {}, picks: [0] } };
  expect(isComplete(all, branches, 1, 2)).toBe(true);
  expect(branchAnswer(all, branches)).toEqual([
    { id: 'give', selection: [{ n: 1 }] },
    { id: 'take', selection: [{ n: 0 }] },
  ]);
});

test('time is told as people tell it', () => {
  expect(timeText(59_001)).toBe('1:00');
  expect(timeText(-5)).toBe('0:00');
  expect(timeText(3_661_000)).toBe('1:01:01');
  expect(timeText(5 * 86_400_000)).toBe('5 days');
  expect(leftIn({ seat: 0, leftMs: 5000, runningSince: 1000 }, 3000)).toBe(3000);
  expect(leftIn({ seat: 0, leftMs: 5000 }, 9e9)).toBe(5000);
});
