import { expect, test } from 'vitest';

import type { ReplayEvent, ReplayInput } from '../src/replay/api.ts';
import { spoken } from '../src/replay/spoken.ts';
import { chapters, foldable, followers, isSmall, nextShown, shownRow } from '../src/replay/tree.ts';

function event(n: number, cause: number | null, depth: number, input = 1): ReplayEvent {
  return { n, input, event: 'Hurt', status: 'applied', cause, depth, stack: 0, text: `event ${n}`, payload: {} };
}

function input(number: number, firstEvent: number | null, lastEvent: number | null): ReplayInput {
  return { number, atMs: null, seat: null, kind: 'answer', text: null, firstEvent, lastEvent, forkAt: number };
}

// 2 reacts before 3 happens; 4 and 5 follow from it.
const events = [
  event(1, null, 0, 0),
  event(2, 3, 1),
  event(3, null, 0),
  event(4, 3, 1),
  event(5, 4, 2),
  event(6, null, 0),
];
const inputs = [input(0, 1, 1), input(1, 2, 6)];

test('an event is followed by all it led to, at any depth', () => {
  expect(followers(events)).toEqual(
    new Map([
      [3, 3],
      [4, 1],
    ]),
  );
  expect(foldable(events)).toEqual(new Set([3, 4]));
});

test('folding hides what followed, also what reacted before, and keeps the order', () => {
  const rows = (folded: number[]) =>
    chapters(inputs, events, [], new Set(folded)).map(({ rows }) => rows.map((row) => row.event.n));
  expect(rows([])).toEqual([[1], [2, 3, 4, 5, 6]]);
  expect(rows([3])).toEqual([[1], [3, 6]]);
  expect(rows([4])).toEqual([[1], [2, 3, 4, 6]]);
});

test('a reaction before its cause is told apart', () => {
  const [, second] = chapters(inputs, events, [], new Set());
  expect(second!.rows.filter((row) => row.isBefore).map((row) => row.event.n)).toEqual([2]);
});

test('an event that is folded away is pointed at where it is hidden', () => {
  expect(shownRow(5, events, new Set([4]))).toBe(4);
  expect(shownRow(5, events, new Set([3, 4]))).toBe(3);
  expect(shownRow(6, events, new Set([3, 4]))).toBe(6);
});

test('what was taken back stands after the input it left', () => {
  const branch = { number: 1, parent: null, from: 1, by: 0, agreed: [], inputs: [] };
  expect(chapters(inputs, events, [branch], new Set()).map((chapter) => chapter.branches.length)).toEqual([0, 1]);
});

test('a circle of causes, which cannot be, does not hang the page', () => {
  expect(followers([event(1, 2, 0), event(2, 1, 0)]).get(1)).toBe(1);
});

test('what only tells the rules something is left out, and pointed past', () => {
  const settled = { ...event(2, null, 0, 0), event: 'Settled' };
  const quiet = { ...event(3, null, 0, 0), event: 'Quiet' };
  const all = [event(1, null, 0, 0), settled, quiet, event(4, null, 0, 0)];
  const isTold = (one: ReplayEvent) => !isSmall(one, new Set(['Quiet']));
  const [first] = chapters([input(0, 1, 4)], all, [], new Set(), isTold);
  expect(first!.rows.map((row) => row.event.n)).toEqual([1, 4]);
  expect(shownRow(3, all, new Set(), isTold)).toBe(1);
  expect(nextShown(1, all, isTold)).toBe(4);
  expect(nextShown(4, all, isTold)).toBe(4);
});

test('players are called by their names', () => {
  expect(spoken('p1 moves #3 from p1.max_hand to p0', ['Ann', 'Bob'])).toBe('Bob moves #3 from Bob’s max hand to Ann');
  expect(spoken('p7 wins at hp0', ['Ann'])).toBe('p7 wins at hp0');
});
