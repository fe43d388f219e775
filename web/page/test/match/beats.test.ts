import type { GameEvent, Step, View } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { beatsOf, condense, type Beat } from '../../src/match/beats.ts';
import { DisplayNames } from '../../src/match/display-names.ts';
import { partsText, stepLines } from '../../src/match/event-text.ts';
import { gridOf } from '../../src/match/grid.ts';
import { beatMs, calmMs, MAX_QUEUE_MS } from '../../src/match/pace.ts';
import { display, entity, player, view, zone } from './fixtures.ts';

const game = display({
  ui: {
    grid: { zones: ['field'], x: 'x', y: 'y', width: 9, height: 9, hp: 'hp' },
    card: { damage: 'damage' },
    events: { Hurt: { animation: 'shake' }, Healed: { sound: 'chime' } },
  },
  events: {
    Hurt: { text: '{player} loses {amount}', things: [] },
    Healed: { text: '{player} regains {amount}', things: [] },
    Stepped: { text: '{mover} steps to {to}', things: [] },
    Shown: { text: 'Step {step}', things: [] },
    Laid: { text: '{player} lays {card}', things: [] },
  },
});
const event = (n: number, name: string, payload: GameEvent['payload'], cause: number | null = null): GameEvent => ({
  n,
  event: name,
  cause,
  payload,
});

function beats(before: View, after: View, ...events: GameEvent[]): Beat[] {
  const names = new DisplayNames(game, [
    { seat: 0, name: 'ann' },
    { seat: 1, name: 'bob' },
  ]);
  names.rememberView(before);
  names.rememberView(after);
  const lines = stepLines({ version: 1, events, notices: [] } as Step, names, after, new Map());
  return beatsOf(before, events, after, lines, game, gridOf(game, after));
}
const told = (all: Beat[]) =>
  all.map((beat) => [beat.kind, ...beat.lines.filter((line) => !line.isMinor).map((line) => partsText(line.parts))]);

const hp = (ann: number, bob: number) =>
  view({
    players: [
      { ...player(0), props: { hp: ann } },
      { ...player(1), props: { hp: bob } },
    ],
  });

test('each line is a beat of its own, with its own numbers', () => {
  const found = beats(
    hp(10, 10),
    hp(8, 7),
    event(1, 'Shown', { step: 1, plays: { p0: 'attack', p1: 'attack' } }),
    event(2, 'Hurt', { player: 'p0', amount: 2 }),
    event(3, 'Hurt', { player: 'p1', amount: 3 }),
    event(4, 'Settled', {}),
  );
  expect(told(found)).toEqual([
    ['reveal', 'Step 1'],
    ['effect', 'ann loses 2 (10 → 8)'],
    ['effect', 'bob loses 3 (10 → 7)'],
  ]);
  expect(found[1]!.numbers).toEqual([{ object: 'p0', from: 10, to: 8, isLoss: true }]);
  expect(found[1]!.view.players.map(({ props }) => props['hp'])).toEqual([8, 10]);
});

test('moves and changes are shown together with the line that tells them', () => {
  const card = entity('#1', { owner: 'p1' });
  const before = view({ players: [player(0), player(1, { hand: { count: 1 } })] });
  const after = view({ players: [player(0), player(1, { hand: { count: 0 }, board: zone(card) })] });
  const found = beats(
    before,
    after,
    event(1, 'Moved', { entity: '#1', from: 'p1.hand', to: 'p1.board', index: 0 }),
    event(2, 'Changed', { entity: 'p1', prop: 'mana', from: 2, to: 1 }),
    event(3, 'Laid', { player: 'p1', card: '#1' }),
    event(4, 'Changed', { entity: 'p1', prop: 'laid', from: 0, to: 1 }),
  );
  // The move is a line of its own in this game; what follows it is told by the next.
  expect(found.map((beat) => beat.events.map(({ n }) => n))).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('the steps of a walk are one beat along the way', () => {
  const at = (x: number) => view({ zones: { field: zone(entity('#4', { props: { x, y: 0, hp: 5 } })) } });
  const step = (n: number, x: number) =>
    event(n, 'Stepped', { mover: '#4', from: { x: x - 1, y: 0 }, to: { x, y: 0 } });
  const [walk, ...more] = beats(at(0), at(3), step(1, 1), step(2, 2), step(3, 3));
  expect(more).toEqual([]);
  expect(walk!.way).toEqual({ object: '#4', squares: ['x0y0', 'x1y0', 'x2y0', 'x3y0'] });
  expect(calmMs(walk!, false)).toBe(240 + 3 * 60);
});

test('cards that move together are one beat', () => {
  const cards = [1, 2, 3].map((n) => entity(`#${n}`, { owner: 'p0' }));
  const before = view({ players: [player(0, { hand: zone(...cards), deck: { count: 9 } }), player(1)] });
  const after = view({ players: [player(0, { hand: { count: 0 }, deck: { count: 12 } }), player(1)] });
  const found = beats(
    before,
    after,
    ...cards.map(({ id }, at) => event(at + 1, 'Moved', { entity: id, from: 'p0.hand', to: 'p0.deck', index: 0 })),
  );
  expect(found.map((beat) => beat.events.length)).toEqual([3]);
});

const hurts = (count: number) =>
  beats(
    hp(100, 100),
    hp(100 - count, 100),
    ...Array.from({ length: count }, (_, at) => event(at + 1, 'Hurt', { player: 'p0', amount: 1 })),
  );
const CALM = { speed: 'calm', isStill: false, elapsedMs: 0 } as const;
const queue = (count: number) => hurts(count) as [Beat, ...Beat[]];

test('a beat takes its time, less if many wait, and never more than six seconds in all', () => {
  expect(beatMs(queue(3), CALM)).toBe(600);
  expect(beatMs(queue(7), CALM)).toBe(300);
  expect(beatMs(queue(3), { ...CALM, speed: 'quick' })).toBe(300);
  expect(beatMs(queue(3), { ...CALM, isStill: true })).toBe(400);
  expect(beatMs(queue(3), { ...CALM, speed: 'at once' })).toBe(400);
  expect(beatMs(queue(3), { ...CALM, speed: 'none' })).toBe(0);
  expect(beatMs(queue(20), { ...CALM, elapsedMs: MAX_QUEUE_MS - 3000 })).toBeCloseTo(150);
  // What could not be seen is shown together with the next beat.
  expect(beatMs(queue(20), { ...CALM, elapsedMs: MAX_QUEUE_MS - 100 })).toBe(0);
  expect(beatMs(queue(3), { ...CALM, elapsedMs: MAX_QUEUE_MS })).toBe(0);
  // A queue that is shown beat by beat ends in time.
  let elapsedMs = 0;
  for (let rest: Beat[] = hurts(20); rest.length > 0; rest = rest.slice(1))
    elapsedMs += beatMs(rest as [Beat, ...Beat[]], { ...CALM, elapsedMs });
  expect(elapsedMs).toBeLessThanOrEqual(MAX_QUEUE_MS);
});

test('of very many beats only the last about each thing is shown, and every line is told', () => {
  const all = [...hurts(21)];
  const [last, ...more] = condense(all);
  expect(more).toEqual([]);
  expect(last!.lines.length).toBe(21);
  expect(last!.view).toBe(all.at(-1)!.view);
});

test('gains and losses of one step add up in the direction that their hints say', () => {
  const found = beats(
    hp(10, 10),
    hp(9, 10),
    event(1, 'Hurt', { player: 'p0', amount: 2 }),
    event(2, 'Healed', { player: 'p0', amount: 1 }),
  );
  expect(told(found).flat()).toEqual(expect.arrayContaining(['ann loses 2 (10 → 8)', 'ann regains 1 (8 → 9)']));
});
