import { expect, test } from 'vitest';

import { layoutOf } from '../../src/match/layout.ts';
import { display, entity, player, view, zone, zoneDisplay } from './fixtures.ts';

const cards = display({
  ui: { zones: { casting: { hide: true } } },
  zones: [
    zoneDisplay('stack'),
    zoneDisplay('deck', { of: 'player', visible: 'none', ordered: true }),
    zoneDisplay('hand', { of: 'player', visible: 'owner' }),
    zoneDisplay('field', { of: 'player', active: true }),
    zoneDisplay('graveyard', { of: 'player', ordered: true }),
    zoneDisplay('casting'),
  ],
});
const dealt = (seat: number, own: boolean) =>
  player(seat, {
    deck: { count: 20 },
    hand: own ? zone(entity('#1')) : { count: 1 },
    field: own ? zone() : zone(entity('#2')),
    graveyard: zone(),
  });

test("the viewer's hand is open, other hands and decks are piles, active zones are rows", () => {
  const layout = layoutOf(cards, view({ players: [dealt(0, true), dealt(1, false)] }));
  expect(layout.own?.zones.map(({ key, style }) => [key, style])).toEqual([
    ['p0.deck', 'pile'],
    ['p0.hand', 'hand'],
    ['p0.field', 'row'],
  ]);
  expect(layout.others[0]?.zones.map(({ key, style }) => [key, style])).toEqual([
    ['p1.deck', 'pile'],
    ['p1.hand', 'pile'],
    ['p1.field', 'row'],
  ]);
});

test('other players are listed clockwise from the viewer', () => {
  const players = [0, 1, 2].map((seat) => dealt(seat, seat === 1));
  const layout = layoutOf(cards, view({ you: 'p1', players }));
  expect(layout.own?.player.id).toBe('p1');
  expect(layout.others.map((area) => area.player.id)).toEqual(['p2', 'p0']);
});

test('spectators see all players as others', () => {
  const layout = layoutOf(cards, view({ you: null, players: [dealt(0, false), dealt(1, false)] }));
  expect(layout.own).toBeUndefined();
  expect(layout.others.map((area) => area.player.id)).toEqual(['p0', 'p1']);
});

test('hidden zones are left out, but the stack represents their cards', () => {
  const spell = entity('#9', { kind: 'spell' });
  const item = entity('#10', { kind: 'action', props: { host: '#9' } });
  const layout = layoutOf(
    cards,
    view({ players: [dealt(0, true)], zones: { stack: zone(item), casting: zone(spell) } }),
  );
  expect(layout.shared).toEqual([]);
  expect(layout.shown.has('#9')).toBe(true);
});

test('an entity with visible contents is shown in a row', () => {
  const packs = display({ zones: [zoneDisplay('queue', { of: 'player', ordered: true })] });
  const open = entity('#1', { zones: { contents: zone(entity('#2')) } });
  const closed = entity('#1', { zones: { contents: { count: 3 } } });
  const style = (pack: typeof open) =>
    layoutOf(packs, view({ players: [player(0, { queue: zone(pack) })] })).own?.zones[0]?.style;
  expect(style(open)).toBe('row');
  expect(style(closed)).toBe('pile');
});
