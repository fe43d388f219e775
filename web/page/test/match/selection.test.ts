import { expect, test } from 'vitest';

import {
  autoAdvance,
  candidatesOf,
  completedCandidate,
  costText,
  dragCandidates,
  EMPTY_SELECTION,
  promptMode,
  selectionStage,
} from '../../src/match/selection.ts';
import { option, prompt } from './fixtures.ts';

const offer = (n: number, action: string, host: string | null, targets = {}) =>
  option(n, { action, host, targets }, { title: action, costs: [{ op: 'pay_resource', resource: 'mana', amount: 1 }] });
const shown = new Set(['#1', '#2', 'p0', 'p1']);
const name = (object: string) => `<${object}>`;

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
const candidates = candidatesOf(duel, shown, undefined, name);

test('hosts can be clicked first, and actions without a host are buttons', () => {
  const stage = selectionStage(candidates, EMPTY_SELECTION);
  expect([...stage.objects.keys()]).toEqual(['#1', '#2']);
  expect(stage.buttons.map((choice) => [choice.label, choice.completes?.answer])).toEqual([['rest', [{ n: 4 }]]]);
});

test('a host with one action asks for the target, which completes the answer', () => {
  const selection = autoAdvance(candidates, selectionStage(candidates, EMPTY_SELECTION).objects.get('#1')!);
  expect(selection.action).toBe('bolt');
  const stage = selectionStage(candidates, selection);
  expect([...stage.objects.keys()]).toEqual(['p1', '#2']);
  expect(stage.nextTarget).toBe('victim');
  expect(completedCandidate(candidates, stage.objects.get('#2')!)?.answer).toEqual([{ n: 1 }]);
});

test('a host with several actions offers them with their costs', () => {
  const selection = autoAdvance(candidates, selectionStage(candidates, EMPTY_SELECTION).objects.get('#2')!);
  const { buttons } = selectionStage(candidates, selection);
  expect(buttons.map((choice) => [choice.label, choice.costs, choice.completes !== undefined])).toEqual([
    ['play', '1 mana', true],
    ['attack → <p1>', '1 mana', true],
  ]);
});

test('an action with a single legal target needs one press', () => {
  const only = candidatesOf(
    prompt({ kind: 'action', options: [offer(0, 'bolt', '#1', { victim: 'p1' }), offer(1, 'play', '#2')] }),
    shown,
    undefined,
    name,
  );
  const press = (host: string) => autoAdvance(only, selectionStage(only, EMPTY_SELECTION).objects.get(host)!);
  expect(completedCandidate(only, press('#1'))?.answer).toEqual([{ n: 0 }]);
  // Without a target to see, the action is shown first.
  expect(completedCandidate(only, press('#2'))).toBeUndefined();
});

test('dragging means the actions with that target', () => {
  expect(dragCandidates(candidates, '#1', 'p1').map((candidate) => candidate.answer)).toEqual([[{ n: 0 }]]);
  expect(dragCandidates(candidates, '#1', 'p0')).toEqual([]);
});

test('exclusive nested branches become candidates', () => {
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
  expect(promptMode(asked)).toBe('actions');
  const found = candidatesOf(asked, shown, undefined, name);
  expect(found.map(({ host, title, answer }) => [host, title, answer])).toEqual([
    [null, 'Draw', [{ id: 'draw', selection: [] }]],
    ['#1', 'Lay', [{ id: 'lay', selection: [{ n: 0 }] }]],
    [null, 'Lay', [{ id: 'lay', selection: [{ n: 1 }] }]],
    ['#2', 'Trade: Take', [{ id: 'trade', selection: [{ id: 'take', selection: [{ n: 0 }] }] }]],
  ]);
});

test('branches with several picks use the tree mode', () => {
  const branch = { id: 'a', title: 'A', exclusive: false, options: [option(0, '#1'), option(1, '#2')], min: 1, max: 2 };
  expect(promptMode(prompt({ branches: [branch] }))).toBe('tree');
});

test('costs are formatted, and moving the played card is left out', () => {
  expect(costText([{ op: 'pay_resource', resource: 'mana', amount: 2 }, { op: 'move' }, { op: 'use_action' }])).toBe(
    '2 mana, use action',
  );
});
