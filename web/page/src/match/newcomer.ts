/** The tutorial is on in one's first match of a game. */
import { unwrap } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';

const STORAGE_KEY = 'intermezzo.taught';
/** Stands for every game. */
const ALL = '*';

function taughtGames(): string[] {
  return (localStorage.getItem(STORAGE_KEY) ?? '').split(' ').filter(Boolean);
}

/** Returns whether this is the player's first match of the game, once for each game. */
export async function teachNewcomer(ruleset: string, match: string): Promise<boolean> {
  const taught = taughtGames();
  if (taught.includes(ruleset) || taught.includes(ALL)) return false;
  localStorage.setItem(STORAGE_KEY, [...taught, ruleset].join(' '));
  const { items } = await unwrap(client.http.GET('/me/matches', { params: { query: { limit: 50 } } }));
  return !items.some((one) => one.id !== match && one.ruleset.id === ruleset);
}
