/** What a ruleset tells those who show it, and how to find something in it. */
import type { Schemas, Value } from '@intermezzo/sdk';

export type Rules = Schemas['RulesetTable'];
export type ZoneWords = Rules['zones'][number];

/** A value deep inside `ui`, if it is there. */
export function hint(rules: Rules, ...path: string[]): Value | undefined {
  let at: unknown = rules.ui;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at as Value | undefined;
}

/** The same, if it is a text. */
export function hintText(rules: Rules, ...path: string[]): string | undefined {
  const found = hint(rules, ...path);
  return typeof found === 'string' ? found : undefined;
}
