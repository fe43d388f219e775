/** What concerns the account wherever one is on the page: waiting for others, and matches that begin. */
import { need, type Lounge } from '@intermezzo/sdk';

import { go, route, to } from './route.svelte.ts';
import { client, comeBack, ensureAccount } from './session.svelte.ts';
import { say, tell } from './toasts.svelte.ts';

export interface Waiting {
  ruleset: string;
  stake: boolean;
  sinceMs: number;
}

/** Missing a message must not mean waiting for ever. */
const ASK_AGAIN_MS = 10_000;
/** Who has just started a match themselves is on the way there. */
const ON_THE_WAY_MS = 1500;

export const waiting = $state<Waiting[]>([]);
let lounge: Lounge | undefined;
let whose: string | undefined;
/** Pages that want to know at once when a match begins. */
const listeners = new Set<(id: string) => void>();

/** Follows who is signed in. To be called once. */
export function enterLounge(): void {
  client.session.subscribe((session) => {
    if (session?.account.id === whose) return;
    whose = session?.account.id;
    lounge?.close();
    waiting.splice(0);
    lounge = session ? client.listen() : undefined;
    lounge?.onFound(({ match, ruleset }) => found(match, ruleset));
    // What happened while there was no connection was told to nobody.
    lounge?.status.subscribe((status) => {
      if (status === 'live') askAgain().catch(tell);
    });
  });
  setInterval(() => {
    if (waiting.length > 0) askAgain().catch(() => undefined);
  }, ASK_AGAIN_MS);
  comeBack().catch(tell);
}

/** Calls `listener` when a match of the account begins, until the returned function is called. */
export function onBegun(listener: (id: string) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Begins to wait for others to play with. */
export async function join(ruleset: string, stake: boolean): Promise<void> {
  await ensureAccount();
  const params = { path: { ruleset } };
  const status = await need(client.http.POST('/queue/{ruleset}', { params, body: { stake } }));
  forget(ruleset);
  waiting.push({ ruleset, stake, sinceMs: status.sinceMs });
  await askAgain();
}

/** Waits no longer. */
export async function leave(ruleset: string): Promise<void> {
  forget(ruleset);
  await need(client.http.DELETE('/queue/{ruleset}', { params: { path: { ruleset } } }));
}

function forget(ruleset: string): void {
  const at = waiting.findIndex((known) => known.ruleset === ruleset);
  if (at >= 0) waiting.splice(at, 1);
}

function found(id: string, ruleset: string): void {
  for (const listener of [...listeners]) listener(id);
  if (waiting.some((known) => known.ruleset === ruleset)) {
    forget(ruleset);
    go(to('match', id));
    return;
  }
  setTimeout(() => {
    if (route.path[1] !== id) say('A match of yours has begun.', 'news', { name: 'Go there', to: to('match', id) });
  }, ON_THE_WAY_MS);
}

/** What the server knows about this account's waiting. */
async function askAgain(): Promise<void> {
  for (const status of await need(client.http.GET('/queue'))) {
    const isKnown = waiting.some((known) => known.ruleset === status.ruleset);
    if (status.state === 'waiting' && !isKnown) waiting.push({ ...status });
    if (status.state === 'found' && isKnown) found(status.matchId, status.ruleset);
    if (status.state === 'dropped' && isKnown) {
      forget(status.ruleset);
      say(status.problem.detail, 'trouble');
    }
  }
}
