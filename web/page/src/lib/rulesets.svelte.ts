/** The rulesets of the server, asked for once: the shortest first, so that newcomers begin with something small. */
import { need } from '@intermezzo/sdk';

import type { Ruleset } from './matches.ts';
import { client } from './session.svelte.ts';

let asked: Promise<Ruleset[]> | undefined;

export function rulesets(): Promise<Ruleset[]> {
  asked ??= need(client.http.GET('/rulesets', { params: { query: { limit: 100 } } })).then(({ items }) =>
    items.sort((one, other) => minutesOf(one) - minutesOf(other) || one.name.localeCompare(other.name)),
  );
  // Whoever asks next tries again.
  asked.catch(() => (asked = undefined));
  return asked;
}

/** One of them; asked for by itself if it is not among the newest. */
export async function rulesetOf(id: string): Promise<Ruleset> {
  const known = (await rulesets()).find((ruleset) => ruleset.id === id);
  return known ?? need(client.http.GET('/rulesets/{name}', { params: { path: { name: id } } }));
}

/** How many can play, in words. */
export function playersOf({ seats }: Ruleset): string {
  return seats.min === seats.max ? `${seats.min} players` : `${seats.min}–${seats.max} players`;
}

function minutesOf({ ui }: Ruleset): number {
  const minutes = ui?.['minutes'];
  return typeof minutes === 'number' ? minutes : Number.MAX_SAFE_INTEGER;
}

/** How long a match takes, in words, if the ruleset says so. */
export function lengthOf(ruleset: Ruleset): string | undefined {
  const minutes = minutesOf(ruleset);
  return minutes === Number.MAX_SAFE_INTEGER ? undefined : `${minutes} min`;
}

/** The colour of its picture, if the ruleset says so. */
export function hueOf({ ui }: Ruleset): number | undefined {
  const hue = ui?.['hue'];
  return typeof hue === 'number' ? hue : undefined;
}
