import { expect, test } from 'vitest';

import type { ReplayEvent, ReplayInput } from '../../src/replay/api.ts';
import { alternativesOf, turnsOf } from '../../src/replay/decisions.ts';
import { option, prompt } from '../match/fixtures.ts';

const input = (number: number, seat: number | null, text: string | null, lastEvent: number | null): ReplayInput => ({
  number,
  atMs: number * 2000,
  seat,
  kind: 'answer',
  text,
  firstEvent: lastEvent,
  lastEvent,
  forkAt: number,
});
const event = (n: number, input: number, name: string, payload: ReplayEvent['payload'], more = {}): ReplayEvent => ({
  n,
  input,
  event: name,
  status: 'applied',
  cause: null,
  depth: 0,
  stack: 0,
  text: '',
  payload,
  ...more,
});
const rules = { cast_bolt: 'Cast Bolt', attack: 'Attack', play: 'Play', hex: 'Evil eye' };
const names = ['you', 'bob'];

function told(inputs: ReplayInput[], ...events: ReplayEvent[]) {
  return turnsOf(inputs, { events, names, rules }).map((turn) => [
    turn.title,
    ...turn.decisions.map((decision) => decision.text),
  ]);
}

test('alternatives are verbs', () => {
  const inputs = [input(1, 1, 'p1 answers lay (Menhir #4)', 1), input(2, 1, 'p1 answers draw', 2)];
  expect(told(inputs)).toEqual([['The match', 'bob lays Menhir', 'bob draws']]);
});

test('decisions are sentences, grouped by turn', () => {
  const inputs = [
    input(0, null, 'the match starts', 2),
    input(1, 0, 'p0 answers cast_bolt (Bolt) → p1', 3),
    input(2, 0, 'p0 answers pass', 4),
    input(3, 1, 'p1 answers attack (Night Bat) → p0', 6),
    input(4, 1, 'p1 answers hex (Witch)', 7),
    input(5, 1, 'p1 leaves (concede)', 8),
  ];
  const found = told(
    inputs,
    event(1, 0, 'Changed', { entity: 'match', prop: 'turn', from: 0, to: 1 }),
    event(2, 0, 'PhaseStarted', { phase: 'turn', player: 'p0', subject: null }),
    event(3, 1, 'Announced', { action: 'cast_bolt', actor: 'p0' }),
    event(4, 2, 'Action', {}, { stack: 1 }),
    event(5, 2, 'PhaseEnded', { phase: 'turn' }),
    event(6, 2, 'PhaseStarted', { phase: 'turn', player: 'p1', subject: null }),
    event(7, 2, 'Changed', { entity: 'match', prop: 'turn', from: 1, to: 2 }),
  );
  expect(found).toEqual([
    ['Turn 1 · you', 'you cast Bolt on bob', 'you let it happen'],
    ['Turn 2 · bob', 'bob attacks you with Night Bat', 'bob uses Evil eye (Witch)', 'bob leaves (concede)'],
  ]);
});

test('hidden decisions are told by what they lead to', () => {
  const found = told(
    [
      input(0, null, 'the match starts', null),
      input(1, null, null, 2),
      input(2, null, null, 4),
      input(3, null, null, 5),
    ],
    event(1, 1, 'Announced', { action: 'play', actor: 'p1', host: null }),
    event(2, 1, 'Created', { entity: '#8', to: 'stack', with: { host: '#7' } }),
    event(3, 2, 'Action', {}, { stack: 1, text: 'Play #8 (Wandering Cleric #7) resolves' }),
    event(5, 3, 'Drawn', {}, { text: 'p1 draws 2' }),
  );
  expect(found).toEqual([['The match', 'bob plays Wandering Cleric', 'bob lets it happen', 'bob draws 2']]);
});

test('alternatives are the other options of the question', () => {
  const asked = prompt({
    pass: true,
    options: [option(0, 'a', { label: 'Cast Bolt → p1' }), option(1, 'b', { label: 'Play Goblin' })],
  });
  expect(alternativesOf([asked], 0, 'you cast Bolt on bob', names)).toEqual(['play Goblin', 'let it happen']);
  expect(alternativesOf([asked], 0, 'you let it happen', names)).toEqual(['cast Bolt on bob', 'play Goblin']);
  expect(alternativesOf([asked], 1, 'bob decides', names)).toEqual([]);
  const acts = prompt({
    options: [option(0, 'a', { label: 'Shadow Play' }), option(1, 'b', { label: 'Pepper Stew' })],
  });
  expect(alternativesOf([acts], 0, 'you chooses Shadow Play', names)).toEqual(['Pepper Stew']);
});
