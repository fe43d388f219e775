import type { GameEvent, Step } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { Names, seatNames } from '../../src/table/names.ts';
import { partsText, tellStep } from '../../src/table/sentences.ts';
import { player, rules, thing, view, zone } from './some.ts';

const game = rules({
  ui: {
    grid: { zones: ['field'], x: 'x', y: 'y', width: 4, height: 4 },
    events: { Moved: { hide: true }, Hurt: { animation: 'shake' } },
  },
  phases: [{ name: 'prep', title: 'Preparation' }],
  events: {
    Hurt: { text: '{player} loses {amount} to {by}', things: [] },
    Stepped: { text: '{who} steps to {to}', things: ['who'] },
    Quiet: { text: '', things: [] },
    Shown: { text: 'Revealed: {plays}', things: [] },
  },
});
const now = view({ players: [player(0), player(1)], zones: { field: zone(thing('#4', { title: 'Ogre' })) } });
const names = new Names(game, [
  { seat: 0, name: 'ann' },
  { seat: 1, name: 'bob' },
]);
names.learn(now);

const event = (n: number, name: string, payload: GameEvent['payload'], cause: number | null = null): GameEvent => ({
  n,
  event: name,
  cause,
  payload,
});
const tell = (...events: GameEvent[]) => tellStep({ version: 1, events, notices: [] } as Step, names, now, new Map());
const say = (...events: GameEvent[]) => tell(...events).map((told) => partsText(told.parts));

test('the words of the ruleset are filled with names', () => {
  expect(say(event(1, 'Hurt', { player: 'p0', amount: 2, by: 'p1' }))).toEqual(['ann loses 2 to bob']);
  expect(say(event(1, 'Stepped', { who: '#4', to: { x: 2, y: 3 } }))).toEqual(['Ogre steps to c4']);
});

test('what is out of sight is something', () => {
  expect(say(event(1, 'Stepped', { who: null, to: { x: 0, y: 0 } }))).toEqual(['Something steps to a1']);
});

test('an event without words for people is not told, nor one the ruleset hides', () => {
  expect(
    say(
      event(1, 'Quiet', {}),
      event(2, 'Moved', { entity: '#4', from: 'field', to: 'field' }),
      event(3, 'Settled', {}),
    ),
  ).toEqual([]);
});

test('what follows from something told stands further in', () => {
  const told = tell(
    event(1, 'Hurt', { player: 'p0', amount: 1, by: 'p1' }),
    event(2, 'Quiet', {}, 1),
    event(3, 'Hurt', { player: 'p1', amount: 1, by: 'p0' }, 2),
  );
  expect(told.map((one) => one.depth)).toEqual([0, 1]);
});

test('phases are headings, changes of values are for those who want everything', () => {
  const told = tell(
    event(1, 'PhaseStarted', { phase: 'prep', player: 'p1', subject: null }),
    event(2, 'Changed', { entity: 'p0', prop: 'max_hp', from: 1, to: 2 }),
  );
  expect(told.map((one) => [partsText(one.parts), one.isHeading, one.isMinor])).toEqual([
    ['Preparation · bob', true, false],
    ['ann: max hp 1 → 2', false, true],
  ]);
});

test('dice, what is shown and what is to be seen come along', () => {
  const [rolled] = tell(event(1, 'Rolled', { by: '#4', dice: '2d6', faces: [3, 5], total: 8, for: 'attack_roll' }));
  expect(partsText(rolled!.parts)).toBe('Ogre rolls 2d6 for attack: 8');
  expect(rolled?.dice?.faces).toEqual([3, 5]);
  expect(tell(event(1, 'Shown', { plays: { p0: 'attack', p1: null } }))[0]?.shows).toEqual([
    { player: 'p0', word: 'attack' },
    { player: 'p1', word: null },
  ]);
  expect(tell(event(1, 'Hurt', { player: 'p0', amount: 1, by: 'p1' }))[0]?.animation).toBe('shake');
});

test('names that come twice get the number of their seat', () => {
  expect(
    seatNames([
      { seat: 0, name: 'ann' },
      { seat: 1, name: 'random bot' },
      { seat: 2, name: 'random bot' },
    ]),
  ).toEqual(['ann', 'random bot 2', 'random bot 3']);
});
