/** The rulesets of the server, asked for once. */
import { need } from '@intermezzo/sdk';

import type { Ruleset } from './matches.ts';
import { client } from './session.svelte.ts';

let asked: Promise<Ruleset[]> | undefined;

export function rulesets(): Promise<Ruleset[]> {
  asked ??= need(client.http.GET('/rulesets', { params: { query: { limit: 100 } } })).then(({ items }) => items);
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

/** How long a match takes, in words, if the ruleset says so. */
export function lengthOf({ ui }: Ruleset): string | undefined {
  const minutes = ui?.['minutes'];
  return typeof minutes === 'number' ? `${minutes} min` : undefined;
}

/** The colour of its picture, if the ruleset says so. */
export function hueOf({ ui }: Ruleset): number | undefined {
  const hue = ui?.['hue'];
  return typeof hue === 'number' ? hue : undefined;
}
