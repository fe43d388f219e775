/** The reason for the end of a match as a sentence. */
import { sentenceCase } from '../lib/text.ts';

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
