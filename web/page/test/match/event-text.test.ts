import type { GameEvent, Step } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { DisplayNames, uniqueSeatNames } from '../../src/match/display-names.ts';
import { foldLines, partsText, secondPerson, stepLines } from '../../src/match/event-text.ts';
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
    ['bob’s preparation', true, false],
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
    'Imp deals 1 damage (target: bob)',
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
  // The names of other events are for authors.
  expect(duelTexts(event(5, 'EventPrevented', { event: null, type: 'MovementStep', by: '#1' }))).toEqual([]);
  const step = [
    event(6, 'MovementStep', { mover: '#3', from: 1, to: 2 }),
    event(7, 'EventPrevented', { event: 6, type: 'MovementStep', by: '#1' }),
  ];
  expect(duelTexts(...step).at(-1)).toBe('Bones stops Raider');
});

test('what has lost its target has no effect', () => {
  const fizzled = [
    event(8, 'EventPrevented', { event: null, type: 'Action', by: null }, 2),
    event(9, 'Removed', { entity: '#10' }, 3),
  ];
  expect(duelTexts(...fizzled)[0]).toBe('Bolt has no effect');
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

test('the viewer is addressed as you, and the verb agrees', () => {
  const own = new DisplayNames(
    game,
    [
      { seat: 0, name: 'ann' },
      { seat: 1, name: 'bob' },
    ],
    'p0',
  );
  own.rememberView(now);
  const tell = (one: GameEvent) =>
    stepLines({ version: 1, events: [one], notices: [] } as Step, own, now, new Map()).map((line) =>
      partsText(line.parts),
    );
  expect(tell(event(1, 'Hurt', { player: 'p0', amount: 2, by: 'p1' }))).toEqual(['You lose 2 to bob']);
  expect(tell(event(1, 'Hurt', { player: 'p1', amount: 2, by: 'p0' }))).toEqual(['bob loses 2 to you']);
  expect(tell(event(1, 'PhaseStarted', { phase: 'prep', player: 'p0', subject: null }))).toEqual(['Your preparation']);
  expect(tell(event(1, 'PlayerLeft', { player: 'p0', cause: 'concede' }))).toEqual(['You gave up']);
});

test('verbs for you', () => {
  expect(['loses', 'carries', 'passes', 'draws', 'has', 'is', 'attack', 'bus'].map(secondPerson)).toEqual([
    ...['lose', 'carry', 'pass', 'draw', 'have', 'are', 'attack', 'bus'],
  ]);
});

test('a move is part of the line that says why', () => {
  const table = display({ events: { Drawn: { text: '{player} draws a card', things: [] } } });
  const hand = view({ players: [player(0, { hand: zone(entity('#7', { title: 'Bolt' })), deck: { count: 3 } })] });
  const own = new DisplayNames(table, [{ seat: 0, name: 'ann' }], 'p0');
  own.rememberView(hand);
  const events = [
    event(1, 'Drawn', { player: 'p0' }, 9),
    event(2, 'Moved', { entity: '#7', from: 'p0.deck', to: 'p0.hand', index: 0 }, 9),
  ];
  const [drawn, ...more] = foldLines(stepLines({ version: 1, events, notices: [] } as Step, own, hand, new Map()));
  expect(more).toEqual([]);
  expect(partsText(drawn!.parts)).toBe('You draw a card: Bolt');
  expect(drawn!.details?.map((line) => partsText(line.parts))).toEqual(['Bolt goes from your deck to your hand']);
});

test('a walk is one line with where it leads to', () => {
  const table = display({
    ui: { grid: { zones: ['field'], x: 'x', y: 'y', width: 9, height: 9 } },
    zones: [zoneDisplay('field', { active: true })],
    events: { Stepped: { text: '{who} steps to {to}', things: [] } },
    rules: { walk: 'Walk' },
  });
  const own = new DisplayNames(table, [{ seat: 0, name: 'ann' }], 'p0');
  own.rememberView(now);
  const step = (n: number, x: number) => event(n, 'Stepped', { who: '#4', to: { x, y: 0 } }, 1);
  const events = [event(1, 'Action', { action: 'walk', actor: 'p0', host: '#4', item: null }), step(2, 1), step(3, 2)];
  const folded = foldLines(stepLines({ version: 1, events, notices: [] } as Step, own, now, new Map()));
  expect(folded.map((line) => partsText(line.parts))).toEqual(['Ogre steps to c1']);
  expect(folded[0]!.details?.map((line) => partsText(line.parts))).toEqual(['Ogre walks', 'Ogre steps to b1']);
});

test('what somebody does several times in a row is said once', () => {
  const table = display({ events: { Drawn: { text: '{player} draws a card', things: [] } } });
  const hand = view({
    players: [
      player(0, { hand: zone(entity('#7', { title: 'Bolt' }), entity('#8', { title: 'Echo' })), deck: { count: 3 } }),
      player(1),
    ],
  });
  const seats = [
    { seat: 0, name: 'ann' },
    { seat: 1, name: 'bob' },
  ];
  const own = new DisplayNames(table, seats, 'p0');
  own.rememberView(hand);
  const events = [
    event(1, 'Drawn', { player: 'p0' }, 9),
    event(2, 'Moved', { entity: '#7', from: 'p0.deck', to: 'p0.hand', index: 0 }, 9),
    event(3, 'Drawn', { player: 'p0' }, 9),
    event(4, 'Moved', { entity: '#8', from: 'p0.deck', to: 'p0.hand', index: 0 }, 9),
    event(5, 'Drawn', { player: 'p1' }, 9),
    event(6, 'Drawn', { player: 'p1' }, 9),
    event(7, 'Moved', { entity: '#7', from: 'p0.hand', to: 'p0.deck', index: 0 }, 9),
    event(8, 'Moved', { entity: '#8', from: 'p0.hand', to: 'p0.deck', index: 0 }, 9),
  ];
  const lines = foldLines(stepLines({ version: 1, events, notices: [] } as Step, own, hand, new Map()));
  expect(lines.map((line) => partsText(line.parts))).toEqual([
    'You draw 2 cards: Bolt, Echo',
    'bob draws 2 cards',
    'Bolt, Echo go from your hand to your deck',
  ]);
});
