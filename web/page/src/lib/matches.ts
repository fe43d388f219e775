/** Making matches, the ways the page does it. */
import { need, type Schemas } from '@intermezzo/sdk';

import { client, ensureAccount } from './session.svelte.ts';

export type Ruleset = Schemas['RulesetInfo'];
export type MatchInfo = Schemas['MatchInfo'];
export type CreateMatch = Schemas['CreateMatch'];

/** Who plays against people that ask for nobody in particular: it thinks ahead, and nobody waits for it. */
const BOT = 'greedy' as const;

/** A match against bots that starts at once; gives its id. */
export async function playBots(ruleset: Ruleset, options: CreateMatch['options'] = {}): Promise<string> {
  await ensureAccount();
  const { usual } = ruleset.seats;
  const bots = Array.from({ length: usual - 1 }, () => BOT);
  const wish = { ruleset: ruleset.id, options, seats: usual, places: ['human' as const, ...bots], private: true };
  const { id } = await need(client.http.POST('/matches', { body: wish }));
  await need(client.http.POST('/matches/{id}/start', { params: { path: { id } } }));
  return id;
}

/** A match of two seats on one screen; gives its id. */
export async function playBothSides(ruleset: Ruleset, options: CreateMatch['options'] = {}): Promise<string> {
  await ensureAccount();
  const seats = Math.max(2, ruleset.seats.min);
  const wish = { ruleset: ruleset.id, options, seats, hotseat: true, private: true };
  const { id } = await need(client.http.POST('/matches', { body: wish }));
  const params = { path: { id } };
  for (let seat = 1; seat < seats; seat += 1) {
    await need(client.http.POST('/matches/{id}/seats', { params, body: { seat } }));
  }
  await need(client.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  return id;
}
