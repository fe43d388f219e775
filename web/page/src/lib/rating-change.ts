/** The change of one's rating by a match: the rating is remembered when the match is opened and compared at its end. */
import { unwrap } from '@intermezzo/sdk';

import { client } from './session.svelte.ts';

const storageKey = (match: string) => `intermezzo.rating.${match}`;

async function currentRating(ruleset: string): Promise<number> {
  const params = { path: { ruleset } };
  return (await unwrap(client.http.GET('/me/ratings/{ruleset}', { params }))).rating;
}

/** Remembers the rating before the match, until the tab is closed. */
export async function rememberRating(match: string, ruleset: string): Promise<void> {
  if (sessionStorage.getItem(storageKey(match)) !== null) return;
  sessionStorage.setItem(storageKey(match), String(await currentRating(ruleset)));
}

/** Returns the rating now, and before the match if that is known. */
export async function ratingAfter(
  match: string,
  ruleset: string,
): Promise<{ now: number; before: number | undefined }> {
  const stored = sessionStorage.getItem(storageKey(match));
  return { now: await currentRating(ruleset), before: stored === null ? undefined : Number(stored) };
}
