/** Who plays here. The token is kept in this browser; whoever has none becomes a guest when they first need to be. */
import { Client, Refused, type Session } from '@intermezzo/sdk';

const KEY = 'intermezzo.token';

export const client = new Client({
  server: location.origin,
  token: localStorage.getItem(KEY) ?? undefined,
});

let known = $state.raw<Session | undefined>(undefined);
client.session.subscribe((session) => {
  known = session;
  if (session) localStorage.setItem(KEY, session.token);
});

export const session = {
  get account(): Session['account'] | undefined {
    return known?.account;
  },
};

let coming: Promise<unknown> | undefined;
let entering: Promise<Session> | undefined;

/** Comes back with the token from before, if there is one and it is still good. */
export function comeBack(): Promise<unknown> {
  coming ??= resume(client.token);
  // Whoever asks next tries again.
  coming.catch(() => (coming = undefined));
  return coming;
}

async function resume(token: string | undefined): Promise<void> {
  if (token === undefined) return;
  try {
    await client.resume();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'not_signed_in') throw error;
    // Somebody may have signed in meanwhile.
    if (client.token === token) signedOut();
  }
}

/** Whoever plays needs an account: a guest's will do. One is made, however many ask at once. */
export function ensureAccount(): Promise<Session> {
  entering ??= enter().finally(() => (entering = undefined));
  return entering;
}

async function enter(): Promise<Session> {
  await comeBack();
  return client.session.get() ?? (await client.guest());
}

/** Forgets who was here. */
export function signedOut(): void {
  localStorage.removeItem(KEY);
  client.forget();
}
