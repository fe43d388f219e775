import { expect, test } from 'vitest';

import type { ReplayEvent, ReplayInput } from '../../src/replay/api.ts';
import {
  clampMoment,
  elapsedText,
  forkPoint,
  nextInputEnd,
  parseReplayLink,
  previousInputEnd,
  replayLink,
} from '../../src/replay/moments.ts';

const inputs: ReplayInput[] = [
  { number: 0, atMs: 0, seat: null, kind: 'start', text: null, firstEvent: 1, lastEvent: 2, forkAt: 0 },
  { number: 1, atMs: 10, seat: 0, kind: 'answer', text: null, firstEvent: null, lastEvent: null, forkAt: 1 },
  { number: 2, atMs: 20, seat: 1, kind: 'answer', text: null, firstEvent: 3, lastEvent: 5, forkAt: 2 },
  { number: 3, atMs: 30, seat: 0, kind: 'leave', text: null, firstEvent: 6, lastEvent: 7, forkAt: 3 },
];
const events = [0, 0, 2, 2, 2, 3, 3].map((input, at): ReplayEvent => ({
  n: at + 1,
  input,
  event: 'E',
  status: 'applied',
  cause: null,
  depth: 0,
  stack: 0,
  text: '',
  payload: {},
}));

test('navigation skips inputs without events', () => {
  expect(nextInputEnd(0, inputs, 7)).toBe(2);
  expect(nextInputEnd(2, inputs, 7)).toBe(5);
  expect(nextInputEnd(7, inputs, 7)).toBe(7);
  expect(previousInputEnd(7, inputs)).toBe(5);
  expect(previousInputEnd(4, inputs)).toBe(2);
  expect(previousInputEnd(2, inputs)).toBe(0);
});

test('a fork continues after a finished input and before an unfinished one', () => {
  const at = (moment: number) => {
    const point = forkPoint(moment, inputs, events);
    return point && [point.side, point.at];
  };
  expect(at(0)).toEqual(['after', 0]);
  expect(at(2)).toEqual(['after', 0]);
  expect(at(4)).toEqual(['before', 1]);
  expect(at(5)).toEqual(['after', 2]);
  // The match cannot continue after its last input.
  expect(at(7)).toEqual(['before', 2]);
});

test('matches that cannot be forked have no fork points', () => {
  const closed = inputs.map((input) => ({ ...input, forkAt: null }));
  expect(forkPoint(5, closed, events)).toBeUndefined();
});

test('links are parsed as they are formatted, and invalid values are ignored', () => {
  const query = new URLSearchParams(replayLink('m1', 17, 'seat0').split('?')[1]);
  expect(parseReplayLink(query)).toEqual({ at: 17, as: 'seat0' });
  expect(parseReplayLink(new URLSearchParams('at=-3&as=root'))).toEqual({ at: undefined, as: undefined });
  expect(clampMoment(99, 7)).toBe(7);
  expect(clampMoment(Number.NaN, 7)).toBe(0);
});

test('elapsed time is formatted from the start', () => {
  expect(elapsedText(0, 65_400)).toBe('1:05');
  expect(elapsedText(0, 3_661_000)).toBe('1:01:01');
  expect(elapsedText(null, 3)).toBe('');
});
