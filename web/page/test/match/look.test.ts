import { expect, test } from 'vitest';

import { pictureOf, spriteUrls } from '../../src/art/pictures.ts';
import { namedFace } from '../../src/match/card-face.ts';
import {
  maxOf,
  middleSlots,
  panelOf,
  playerZoneLook,
  sharedZoneLook,
  tileProps,
  turnOrder,
} from '../../src/match/look.ts';
import { pilesBy, placesBy } from '../../src/match/piles.ts';
import { mergedItems } from '../../src/match/zone-items.ts';
import { display, entity, view } from './fixtures.ts';

const look = (ui: Record<string, unknown>) => display({ ui });

test('a zone is shown as the ruleset says, and a hand of others as a pile', () => {
  const shown = look({
    layout: {
      mine: [
        { zone: 'board', as: 'piles', by: 'colour' },
        { zone: 'hand', as: 'fan' },
      ],
      others: { zone: 'board', as: 'chips' },
      band: [{ zone: 'deeds', as: 'track', tracks: [{ of: 'points', max: 'needs' }] }],
      piles: ['scored'],
    },
  });
  expect(playerZoneLook(shown, 'board', true)).toMatchObject({ style: 'piles', by: 'colour', at: 0 });
  expect(playerZoneLook(shown, 'board', false)).toMatchObject({ style: 'chips' });
  expect(playerZoneLook(shown, 'hand', true)).toMatchObject({ style: 'hand', at: 1 });
  expect(playerZoneLook(shown, 'hand', false)).toMatchObject({ style: 'pile' });
  expect(playerZoneLook(shown, 'scored', false)).toEqual({ style: 'pile' });
  expect(playerZoneLook(shown, 'elsewhere', true)).toBeUndefined();
  expect(sharedZoneLook(shown, 'deeds')).toMatchObject({ style: 'track', area: 'band' });
});

test('panels, orders, tiles and slots are optional', () => {
  const shown = look({
    layout: {
      panel: { hp: { as: 'hearts', max: 'max_hp' }, score: 'number' },
      middle: { question: 'answers', as: 'slots', names: ['first'] },
      order: { zone: 'field', by: ['speed'] },
      tiles: { shows: ['moves'] },
    },
  });
  expect(panelOf(shown)).toMatchObject([
    { prop: 'hp', style: 'hearts', max: 'max_hp' },
    { prop: 'score', style: 'number' },
  ]);
  expect(middleSlots(shown)).toEqual({ question: 'answers', names: ['first'] });
  expect(turnOrder(shown)).toEqual({ zone: 'field', by: ['speed'] });
  expect(tileProps(shown)).toEqual(['moves']);
  const none = look({});
  expect([panelOf(none), middleSlots(none), turnOrder(none), tileProps(none)]).toEqual(Array(4).fill(undefined));
  const played = view({ options: { max_hp: 10 } });
  expect([maxOf(3, played, {}), maxOf('max_hp', played, {}), maxOf('all', played, { all: 4 })]).toEqual([3, 10, 4]);
});

test('a picture comes from the def, else from a property, else from the name', () => {
  const pictures = {
    'assets/a.svg': { url: '/pictures/1.svg', prefix: 'a1-' },
    'assets/cover.svg': { url: '/pictures/2.svg', prefix: 'a2-' },
  };
  const art = {
    defs: { drake: { file: 'assets/a.svg#drake', scene: 'rays', hue: 8 } },
    values: { type: { heal: { print: 'hills/heal', text: 'Regain 1.' } } },
    hues: { colour: { red: 6 } },
  };
  const shown = display({ ui: { art, label: 'type' }, pictures });
  expect(pictureOf(shown, { def: 'drake', props: {}, name: 'x' })).toMatchObject({
    symbol: 'a1-drake',
    scene: 'rays',
    hue: 8,
  });
  expect(pictureOf(shown, { def: 'other', props: { colour: 'red' }, name: 'Wolf' })).toMatchObject({
    figure: 'wolf',
    hue: 6,
  });
  expect(namedFace('heal', shown)).toMatchObject({ title: 'Heal', text: 'Regain 1.', picture: { figure: 'heal' } });
  expect(spriteUrls(shown)).toEqual(['/pictures/1.svg']);
});

test('entities lie in piles and places by a property', () => {
  const shown = look({ art: { hues: { colour: { red: 6, blue: 215 } } } });
  const cards = [
    entity('#1', { props: { colour: 'blue', hour: 2 } }),
    entity('#2', { props: { colour: 'blue', hour: 1 } }),
    entity('#3', { props: { colour: 'grey', hour: 2 } }),
  ];
  const piles = pilesBy(shown, cards, 'colour').map(({ value, cards: all }) => [value, all.length]);
  expect(piles).toEqual([
    ['red', 0],
    ['blue', 2],
    ['grey', 1],
  ]);
  expect(placesBy(cards, 'hour', 3).map((place) => place.map(({ id }) => id))).toEqual([['#2'], ['#1', '#3'], []]);
});

test('equal cards merge, others stay apart', () => {
  const items = [
    entity('#1', { props: { power: 1 } }),
    entity('#2', { props: { power: 1 } }),
    entity('#3', { props: { power: 2 } }),
  ].map((one) => ({ entity: one, container: undefined }));
  expect(mergedItems(items, true).map(({ count }) => count)).toEqual([2, 1]);
  expect(mergedItems(items, false)).toHaveLength(3);
});
