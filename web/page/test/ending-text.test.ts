import { expect, test } from 'vitest';

import { endingText } from '../src/lobby/ending-text.ts';

test('the reason for the end is a sentence', () => {
  expect(endingText('concede', 'Ann')).toBe('Ann gave up.');
  expect(endingText('afk', 'You')).toBe('You were away for too long.');
  expect(endingText('out_of_time', undefined)).toBe('Somebody ran out of time.');
  expect(endingText('double_ko', undefined)).toBe('Double ko.');
  expect(endingText('normal', 'Ann')).toBe('');
});
