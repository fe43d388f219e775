import { expect, test } from 'vitest';

import { planOf } from '../../src/table/plan.ts';
import { player, rules, thing, view, zone, zoneWords } from './some.ts';

const cards = rules({
  ui: { zones: { casting: { hide: true } } },
  zones: [
    zoneWords('stack'),
    zoneWords('deck', { of: 'player', visible: 'none', ordered: true }),
    zoneWords('hand', { of: 'player', visible: 'owner' }),
    zoneWords('field', { of: 'player', active: true }),
    zoneWords('graveyard', { of: 'player', ordered: true }),
    zoneWords('casting'),
  ],
});
const dealt = (seat: number, own: boolean) =>
  player(seat, {
    deck: { count: 20 },
    hand: own ? zone(thing('#1')) : { count: 1 },
    field: own ? zone() : zone(thing('#2')),
    graveyard: zone(),
  });

test('one holds a hand, others hold backs; decks are piles; what is in force lies in rows', () => {
  const plan = planOf(cards, view({ players: [dealt(0, true), dealt(1, false)] }));
  expect(plan.own?.zones.map(({ key, look }) => [key, look])).toEqual([
    ['p0.deck', 'pile'],
    ['p0.hand', 'hand'],
    ['p0.field', 'row'],
  ]);
  expect(plan.others[0]?.zones.map(({ key, look }) => [key, look])).toEqual([
    ['p1.deck', 'pile'],
    ['p1.hand', 'pile'],
    ['p1.field', 'row'],
  ]);
});

test('the others sit clockwise from the viewer', () => {
  const players = [0, 1, 2].map((seat) => dealt(seat, seat === 1));
  const plan = planOf(cards, view({ you: 'p1', players }));
  expect(plan.own?.player.id).toBe('p1');
  expect(plan.others.map((area) => area.player.id)).toEqual(['p2', 'p0']);
});

test('who looks on sees everyone as others', () => {
  const plan = planOf(cards, view({ you: null, players: [dealt(0, false), dealt(1, false)] }));
  expect(plan.own).toBeUndefined();
  expect(plan.others.map((area) => area.player.id)).toEqual(['p0', 'p1']);
});

test('a zone that is left out is not on the table, but the stack stands for its cards', () => {
  const spell = thing('#9', { kind: 'spell' });
  const item = thing('#10', { kind: 'action', props: { host: '#9' } });
  const plan = planOf(cards, view({ players: [dealt(0, true)], zones: { stack: zone(item), casting: zone(spell) } }));
  expect(plan.shared).toEqual([]);
  expect(plan.shown.has('#9')).toBe(true);
});

test('something that lies open inside another thing wants a row', () => {
  const packs = rules({ zones: [zoneWords('queue', { of: 'player', ordered: true })] });
  const open = thing('#1', { zones: { contents: zone(thing('#2')) } });
  const closed = thing('#1', { zones: { contents: { count: 3 } } });
  const look = (pack: typeof open) =>
    planOf(packs, view({ players: [player(0, { queue: zone(pack) })] })).own?.zones[0]?.look;
  expect(look(open)).toBe('row');
  expect(look(closed)).toBe('pile');
});
