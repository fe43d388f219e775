import { expect, test } from 'vitest';

import { LeadTracker } from '../src/match/lead.ts';
import { display, player, view } from './match/fixtures.ts';

import { endingText, leadText } from '../src/lobby/ending-text.ts';

test('the reason for the end is a sentence', () => {
  expect(endingText('concede', 'Ann')).toBe('Ann gave up.');
  expect(endingText('afk', 'You')).toBe('You were away for too long.');
  expect(endingText('out_of_time', undefined)).toBe('Somebody ran out of time.');
  expect(endingText('double_ko', undefined)).toBe('Double ko.');
  expect(endingText('normal', 'Ann')).toBe('');
});

test('an end by the rules names the number that counts', () => {
  const shown = (...numbers: number[]) =>
    view({ players: numbers.map((value, seat) => ({ ...player(seat), props: { life: value } })) });
  const nameOf = (seat: number) => ['You', 'ann', 'bob'][seat]!;
  expect(leadText(shown(11, 0), 'life', [0], nameOf)).toBe('ann has no life left.');
  expect(leadText(shown(0, 4), 'life', [1], nameOf)).toBe('You have no life left.');
  expect(leadText(shown(9, 12, 3), 'life', [1], nameOf)).toBe('Life: ann has 12, you have 9.');
  expect(leadText(shown(3, 3), 'life', [1], nameOf)).toBe('');
});

test('the turning point is the largest change of the lead', () => {
  const at = (turn: number, own: number, other: number) =>
    view({
      match: { turn },
      players: [own, other].map((life, seat) => ({ ...player(seat), props: { life } })),
    });
  const tracker = new LeadTracker();
  const game = display({ ui: { score: { lead: 'life' } } });
  tracker.note(at(1, 20, 20), at(1, 18, 20), game, 'Ogre hits you', 4);
  tracker.note(at(2, 18, 20), at(2, 18, 13), game, 'Drake hits ann', 9);
  tracker.note(at(3, 18, 13), at(3, 17, 13), game, 'Bat bites you', 12);
  expect(tracker.turningPoint()).toEqual({ text: 'Drake hits ann', when: 'turn 2', n: 9, change: 7, lead: 5 });
  // What made the winner win, not what nearly made them lose.
  expect(tracker.turningPoint(Infinity, 'won')?.text).toBe('Drake hits ann');
  expect(tracker.turningPoint(Infinity, 'lost')?.text).toBe('Ogre hits you');
});
