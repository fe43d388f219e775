/** What a ruleset tells those who show it: `GET /rulesets/{name}/table`, asked for once. */
import { need, type Schemas, type Value } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';

export type Rules = Schemas['RulesetTable'];
export type ZoneWords = Rules['zones'][number];

const known = new Map<string, Promise<Rules>>();

/** The words of the ruleset with that hash. */
export function rulesOf(hash: string): Promise<Rules> {
  let rules = known.get(hash);
  if (!rules) {
    rules = need(client.http.GET('/rulesets/{name}/table', { params: { path: { name: hash } } }));
    known.set(hash, rules);
    rules.catch(() => known.delete(hash));
  }
  return rules;
}

/** Makes words known that came another way. */
export function knowRules(rules: Rules): void {
  known.set(rules.hash, Promise.resolve(rules));
}

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
