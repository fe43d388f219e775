import type { Entity, View, Zone } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { changedNames, locatedEntities, referencedNames } from '../src/lib/view-queries.ts';
import { nonEmptyZones, summaryProps } from '../src/playground/state-summary.ts';

function entity(id: string, props = {}, zones: Record<string, Zone> = {}): Entity {
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

test('entities are found in all zones, including nested ones', () => {
  const found = locatedEntities(
    view([entity('#1')], [entity('#2', {}, { under: { count: 1, items: [entity('#3')] } })]),
  );
  expect([...found.keys()].sort()).toEqual(['#1', '#2', '#3']);
  expect(found.get('#1')?.player?.id).toBe('p0');
  expect(found.get('#3')?.zone).toBe('under');
});

test('new, moved and changed entities are reported, and nothing else', () => {
  const before = view([entity('#1'), entity('#2')], [entity('#3')]);
  const after = view([entity('#2')], [entity('#1'), entity('#3', { power: 2 }), entity('#4')], 2);
  expect([...changedNames(before, after)].sort()).toEqual(['#1', '#3', '#4', 'p0']);
  expect(changedNames(undefined, after).size).toBe(0);
});

test('names are found in values and in keys', () => {
  expect([...referencedNames({ player: 'p1', hp: { p0: 3 }, cards: ['#7', 'seven'] })].sort()).toEqual([
    '#7',
    'p0',
    'p1',
  ]);
});

test('empty properties and lists are left out of the summary', () => {
  expect(summaryProps({ cost: 2, tapped: false, token: true, of: null, list: [1] })).toEqual([
    ['cost', '2'],
    ['token', ''],
  ]);
});

test('visible zones come first and empty zones are left out', () => {
  const zones = { deck: { count: 30 }, hand: { count: 1, items: [entity('#1')] }, grave: { count: 0 } };
  expect(nonEmptyZones(zones).map(([name]) => name)).toEqual(['hand', 'deck']);
});
