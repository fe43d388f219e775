import { expect, test } from 'vitest';

import { unmistakable } from '../src/answers.ts';
import type { Branch, Option, Prompt, Value } from '../src/game.ts';

const options = (...values: Value[]): Option[] => values.map((value, n) => ({ n, value, label: String(value) }));

function prompt(part: Partial<Prompt>): Prompt {
  return {
    inputId: 1,
    actor: 'p0',
    name: 'amount',
    kind: 'select',
    title: '',
    options: [],
    branches: [],
    min: 1,
    max: 1,
    slots: null,
    pass: false,
    drafts: false,
    draft: null,
    deadlineMs: null,
    default: null,
    ...part,
  };
}

test('the third of three numbers is not the number two', () => {
  expect(unmistakable(prompt({ options: options(1, 2, 3) }), [2])).toEqual([3]);
});

test('everything else stays as it is', () => {
  const cards = prompt({ options: options('#1', '#2') });
  expect(unmistakable(cards, [1, null])).toEqual([1, null]);
  expect(unmistakable(cards, 'pass')).toBe('pass');
  expect(unmistakable(prompt({ options: options(1, 2) }), ['pass'])).toEqual(['pass']);
  expect(unmistakable(undefined, [2])).toEqual([2]);
});

test('also inside of alternatives', () => {
  const pay: Branch = { id: 'pay', title: '', exclusive: false, options: options(5, 1), min: 1, max: 1 };
  const deep: Branch = { id: 'deep', title: '', exclusive: false, options: [], min: 0, max: 1, branches: [pay] };
  const asked = prompt({ branches: [deep] });
  const answer = [{ id: 'deep', selection: [{ id: 'pay', selection: [1] }] }];
  expect(unmistakable(asked, answer)).toEqual([{ id: 'deep', selection: [{ id: 'pay', selection: [1] }] }]);
  const other = [{ id: 'deep', selection: [{ id: 'pay', selection: [0] }] }];
  expect(unmistakable(asked, other)).toEqual([{ id: 'deep', selection: [{ id: 'pay', selection: [5] }] }]);
});
