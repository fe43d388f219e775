import { expect, test } from 'vitest';

import { layoutOf } from '../../src/match/layout.ts';
import { bandZones, cardRows, isBare, rowWeight, sharedRows } from '../../src/match/mat-rows.ts';
import { itemCount } from '../../src/match/zone-items.ts';
import { display, entity, player, view, zone, zoneDisplay } from './fixtures.ts';

const game = display({
  zones: [
    zoneDisplay('market'),
    zoneDisplay('field', { of: 'player', active: true }),
    zoneDisplay('shop', { of: 'player', active: true }),
  ],
});

test('empty rows give way to others, and the last one stays as a place to drop cards', () => {
  const rows = (field: number) => {
    const cards = Array.from({ length: field }, (_, at) => entity(`#${at + 1}`));
    const own = player(0, { field: zone(...cards), shop: zone() });
    return cardRows(layoutOf(game, view({ players: [own] })).own!).map(({ key }) => key);
  };
  expect(rows(2)).toEqual(['p0.field']);
  expect(rows(0)).toEqual(['p0.field']);
});

test('full rows are higher than empty ones', () => {
  const cards = (count: number) => zone(...Array.from({ length: count }, (_, at) => entity(`#${at}`)));
  expect(rowWeight(cards(0))).toBeLessThan(rowWeight(cards(3)));
  expect(rowWeight(cards(3))).toBeLessThan(rowWeight(cards(12)));
});

test('shared zones lie between the players, unless there is nothing else', () => {
  const zones = { market: zone(entity('#9')) };
  const withField = layoutOf(game, view({ zones, players: [player(0, { field: zone(entity('#1')) })] }));
  expect([bandZones(withField).length, sharedRows(withField).length]).toEqual([1, 0]);
  const alone = layoutOf(game, view({ zones, players: [player(0)] }));
  expect([bandZones(alone).length, sharedRows(alone).length]).toEqual([0, 1]);
  expect(isBare(alone)).toBe(false);
  expect(isBare(layoutOf(game, view({ players: [player(0)] })))).toBe(true);
});

test('an open container counts as its contents', () => {
  const pack = entity('#1', { zones: { contents: zone(entity('#2'), entity('#3')) } });
  expect(itemCount(zone(pack, entity('#4')))).toBe(3);
});
