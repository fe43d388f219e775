/** The rulesets of the server, loaded once. Shorter games come first, so newcomers start with something small. */
import { unwrap } from '@intermezzo/sdk';

import type { Ruleset } from './matches.ts';
import { client } from './session.svelte.ts';

let loading: Promise<Ruleset[]> | undefined;

export function loadRulesets(): Promise<Ruleset[]> {
  loading ??= unwrap(client.http.GET('/rulesets', { params: { query: { limit: 100 } } })).then(({ items }) =>
    items.sort((one, other) => minutesOf(one) - minutesOf(other) || one.name.localeCompare(other.name)),
  );
  // A failure is not cached: the next call tries again.
  loading.catch(() => (loading = undefined));
  return loading;
}

/** Loads one ruleset; requested separately if it is not on the first page of the list. */
export async function loadRuleset(id: string): Promise<Ruleset> {
  const listed = (await loadRulesets()).find((ruleset) => ruleset.id === id);
  return listed ?? unwrap(client.http.GET('/rulesets/{name}', { params: { path: { name: id } } }));
}

export function playerCountText({ seats }: Ruleset): string {
  return seats.min === seats.max ? `${seats.min} players` : `${seats.min}–${seats.max} players`;
}

function minutesOf({ ui }: Ruleset): number {
  const minutes = ui?.['minutes'];
  return typeof minutes === 'number' ? minutes : Number.MAX_SAFE_INTEGER;
}

/** Formats the duration of a match, if the ruleset declares one. */
export function durationText(ruleset: Ruleset): string | undefined {
  const minutes = minutesOf(ruleset);
  return minutes === Number.MAX_SAFE_INTEGER ? undefined : `${minutes} min`;
}

/** Returns the hue of the banner, if the ruleset declares one. */
export function rulesetHue({ ui }: Ruleset): number | undefined {
  const theme = ui?.['theme'] as { hue?: unknown } | undefined;
  const hue = theme?.hue ?? ui?.['hue'];
  return typeof hue === 'number' ? hue : undefined;
}
