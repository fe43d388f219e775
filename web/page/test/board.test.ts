import type { Entity, View, Zone } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { changed, glance, mentioned, shownZones, things } from '../src/board/shape.ts';

function thing(id: string, props = {}, zones: Record<string, Zone> = {}): Entity {
  return { id, kind: 'card', def: null, title: null, text: null, owner: null, props, traits: [], zones };
}

function view(hand: Entity[], table: Entity[], hp = 3): View {
  const zones = { hand: { count: hand.length, items: hand } };
  return {
    you: null,
    phases: [],
    options: {},
    match: {},
    ending: null,
    players: [{ id: 'p0', seat: 0, gone: false, props: { hp }, zones }],
    zones: { table: { count: table.length, items: table } },
  };
}

test('things are found wherever they lie, also inside others', () => {
  const found = things(view([thing('#1')], [thing('#2', {}, { under: { count: 1, items: [thing('#3')] } })]));
  expect([...found.keys()].sort()).toEqual(['#1', '#2', '#3']);
  expect(found.get('#1')?.player?.id).toBe('p0');
  expect(found.get('#3')?.zone).toBe('under');
});

test('what moved, changed or came stands out, and nothing else', () => {
  const before = view([thing('#1'), thing('#2')], [thing('#3')]);
  const after = view([thing('#2')], [thing('#1'), thing('#3', { power: 2 }), thing('#4')], 2);
  expect([...changed(before, after)].sort()).toEqual(['#1', '#3', '#4', 'p0']);
  expect(changed(undefined, after).size).toBe(0);
});

test('events tell whom they are about, also by keys of maps', () => {
  expect([...mentioned({ player: 'p1', hp: { p0: 3 }, cards: ['#7', 'seven'] })].sort()).toEqual(['#7', 'p0', 'p1']);
});

test('blanks tell nothing at a glance', () => {
  expect(glance({ cost: 2, tapped: false, token: true, of: null, list: [1] })).toEqual([
    ['cost', '2'],
    ['token', ''],
  ]);
});

test('what lies open comes first, empty zones not at all', () => {
  const zones = { deck: { count: 30 }, hand: { count: 1, items: [thing('#1')] }, grave: { count: 0 } };
  expect(shownZones(zones).map(([name]) => name)).toEqual(['hand', 'deck']);
});
