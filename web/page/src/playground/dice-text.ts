/** Predetermined rolls as text: one line per roll, `3 5` or `attack: 17` with a label. */
import type { Roll } from './api.ts';

/** Parses rolls; returns an error for the first invalid line. */
export function parseRolls(text: string): Roll[] | { error: string } {
  const rolls: Roll[] = [];
  for (const line of text.split(/\n|;/)) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    const found = /^(?:([A-Za-z_]\w*)\s*:)?\s*(-?\d+(?:[\s,]+-?\d+)*)$/.exec(trimmed);
    if (!found) return { error: `“${trimmed}” is not a roll. Enter the faces, such as 3 5 or attack: 17.` };
    const faces = found[2]!.split(/[\s,]+/).map(Number);
    rolls.push(found[1] === undefined ? faces : { for: found[1], faces });
  }
  return rolls;
}

export function formatRolls(rolls: readonly Roll[]): string {
  return rolls
    .map((roll) => (Array.isArray(roll) ? roll.join(' ') : `${roll.for}: ${roll.faces.join(' ')}`))
    .join('\n');
}
