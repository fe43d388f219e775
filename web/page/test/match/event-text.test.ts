import type { GameEvent, Step } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { DisplayNames, uniqueSeatNames } from '../../src/match/display-names.ts';
import { foldLines, partsText, stepLines } from '../../src/match/event-text.ts';
import { display, entity, player, view, zone, zoneDisplay } from './fixtures.ts';

const game = display({
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
const now = view({ players: [player(0), player(1)], zones: { field: zone(entity('#4', { title: 'Ogre' })) } });
const names = new DisplayNames(game, [
  { seat: 0, name: 'ann' },
  { seat: 1, name: 'bob' },
]);
names.rememberView(now);

const event = (n: number, name: string, payload: GameEvent['payload'], cause: number | null = null): GameEvent => ({
  n,
  event: name,
  cause,
  payload,
});
const lines = (...events: GameEvent[]) => stepLines({ version: 1, events, notices: [] } as Step, names, now, new Map());
const texts = (...events: GameEvent[]) => lines(...events).map((line) => partsText(line.parts));

test('texts of the ruleset are filled with names', () => {
  expect(texts(event(1, 'Hurt', { player: 'p0', amount: 2, by: 'p1' }))).toEqual(['ann loses 2 to bob']);
  expect(texts(event(1, 'Stepped', { who: '#4', to: { x: 2, y: 3 } }))).toEqual(['Ogre steps to c4']);
});

test('a hidden entity is shown as "Something"', () => {
  expect(texts(event(1, 'Stepped', { who: null, to: { x: 0, y: 0 } }))).toEqual(['Something steps to a1']);
});

test('events without a text or hidden by the ruleset are left out', () => {
  expect(
    texts(
      event(1, 'Quiet', {}),
      event(2, 'Moved', { entity: '#4', from: 'field', to: 'field' }),
      event(3, 'Settled', {}),
    ),
  ).toEqual([]);
});

test('consequences are indented', () => {
  const found = lines(
    event(1, 'Hurt', { player: 'p0', amount: 1, by: 'p1' }),
    event(2, 'Quiet', {}, 1),
    event(3, 'Hurt', { player: 'p1', amount: 1, by: 'p0' }, 2),
  );
  expect(found.map((one) => one.depth)).toEqual([0, 1]);
});

test('phases are headings and property changes are minor', () => {
  const found = lines(
    event(1, 'PhaseStarted', { phase: 'prep', player: 'p1', subject: null }),
    event(2, 'Changed', { entity: 'p0', prop: 'max_hp', from: 1, to: 2 }),
  );
  expect(found.map((one) => [partsText(one.parts), one.isHeading, one.isMinor])).toEqual([
    ['Preparation · bob', true, false],
    ['ann: max hp 1 → 2', false, true],
  ]);
});

test('dice, reveals and animations are part of a line', () => {
  const [rolled] = lines(event(1, 'Rolled', { by: '#4', dice: '2d6', faces: [3, 5], total: 8, for: 'attack_roll' }));
  expect(partsText(rolled!.parts)).toBe('Ogre rolls 2d6 for attack: 8');
  expect(rolled?.dice?.faces).toEqual([3, 5]);
  expect(lines(event(1, 'Shown', { plays: { p0: 'attack', p1: null } }))[0]?.reveals).toEqual([
    { player: 'p0', value: 'attack' },
    { player: 'p1', value: null },
  ]);
  expect(lines(event(1, 'Hurt', { player: 'p0', amount: 1, by: 'p1' }))[0]?.animation).toBe('shake');
});

test('duplicate names get the seat number', () => {
  expect(
    uniqueSeatNames([
      { seat: 0, name: 'ann' },
      { seat: 1, name: 'random bot' },
      { seat: 2, name: 'random bot' },
    ]),
  ).toEqual(['ann', 'random bot 2', 'random bot 3']);
});

const duel = display({
  zones: [zoneDisplay('stack'), zoneDisplay('field', { active: true }), zoneDisplay('casting')],
  defs: {
    'action attack': { title: 'Attack' },
    'action bolt': { title: 'Cast Bolt' },
    'action gust': { title: 'Gust' },
    'action play': { title: 'Play' },
    'reaction spite': { title: 'Imp deals 1 damage' },
  } as never,
  rules: { bolt: 'Cast Bolt' },
});
const duelView = view({
  players: [player(0), player(1)],
  zones: {
    field: zone(entity('#1', { title: 'Bones' })),
    casting: zone(
      entity('#2', { title: 'Bolt' }),
      entity('#3', { title: 'Raider' }),
      entity('#4', { title: 'Refusal' }),
    ),
  },
});
const duelNames = new DisplayNames(duel, [
  { seat: 0, name: 'ann' },
  { seat: 1, name: 'bob' },
]);
duelNames.rememberView(duelView);

function duelTexts(...events: GameEvent[]): string[] {
  duelNames.rememberEvents(events);
  const step = { version: 1, events, notices: [] } as Step;
  return stepLines(step, duelNames, duelView, new Map()).map((line) => partsText(line.parts));
}
const put = (n: number, entity: string, def: string, owner: string | null, targets: GameEvent['payload']) =>
  event(n, 'Created', { entity, def, owner, to: 'stack', with: targets });

test('items on the stack are described as sentences', () => {
  expect(duelTexts(put(1, '#10', 'action bolt', 'p0', { host: '#2', victim: 'p1' }))).toEqual([
    'ann casts Bolt on bob',
  ]);
  expect(duelTexts(put(1, '#11', 'action play', 'p0', { host: '#3' }))).toEqual(['ann plays Raider']);
  expect(duelTexts(put(1, '#12', 'action attack', 'p0', { host: '#1', defender: 'p1' }))).toEqual([
    'Bones attacks bob',
  ]);
  expect(duelTexts(put(1, '#13', 'action gust', 'p0', { host: '#1', target: 'p1' }))).toEqual([
    'Bones uses Gust on bob',
  ]);
  expect(duelTexts(put(1, '#14', 'reaction spite', null, { victim: 'p1' }))).toEqual([
    'Triggered: Imp deals 1 damage (target: bob)',
  ]);
});

test('resolved and countered items are named after their card', () => {
  expect(duelTexts(event(2, 'Action', { action: 'bolt', actor: 'p0', host: '#2', item: '#10' }))).toEqual([
    'Bolt resolves',
  ]);
  const countered = [
    event(3, 'EventPrevented', { event: null, type: 'Action', by: '#4' }, 2),
    event(4, 'Removed', { entity: '#10' }, 2),
  ];
  expect(duelTexts(...countered)[0]).toBe('Refusal counters Bolt');
  expect(duelTexts(event(5, 'EventPrevented', { event: null, type: 'MovementStep', by: '#1' }))).toEqual([
    'Prevented: Movement step (by Bones)',
  ]);
});

const fight = new DisplayNames(
  display({
    ui: {
      events: {
        Began: { line: { since: 'Announced', until: 'Ended', same: ['who', 'whom'] } },
        Threw: { detail: true },
        Hurt: { adds: ', {amount} damage' },
      },
    },
    events: {
      Began: { text: '{who} attacks {whom}', things: [] },
      Threw: { text: 'Threw {total}', things: [] },
      Hurt: { text: '{whom} takes {amount}', things: [] },
      Ended: { text: '', things: [] },
    },
  }),
  [
    { seat: 0, name: 'ann' },
    { seat: 1, name: 'bob' },
  ],
);
const foldedTexts = (...events: GameEvent[]) => {
  const step = { version: 1, events, notices: [] } as Step;
  return foldLines(stepLines(step, fight, now, new Map())).map((line) => [
    partsText(line.parts),
    ...(line.details ?? []).map((detail) => partsText(detail.parts)).filter((text) => text !== ''),
  ]);
};

test('the events of a line are one sentence with details', () => {
  expect(
    foldedTexts(
      event(1, 'Began', { who: 'p0', whom: 'p1' }),
      event(2, 'Threw', { total: 4 }),
      event(3, 'Hurt', { whom: 'p1', amount: 3 }),
      event(4, 'Ended', { who: 'p0', whom: 'p1' }),
      event(5, 'Hurt', { whom: 'p1', amount: 5 }),
    ),
  ).toEqual([['ann attacks bob, 3 damage', 'Threw 4', 'bob takes 3'], ['bob takes 5']]);
});

test('what leads to a line belongs to it', () => {
  const announced = event(2, 'Announced', { action: 'strike', actor: 'p0' });
  const attack = [event(4, 'Began', { who: 'p0', whom: 'p1' }), event(5, 'Ended', { who: 'p0', whom: 'p1' })];
  expect(foldedTexts(event(1, 'Threw', { total: 1 }), announced, event(3, 'Threw', { total: 2 }), ...attack)).toEqual([
    ['Threw 1'],
    ['ann attacks bob', 'Threw 2'],
  ]);
  expect(foldedTexts(announced, event(3, 'Hurt', { whom: 'p1', amount: 1 }), ...attack).map(([line]) => line)).toEqual([
    'bob takes 1',
    'ann attacks bob',
  ]);
});

test('a line inside another stands on its own', () => {
  expect(
    foldedTexts(
      event(1, 'Began', { who: 'p0', whom: 'p1' }),
      event(2, 'Began', { who: 'p1', whom: 'p0' }),
      event(3, 'Hurt', { whom: 'p0', amount: 2 }),
      event(4, 'Ended', { who: 'p1', whom: 'p0' }),
      event(5, 'Hurt', { whom: 'p1', amount: 3 }),
      event(6, 'Ended', { who: 'p0', whom: 'p1' }),
    ).map(([line]) => line),
  ).toEqual(['ann attacks bob, 3 damage', 'bob attacks ann, 2 damage']);
});
