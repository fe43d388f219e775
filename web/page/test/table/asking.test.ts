import { expect, test } from 'vitest';

import {
  arrived,
  costWords,
  dragged,
  hurried,
  mannerOf,
  NOTHING_BEGUN,
  stageOf,
  waysOf,
} from '../../src/table/asking.ts';
import { option, prompt } from './some.ts';

const offer = (n: number, action: string, host: string | null, targets = {}) =>
  option(n, { action, host, targets }, { title: action, costs: [{ op: 'pay_resource', resource: 'mana', amount: 1 }] });
const shown = new Set(['#1', '#2', 'p0', 'p1']);
const name = (thing: string) => `<${thing}>`;

const duel = prompt({
  kind: 'action',
  options: [
    offer(0, 'bolt', '#1', { victim: 'p1' }),
    offer(1, 'bolt', '#1', { victim: '#2' }),
    offer(2, 'play', '#2'),
    offer(3, 'attack', '#2', { defender: 'p1' }),
    offer(4, 'rest', null),
  ],
});
const ways = waysOf(duel, shown, undefined, name);

test('at first those can be pressed that can do something; what belongs to nobody is a button', () => {
  const stage = stageOf(ways, NOTHING_BEGUN);
  expect([...stage.spots.keys()]).toEqual(['#1', '#2']);
  expect(stage.words.map((choice) => [choice.label, choice.done?.answer])).toEqual([['rest', [{ n: 4 }]]]);
});

test('one that can only do one thing aims at once; the target ends it', () => {
  const begun = hurried(ways, stageOf(ways, NOTHING_BEGUN).spots.get('#1')!);
  expect(begun.action).toBe('bolt');
  const stage = stageOf(ways, begun);
  expect([...stage.spots.keys()]).toEqual(['p1', '#2']);
  expect(stage.asks).toBe('victim');
  expect(arrived(ways, stage.spots.get('#2')!)?.answer).toEqual([{ n: 1 }]);
});

test('one that can do several is asked what, with what it costs', () => {
  const begun = hurried(ways, stageOf(ways, NOTHING_BEGUN).spots.get('#2')!);
  const { words } = stageOf(ways, begun);
  expect(words.map((choice) => [choice.label, choice.costs, choice.done !== undefined])).toEqual([
    ['play', '1 mana', true],
    ['attack', '1 mana', false],
  ]);
});

test('dragging one onto another means what can be aimed there', () => {
  expect(dragged(ways, '#1', 'p1').map((way) => way.answer)).toEqual([[{ n: 0 }]]);
  expect(dragged(ways, '#1', 'p0')).toEqual([]);
});

test('alternatives of which one is taken are ways, however deep', () => {
  const asked = prompt({
    kind: 'mode_pick',
    branches: [
      { id: 'draw', title: 'Draw', exclusive: false, options: [], min: 0, max: 0 },
      { id: 'lay', title: 'Lay', exclusive: false, options: [option(0, '#1'), option(1, '#7')], min: 1, max: 1 },
      {
        id: 'trade',
        title: 'Trade',
        exclusive: false,
        options: [],
        min: 1,
        max: 1,
        branches: [{ id: 'take', title: 'Take', exclusive: false, options: [option(0, '#2')], min: 1, max: 1 }],
      },
    ],
  });
  expect(mannerOf(asked)).toBe('ways');
  const found = waysOf(asked, shown, undefined, name);
  expect(found.map(({ host, title, answer }) => [host, title, answer])).toEqual([
    [null, 'Draw', [{ id: 'draw', selection: [] }]],
    ['#1', 'Lay', [{ id: 'lay', selection: [{ n: 0 }] }]],
    [null, 'Lay', [{ id: 'lay', selection: [{ n: 1 }] }]],
    ['#2', 'Trade: Take', [{ id: 'trade', selection: [{ id: 'take', selection: [{ n: 0 }] }] }]],
  ]);
});

test('alternatives of which several may be taken are a tree', () => {
  const branch = { id: 'a', title: 'A', exclusive: false, options: [option(0, '#1'), option(1, '#2')], min: 1, max: 2 };
  expect(mannerOf(prompt({ branches: [branch] }))).toBe('tree');
});

test('costs are told in words; where a played card goes is not', () => {
  expect(costWords([{ op: 'pay_resource', resource: 'mana', amount: 2 }, { op: 'move' }, { op: 'use_action' }])).toBe(
    '2 mana, use action',
  );
});
