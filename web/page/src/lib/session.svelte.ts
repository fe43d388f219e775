/** The signed-in account. Its token is stored in the browser; a guest account is created when one is first needed. */
import { Client, ProblemError, type Session } from '@intermezzo/sdk';

const TOKEN_KEY = 'intermezzo.token';

export const client = new Client({
  server: location.origin,
  token: localStorage.getItem(TOKEN_KEY) ?? undefined,
});

let current = $state.raw<Session | undefined>(undefined);
client.session.subscribe((session) => {
  current = session;
  if (session) localStorage.setItem(TOKEN_KEY, session.token);
});

export const session = {
  get account(): Session['account'] | undefined {
    return current?.account;
  },
};

let restoring: Promise<unknown> | undefined;
let signingIn: Promise<Session> | undefined;

/** Signs in with the stored token, if it exists and is still valid. */
export function restoreSession(): Promise<unknown> {
  restoring ??= resume(client.token);
  // A failure is not cached: the next call tries again.
  restoring.catch(() => (restoring = undefined));
  return restoring;
}

async function resume(token: string | undefined): Promise<void> {
  if (token === undefined) return;
  try {
    await client.resume();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'not_signed_in') throw error;
    // The user may have signed in while the request was on its way.
    if (client.token === token) clearSession();
  }
}

/** Returns the current session; creates a guest account if nobody is signed in. Concurrent calls create only one. */
export function ensureAccount(): Promise<Session> {
  signingIn ??= restoreOrCreate().finally(() => (signingIn = undefined));
  return signingIn;
}

async function restoreOrCreate(): Promise<Session> {
  await restoreSession();
  return client.session.get() ?? (await client.guest());
}

/** Discards the session and the stored token. */
export function clearSession(): void {
  localStorage.removeItem(TOKEN_KEY);
  client.forget();
}
