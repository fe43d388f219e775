/** Asks what a ruleset tells those who show it, once for each. */
import { need } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';
import type { Rules } from './rules.ts';

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
