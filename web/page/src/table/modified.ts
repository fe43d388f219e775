/** Values that something has changed: how they are marked, and what people read of it. */
import type { Entity, Modified, Value } from '@intermezzo/sdk';

import { titled, word } from '../lib/words.ts';

/** Whether a value is more or less than it would be by itself, or merely another. */
export type Change = 'more' | 'less' | 'other';

type Bearer = Pick<Entity, 'props' | 'modified'>;

export function changeOf({ props, modified }: Bearer, name: string | undefined): Change | undefined {
  const base = name === undefined ? undefined : modified?.[name]?.base;
  if (name === undefined || base === undefined) return undefined;
  const value = props[name];
  if (typeof base !== 'number' || typeof value !== 'number') return 'other';
  return value > base ? 'more' : 'less';
}

/** What marks it for those who tell no colours apart. */
export const SIGNS: Record<Change, string> = { more: '▲', less: '▼', other: '◆' };

/** What made each value what it is: `Power 3: 2, +1 by Goblin Captain`. */
export function changesOf({ props, modified }: Bearer): { name: string; value: string; how: string }[] {
  return Object.entries(modified ?? {}).map(([name, change]) => ({
    name: titled(name),
    value: word(props[name]),
    how: howOf(change),
  }));
}

function howOf({ base, by }: Modified): string {
  const steps = by.map(({ title, change }) => {
    const source = title === null ? 'something hidden' : titled(title);
    return change === null ? `changed by ${source}` : `${signed(change)} by ${source}`;
  });
  return [word(base), ...steps].join(', ');
}

const signed = (change: number): string => (change < 0 ? `−${-change}` : `+${change}`);

/** A value for those who hear it: `3 instead of 2`. */
export function heard(bearer: Bearer, name: string | undefined, value: Value): string {
  const base = name === undefined ? undefined : bearer.modified?.[name]?.base;
  return base === undefined ? word(value) : `${word(value)} instead of ${word(base)}`;
}
