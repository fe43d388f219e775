/** Matchmaking on every page: the queues the account waits in, and notifications when a match starts. */
import { unwrap, type AccountConnection } from '@intermezzo/sdk';

import { navigate, pathTo, route } from './route.svelte.ts';
import { client, ensureAccount, restoreSession } from './session.svelte.ts';
import { callPlayer } from './signals.svelte.ts';
import { showError, showToast } from './toasts.svelte.ts';

export interface QueueEntry {
  ruleset: string;
  stake: boolean;
  sinceMs: number;
}

/** Queues are also polled, so that a lost notification does not leave a player waiting forever. */
const POLL_MS = 10_000;
/** Players who start a match themselves are already being taken to it, so the toast waits this long. */
const NAVIGATION_MS = 1500;

export const queueEntries = $state<QueueEntry[]>([]);
let connection: AccountConnection | undefined;
let accountId: string | undefined;
const startListeners = new Set<(id: string) => void>();

/** Restores the session and follows who is signed in. Must be called once. */
export function startMatchmaking(): void {
  client.session.subscribe((session) => {
    if (session?.account.id === accountId) return;
    accountId = session?.account.id;
    connection?.close();
    queueEntries.splice(0);
    connection = session ? client.listen() : undefined;
    connection?.onMatchFound(({ match, ruleset }) => onMatchFound(match, ruleset));
    // Notifications sent while the connection was down are lost.
    connection?.status.subscribe((status) => {
      if (status === 'live') refreshQueues().catch(showError);
    });
  });
  setInterval(() => {
    if (queueEntries.length > 0) refreshQueues().catch(() => undefined);
  }, POLL_MS);
  restoreSession().catch(showError);
}

/** Calls `listener` when a match of the account starts, until the returned function is called. */
export function onMatchStarted(listener: (id: string) => void): () => void {
  startListeners.add(listener);
  return () => void startListeners.delete(listener);
}

export async function joinQueue(ruleset: string, stake: boolean): Promise<void> {
  await ensureAccount();
  const params = { path: { ruleset } };
  const status = await unwrap(client.http.POST('/queue/{ruleset}', { params, body: { stake } }));
  removeEntry(ruleset);
  queueEntries.push({ ruleset, stake, sinceMs: status.sinceMs });
  await refreshQueues();
}

export async function leaveQueue(ruleset: string): Promise<void> {
  removeEntry(ruleset);
  await unwrap(client.http.DELETE('/queue/{ruleset}', { params: { path: { ruleset } } }));
}

function removeEntry(ruleset: string): void {
  const index = queueEntries.findIndex((entry) => entry.ruleset === ruleset);
  if (index >= 0) queueEntries.splice(index, 1);
}

function onMatchFound(id: string, ruleset: string): void {
  for (const listener of [...startListeners]) listener(id);
  if (queueEntries.some((entry) => entry.ruleset === ruleset)) {
    removeEntry(ruleset);
    callPlayer('Match found', 'Your match begins.');
    navigate(pathTo('match', id));
    return;
  }
  setTimeout(() => {
    if (route.path[1] !== id)
      showToast('Your match has started.', 'info', { text: 'Go to match', href: pathTo('match', id) });
  }, NAVIGATION_MS);
}

async function refreshQueues(): Promise<void> {
  for (const status of await unwrap(client.http.GET('/queue'))) {
    const isListed = queueEntries.some((entry) => entry.ruleset === status.ruleset);
    if (status.state === 'waiting' && !isListed) queueEntries.push({ ...status });
    if (status.state === 'found' && isListed) onMatchFound(status.matchId, status.ruleset);
    if (status.state === 'dropped' && isListed) {
      removeEntry(status.ruleset);
      showToast(status.problem.detail, 'error');
    }
  }
}
