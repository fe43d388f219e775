/** Dice that are known beforehand, as people write them: `3 5` for one roll, a line for each, `attack: 17` with a label. */
import type { Roll } from './api.ts';

/** Reads lines of rolls; says what is wrong with the first that cannot be read. */
export function readRolls(text: string): Roll[] | { wrong: string } {
  const rolls: Roll[] = [];
  for (const line of text.split(/\n|;/)) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    const found = /^(?:([A-Za-z_]\w*)\s*:)?\s*(-?\d+(?:[\s,]+-?\d+)*)$/.exec(trimmed);
    if (!found) return { wrong: `“${trimmed}” is no roll: write what the dice show, such as 3 5 or attack: 17` };
    const faces = found[2]!.split(/[\s,]+/).map(Number);
    rolls.push(found[1] === undefined ? faces : { for: found[1], faces });
  }
  return rolls;
}

/** The same the other way round. */
export function writeRolls(rolls: readonly Roll[]): string {
  return rolls
    .map((roll) => (Array.isArray(roll) ? roll.join(' ') : `${roll.for}: ${roll.faces.join(' ')}`))
    .join('\n');
}
