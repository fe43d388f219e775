/** Properties changed by modifiers: their marks and explanations. */
import type { Entity, ModifiedValue, Value } from '@intermezzo/sdk';

import { sentenceCase, valueText } from '../lib/text.ts';

/** Direction in which modifiers have changed a value. */
export type Change = 'more' | 'less' | 'other';

type WithProps = Pick<Entity, 'props' | 'modified'>;

export function changeOf({ props, modified }: WithProps, name: string | undefined): Change | undefined {
  const base = name === undefined ? undefined : modified?.[name]?.base;
  if (name === undefined || base === undefined) return undefined;
  const value = props[name];
  if (typeof base !== 'number' || typeof value !== 'number') return 'other';
  return value > base ? 'more' : 'less';
}

/** Symbols besides the colours, for players who cannot tell the colours apart. */
export const SIGNS: Record<Change, string> = { more: '▲', less: '▼', other: '◆' };

/** Explains every modified property: `Power 3: 2, +1 from Goblin Captain`. */
export function changeDetails({ props, modified }: WithProps): { name: string; value: string; steps: string }[] {
  return Object.entries(modified ?? {}).map(([name, change]) => ({
    name: sentenceCase(name),
    value: valueText(props[name]),
    steps: changeSteps(change),
  }));
}

function changeSteps({ base, by }: ModifiedValue): string {
  const steps = by.map(({ title, change }) => {
    const source = title === null ? 'a hidden effect' : sentenceCase(title);
    return change === null ? `changed by ${source}` : `${signed(change)} from ${source}`;
  });
  return [valueText(base), ...steps].join(', ');
}

const signed = (change: number): string => (change < 0 ? `−${-change}` : `+${change}`);

/** Formats a value for screen readers: `3 instead of 2`. */
export function accessibleValue(of: WithProps, name: string | undefined, value: Value): string {
  const base = name === undefined ? undefined : of.modified?.[name]?.base;
  return base === undefined ? valueText(value) : `${valueText(value)} instead of ${valueText(base)}`;
}
