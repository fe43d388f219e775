/** The reason for the end of a match as a sentence. */
import type { View } from '@intermezzo/sdk';

import { humanize, sentenceCase } from '../lib/text.ts';

/** What the losing player did, by the outcome of the match: for `You` and for others. */
const DEEDS: Record<string, [you: string, other: string]> = {
  concede: ['gave up', 'gave up'],
  afk: ['were away for too long', 'was away for too long'],
  disconnect: ['were disconnected for too long', 'was disconnected for too long'],
  out_of_time: ['ran out of time', 'ran out of time'],
};

/** Returns the reason, or nothing if the rules simply came to an end. `loser` is undefined if there are several. */
export function endingText(outcome: string, loser: string | undefined): string {
  if (outcome === '' || outcome === 'normal') return '';
  const deed = Object.hasOwn(DEEDS, outcome) ? DEEDS[outcome] : undefined;
  if (!deed) return `${sentenceCase(outcome)}.`;
  return loser === undefined ? `Somebody ${deed[1]}.` : `${loser} ${loser === 'You' ? deed[0] : deed[1]}.`;
}

/** Numbers that decide by running out. */
const VITAL = new Set(['life', 'lives', 'hp', 'health']);

/** Returns who is ahead in the number that counts: `keen-raven has no life left.`, `Points: You have 12, Ann has 9.` */
export function leadText(
  view: View,
  lead: string,
  winners: readonly number[],
  nameOf: (seat: number) => string,
  you?: number,
  word = humanize(lead),
): string {
  const has = (seat: number) => (nameOf(seat) === 'You' ? 'You have' : `${nameOf(seat)} has`);
  const numbers = view.players.map(({ seat, props }) => ({ seat, value: Number(props[lead]) }));
  const losers = numbers.filter(({ seat }) => !winners.includes(seat));
  if (VITAL.has(lead) && losers.length > 0 && losers.every(({ value }) => value <= 0))
    return `${losers.map(({ seat }) => `${has(seat)} no ${word} left.`).join(' ')}`;
  const [best] = numbers.filter(({ seat }) => winners.includes(seat)).sort((one, other) => other.value - one.value);
  const byValue = losers.sort((one, other) => other.value - one.value);
  const next = byValue.find(({ seat }) => seat === you) ?? byValue[0];
  if (!best || !next || best.value <= next.value) return '';
  return `${sentenceCase(word)}: ${has(best.seat)} ${best.value}, ${has(next.seat)} ${next.value}.`.replaceAll(
    /([:,]) You/g,
    '$1 you',
  );
}
