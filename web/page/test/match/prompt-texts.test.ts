/** Titles of questions with placeholders. */
import type { Prompt } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { withNames } from '../../src/match/prompt-texts.ts';

const names = {
  isObject: (text: string) => /^(p\d|#\d+)$/.test(text),
  isYou: (text: string) => text === 'p0',
  of: (text: string) => (text === 'p1' ? 'Ann' : 'Duke'),
};

const prompt = {
  title: 'p1 has the grand duke?',
  template: '{claimant} has the {character}?',
  passTemplate: 'Believe {claimant}',
  passTitle: 'Believe p1',
  values: { claimant: 'p1', character: 'grand_duke', cost: 3 },
  branches: [{ id: 'pay', title: 'Pay 3', template: 'Pay {cost}', exclusive: false, options: [], min: 0, max: 0 }],
} as unknown as Prompt;

test('names and numbers are filled in', () => {
  const shown = withNames(prompt, names);
  expect(shown.title).toBe('Ann has the grand duke?');
  expect(shown.passTitle).toBe('Believe Ann');
  expect(shown.branches[0]?.title).toBe('Pay 3');
});

test('what the viewer is asked about is called you, and hidden things stay hidden', () => {
  expect(withNames({ ...prompt, values: { claimant: 'p0', character: null } }, names).title).toBe(
    'You has the something?',
  );
});

test('a prompt without placeholders is left as it is', () => {
  const { values: _, ...plain } = prompt;
  expect(withNames(plain as Prompt, names)).toBe(plain);
});
