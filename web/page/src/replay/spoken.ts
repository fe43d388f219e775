/** What the server tells of players and their zones, in the names of those who played. */
import { spaced } from '../lib/words.ts';

/** `p1.hand` is `Ann’s hand`, `p1` is `Ann`; players without a name stay as they are. */
export function spoken(text: string, names: readonly string[]): string {
  return text.replaceAll(/\bp(\d+)\b(?:\.(\w+))?/g, (whole, seat: string, own: string | undefined) => {
    const name = names[Number(seat)];
    if (name === undefined) return whole;
    return own === undefined ? name : `${name}’s ${spaced(own)}`;
  });
}
