import { expect, test } from 'vitest';

import type { ReplayEvent, ReplayInput } from '../../src/replay/api.ts';
import { withPlayerNames } from '../../src/replay/player-names.ts';
import {
  collapsibleEvents,
  descendantCounts,
  inputGroups,
  isMinor,
  nextShownEvent,
  visibleRow,
} from '../../src/replay/event-tree.ts';

function event(n: number, cause: number | null, depth: number, input = 1): ReplayEvent {
  return { n, input, event: 'Hurt', status: 'applied', cause, depth, stack: 0, text: `event ${n}`, payload: {} };
}

function input(number: number, firstEvent: number | null, lastEvent: number | null): ReplayInput {
  return { number, atMs: null, seat: null, kind: 'answer', text: null, firstEvent, lastEvent, forkAt: number };
}

// Event 2 reacts before its cause 3; 4 and 5 are consequences of 3.
const events = [
  event(1, null, 0, 0),
  event(2, 3, 1),
  event(3, null, 0),
  event(4, 3, 1),
  event(5, 4, 2),
  event(6, null, 0),
];
const inputs = [input(0, 1, 1), input(1, 2, 6)];

test('indirect consequences are counted', () => {
  expect(descendantCounts(events)).toEqual(
    new Map([
      [3, 3],
      [4, 1],
    ]),
  );
  expect(collapsibleEvents(events)).toEqual(new Set([3, 4]));
});

test('collapsing hides consequences and earlier reactions and keeps the order', () => {
  const rows = (collapsed: number[]) =>
    inputGroups(inputs, events, [], new Set(collapsed)).map(({ rows }) => rows.map((row) => row.event.n));
  expect(rows([])).toEqual([[1], [2, 3, 4, 5, 6]]);
  expect(rows([3])).toEqual([[1], [3, 6]]);
  expect(rows([4])).toEqual([[1], [2, 3, 4, 6]]);
});

test('reactions before their cause are marked', () => {
  const [, second] = inputGroups(inputs, events, [], new Set());
  expect(second!.rows.filter((row) => row.isBefore).map((row) => row.event.n)).toEqual([2]);
});

test('a collapsed event is represented by its ancestor', () => {
  expect(visibleRow(5, events, new Set([4]))).toBe(4);
  expect(visibleRow(5, events, new Set([3, 4]))).toBe(3);
  expect(visibleRow(6, events, new Set([3, 4]))).toBe(6);
});

test('undone inputs are listed after the input they continued', () => {
  const branch = { number: 1, parent: null, from: 1, by: 0, agreed: [], inputs: [] };
  expect(inputGroups(inputs, events, [branch], new Set()).map((group) => group.branches.length)).toEqual([0, 1]);
});

test('a cycle of causes does not hang the page', () => {
  expect(descendantCounts([event(1, 2, 0), event(2, 1, 0)]).get(1)).toBe(1);
});

test('minor events are left out and skipped', () => {
  const settled = { ...event(2, null, 0, 0), event: 'Settled' };
  const quiet = { ...event(3, null, 0, 0), event: 'Quiet' };
  const all = [event(1, null, 0, 0), settled, quiet, event(4, null, 0, 0)];
  const isShown = (one: ReplayEvent) => !isMinor(one, new Set(['Quiet']));
  const [first] = inputGroups([input(0, 1, 4)], all, [], new Set(), isShown);
  expect(first!.rows.map((row) => row.event.n)).toEqual([1, 4]);
  expect(visibleRow(3, all, new Set(), isShown)).toBe(1);
  expect(nextShownEvent(1, all, isShown)).toBe(4);
  expect(nextShownEvent(4, all, isShown)).toBe(4);
});

test('player ids are replaced by names', () => {
  expect(withPlayerNames('p1 moves #3 from p1.max_hand to p0', ['Ann', 'Bob'])).toBe(
    'Bob moves #3 from Bob’s max hand to Ann',
  );
  expect(withPlayerNames('p7 wins at hp0', ['Ann'])).toBe('p7 wins at hp0');
});
