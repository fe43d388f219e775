/** Display data of a ruleset: titles, event texts, zones and `ui` hints. */
import type { Schemas, Value } from '@intermezzo/sdk';

export type RulesetDisplay = Schemas['RulesetTable'];
export type ZoneDisplay = RulesetDisplay['zones'][number];

/** Returns a nested value of the `ui` hints, if it exists. */
export function uiHint(display: RulesetDisplay, ...path: string[]): Value | undefined {
  let node: unknown = display.ui;
  for (const key of path) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node as Value | undefined;
}

/** Returns a nested value of the `ui` hints, if it is a string. */
export function uiHintText(display: RulesetDisplay, ...path: string[]): string | undefined {
  const value = uiHint(display, ...path);
  return typeof value === 'string' ? value : undefined;
}
