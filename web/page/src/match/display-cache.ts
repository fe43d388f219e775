/** Loads the display data of rulesets, once per ruleset. */
import { unwrap } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';
import type { RulesetDisplay } from './ruleset-display.ts';
import { loadTableParts } from './table-parts.ts';

const loaded = new Map<string, Promise<RulesetDisplay>>();

export function loadDisplay(rulesetHash: string): Promise<RulesetDisplay> {
  let display = loaded.get(rulesetHash);
  if (!display) {
    display = unwrap(client.http.GET('/rulesets/{name}/table', { params: { path: { name: rulesetHash } } })).then(
      withParts,
    );
    loaded.set(rulesetHash, display);
    display.catch(() => loaded.delete(rulesetHash));
  }
  return display;
}

/** Adds display data that was loaded from elsewhere. */
export function cacheDisplay(display: RulesetDisplay): void {
  loaded.set(display.hash, withParts(display));
}

async function withParts(display: RulesetDisplay): Promise<RulesetDisplay> {
  await loadTableParts(display);
  return display;
}
