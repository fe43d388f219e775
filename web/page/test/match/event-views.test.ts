import type { GameEvent, View } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { viewsBetween } from '../../src/match/event-views.ts';
import { display, entity, player, view, zone } from './fixtures.ts';

const event = (n: number, name: string, payload: GameEvent['payload']): GameEvent => ({
  n,
  event: name,
  cause: null,
  payload,
});
const game = display({ defs: { goblin: { title: 'Goblin' } as never }, rules: { play: 'Play' } });
const grid = { zones: ['field'], x: 'x', y: 'y', hp: 'hp', max: undefined, width: 4, height: 4 };
const withProps = (seat: number, props: View['players'][number]['props'], zones = {}) => ({
  ...player(seat, zones),
  props,
});
const between = (before: View, after: View, ...events: GameEvent[]) =>
  viewsBetween(before, events, after, game, grid).map((one) => one);

test('a card that was hidden flies from a hand to the table, and is what it was when it arrived', () => {
  const bear = entity('#3', { props: { damage: 2 } });
  const before = view({ players: [player(0), player(1, { hand: { count: 3 } })], zones: { field: { count: 0 } } });
  const after = view({ players: [player(0), player(1, { hand: { count: 2 } })], zones: { field: zone(bear) } });
  const [moved, changed] = between(
    before,
    after,
    event(1, 'Moved', { entity: '#3', from: 'p1.hand', to: 'field', index: 0 }),
    event(2, 'Changed', { entity: '#3', prop: 'damage', from: 0, to: 2 }),
  );
  expect(moved!.players[1]!.zones['hand']).toEqual({ count: 2 });
  expect(moved!.zones['field']!.items![0]!.props).toEqual({ damage: 0 });
  expect(changed).toBe(after);
});

test('an item that comes and goes within one step is on the stack in between', () => {
  const before = view({ players: [player(0)], zones: { stack: { count: 0 } } });
  const [announced, removed] = between(
    before,
    before,
    event(1, 'Created', { entity: '#9', def: 'action play', owner: 'p0', to: 'stack', index: 0, with: { host: '#1' } }),
    event(2, 'Removed', { entity: '#9' }),
  );
  expect(announced!.zones['stack']!.items).toMatchObject([{ id: '#9', title: 'Play', owner: 'p0' }]);
  expect(removed).toBe(before);
});

test('changes that no event reports belong to the events that name an amount', () => {
  const before = view({ players: [withProps(0, { hp: 10 }), withProps(1, { hp: 10 })] });
  const after = view({ players: [withProps(0, { hp: 7 }), withProps(1, { hp: 10 })] });
  const views = between(
    before,
    after,
    event(1, 'Hurt', { player: 'p0', amount: 2, by: 'p1' }),
    event(2, 'Healed', { player: 'p0', amount: 1 }),
    event(3, 'Hurt', { player: 'p0', amount: 2, by: 'p1' }),
    event(4, 'Settled', {}),
  );
  expect(views.map((one) => one.players[0]!.props['hp'])).toEqual([8, 9, 7, 7]);
});

test('an amount counts for what the object is in the event', () => {
  const before = view({ players: [withProps(0, { hp: 20 }), withProps(1, { hp: 20 })] });
  const after = view({ players: [withProps(0, { hp: 15 }), withProps(1, { hp: 12 })] });
  const views = between(
    before,
    after,
    event(1, 'Struck', { attacker: 'p0', target: 'p1', amount: 8 }),
    event(2, 'Struck', { attacker: 'p1', target: 'p0', amount: 5 }),
    event(3, 'Settled', {}),
  );
  expect(views.map((one) => one.players.map(({ props }) => props['hp']))).toEqual([
    [20, 12],
    [15, 12],
    [15, 12],
  ]);
});

test('of two who hit each other, the one that the sentence names last is hurt', () => {
  const duel = display({ events: { Hurt: { text: '{by} hits {player} for {amount}', things: [] } } });
  const before = view({ players: [withProps(0, { hp: 10 }), withProps(1, { hp: 10 })] });
  const after = view({ players: [withProps(0, { hp: 8 }), withProps(1, { hp: 8 })] });
  const hits = [
    event(1, 'Hurt', { player: 'p1', amount: 2, by: 'p0' }),
    event(2, 'Hurt', { player: 'p0', amount: 2, by: 'p1' }),
  ];
  const [first] = viewsBetween(before, hits, after, duel, undefined);
  expect(first!.players.map(({ props }) => props['hp'])).toEqual([10, 8]);
});

test('of two who hit each other, one of whom is healed later, each loses in turn', () => {
  const texts = { Hurt: '{by} hits {player} for {amount}', Healed: '{player} regains {amount}' };
  const duel = display({
    ui: { events: { Hurt: { sound: 'hit' }, Healed: { sound: 'chime' } } },
    events: { Hurt: { text: texts.Hurt, things: [] }, Healed: { text: texts.Healed, things: [] } },
  });
  const before = view({ players: [withProps(0, { hp: 10 }), withProps(1, { hp: 10 })] });
  const after = view({ players: [withProps(0, { hp: 9 }), withProps(1, { hp: 8 })] });
  const events = [
    event(1, 'Hurt', { player: 'p1', amount: 2, by: 'p0' }),
    event(2, 'Hurt', { player: 'p0', amount: 2, by: 'p1' }),
    event(3, 'Healed', { player: 'p0', amount: 1 }),
  ];
  const views = viewsBetween(before, events, after, duel, undefined);
  expect(views.map(({ players }) => players.map(({ props }) => props['hp']))).toEqual([
    [10, 8],
    [8, 8],
    [9, 8],
  ]);
});

test('a figure is on each square of its way', () => {
  const at = (x: number, y: number) => view({ zones: { field: zone(entity('#4', { props: { x, y, moves: 3 } })) } });
  const step = (n: number, x: number) =>
    event(n, 'Stepped', { mover: '#4', from: { x: x - 1, y: 0 }, to: { x, y: 0 } });
  const views = between(at(0, 0), at(3, 0), step(1, 1), step(2, 2), step(3, 3));
  expect(views.map((one) => one.zones['field']!.items![0]!.props['x'])).toEqual([1, 2, 3]);
});

test('phases begin and end one by one', () => {
  const before = view({ phases: [{ phase: 'turn', player: 'p0', subject: null }] });
  const after = view({ phases: [{ phase: 'turn', player: 'p1', subject: null }] });
  const views = between(
    before,
    after,
    event(1, 'PhaseEnded', { phase: 'turn', player: 'p0', subject: null }),
    event(2, 'PhaseStarted', { phase: 'turn', player: 'p1', subject: null }),
    event(3, 'Settled', {}),
  );
  expect(views.map((one) => one.phases.map(({ player }) => player))).toEqual([[], ['p1'], ['p1']]);
});

test('the last view is always the real one, also if nothing explains it', () => {
  const before = view({ players: [withProps(0, { hp: 3 })] });
  const after = view({ players: [withProps(0, { hp: 9 })] });
  expect(between(before, after, event(1, 'Thunder', {}))).toEqual([after]);
  expect(between(before, after)).toEqual([]);
});
