import { humanize } from '../lib/text.ts';

/** Replaces player ids in server texts: `p1.hand` becomes `Ann’s hand`, `p1` becomes `Ann`. Unknown ids stay. */
export function withPlayerNames(text: string, names: readonly string[]): string {
  return text.replaceAll(/\bp(\d+)\b(?:\.(\w+))?/g, (whole, seat: string, zone: string | undefined) => {
    const name = names[Number(seat)];
    if (name === undefined) return whole;
    return zone === undefined ? name : `${name}’s ${humanize(zone)}`;
  });
}
