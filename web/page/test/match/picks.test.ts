import { expect, test } from 'vitest';

import { branchAnswer, isComplete, toggleBranch } from '../../src/match/branch-choices.ts';
import { bankTimeLeft, formatTimeLeft } from '../../src/match/time-left.ts';
import { moveItem, pickCountProblem, placeInSlot, togglePick, toggleSlot } from '../../src/match/picks.ts';
import { option } from './fixtures.ts';

test('beyond the maximum the oldest pick is dropped', () => {
  expect(togglePick([1, 2], 3, 2)).toEqual([2, 3]);
  expect(togglePick([1, 2], 1, 2)).toEqual([2]);
});

test('moving an item keeps the order of the others', () => {
  expect(moveItem([1, 2, 3], 0, 2)).toEqual([2, 3, 1]);
  expect(moveItem([1, 2, 3], 2, -4)).toEqual([3, 1, 2]);
});

test('slots are filled in order, emptied by a second click, and swapped by dragging', () => {
  expect(toggleSlot([null, 5, null], 7)).toEqual([7, 5, null]);
  expect(toggleSlot([7, 5, null], 5)).toEqual([7, null, null]);
  expect(toggleSlot([1, 2, 3], 4)).toEqual([1, 2, 3]);
  expect(placeInSlot([7, 5, null], 7, 1)).toEqual([5, 7, null]);
});

test('too few picks are explained', () => {
  expect(pickCountProblem(1, 2, 2)).toBe('1 of 2 selected');
  expect(pickCountProblem(0, 1, 3)).toBe('Select at least 1 (0 selected)');
  expect(pickCountProblem(2, 1, 3)).toBeUndefined();
});

const branches = [
  { id: 'rest', title: 'Rest', exclusive: true, options: [], min: 0, max: 0 },
  { id: 'give', title: 'Give', exclusive: false, options: [option(0, '#1'), option(1, '#2')], min: 1, max: 2 },
  { id: 'take', title: 'Take', exclusive: false, options: [option(0, '#3')], min: 1, max: 1 },
];

test('an exclusive branch replaces all others', () => {
  const [rest, give, take] = branches as [(typeof branches)[0], (typeof branches)[0], (typeof branches)[0]];
  const two = toggleBranch(toggleBranch({}, give, branches, 2), take, branches, 2);
  expect(Object.keys(two)).toEqual(['give', 'take']);
  expect(Object.keys(toggleBranch(two, rest, branches, 2))).toEqual(['rest']);
  expect(Object.keys(toggleBranch(toggleBranch({}, rest, branches, 2), give, branches, 2))).toEqual(['give']);
});

test('an answer is complete when every level has enough picks', () => {
  const choices = { give: { nested: {}, picks: [1] }, take: { nested: {}, picks: [] } };
  expect(isComplete(choices, branches, 1, 2)).toBe(false);
  const all = { ...choices, take: { nested: {}, picks: [0] } };
  expect(isComplete(all, branches, 1, 2)).toBe(true);
  expect(branchAnswer(all, branches)).toEqual([
    { id: 'give', selection: [{ n: 1 }] },
    { id: 'take', selection: [{ n: 0 }] },
  ]);
});

test('remaining time is formatted with minutes, hours or days', () => {
  expect(formatTimeLeft(59_001)).toBe('1:00');
  expect(formatTimeLeft(-5)).toBe('0:00');
  expect(formatTimeLeft(3_661_000)).toBe('1:01:01');
  expect(formatTimeLeft(5 * 86_400_000)).toBe('5 days');
  expect(bankTimeLeft({ seat: 0, leftMs: 5000, runningSince: 1000 }, 3000)).toBe(3000);
  expect(bankTimeLeft({ seat: 0, leftMs: 5000 }, 9e9)).toBe(5000);
});
