/** Starts matches with default settings. */
import { unwrap, type Schemas } from '@intermezzo/sdk';

import { client, ensureAccount } from './session.svelte.ts';

export type Ruleset = Schemas['RulesetInfo'];
export type MatchInfo = Schemas['MatchInfo'];
export type CreateMatch = Schemas['CreateMatch'];

/** The default opponent: it looks ahead and still answers immediately. */
const DEFAULT_BOT = 'greedy' as const;

/** Starts a match against bots and returns its id. */
export async function startBotMatch(ruleset: Ruleset, options: CreateMatch['options'] = {}): Promise<string> {
  await ensureAccount();
  const { usual } = ruleset.seats;
  const bots = Array.from({ length: usual - 1 }, () => DEFAULT_BOT);
  const body = { ruleset: ruleset.id, options, seats: usual, places: ['human' as const, ...bots], private: true };
  const { id } = await unwrap(client.http.POST('/matches', { body }));
  await unwrap(client.http.POST('/matches/{id}/start', { params: { path: { id } } }));
  return id;
}

/** Starts a match in which one player controls all seats on one screen, and returns its id. */
export async function startHotseatMatch(ruleset: Ruleset, options: CreateMatch['options'] = {}): Promise<string> {
  await ensureAccount();
  const seats = Math.max(2, ruleset.seats.min);
  const body = { ruleset: ruleset.id, options, seats, hotseat: true, private: true };
  const { id } = await unwrap(client.http.POST('/matches', { body }));
  const params = { path: { id } };
  for (let seat = 1; seat < seats; seat += 1) {
    await unwrap(client.http.POST('/matches/{id}/seats', { params, body: { seat } }));
  }
  await unwrap(client.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  return id;
}

/** Creates a private match for people who are invited by a link, and returns its id. */
export async function createFriendMatch(ruleset: Ruleset): Promise<string> {
  await ensureAccount();
  const body = { ruleset: ruleset.id, options: {}, seats: ruleset.seats.usual, private: true };
  const { id } = await unwrap(client.http.POST('/matches', { body }));
  return id;
}
