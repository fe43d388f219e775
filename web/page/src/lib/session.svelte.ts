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

/** Comes back with the token from before, if there is one and it is still good. */
export function comeBack(): Promise<unknown> {
  coming ??= client.token === undefined ? Promise.resolve() : client.resume().catch(forgetIfRefused);
  return coming;
}

function forgetIfRefused(error: unknown): void {
  if (!(error instanceof Refused) || error.code !== 'not_signed_in') throw error;
  signedOut();
}

/** Whoever plays needs an account: a guest's will do. */
export async function ensureAccount(): Promise<Session> {
  await comeBack();
  return client.session.get() ?? (await client.guest());
}

/** Forgets who was here. */
export function signedOut(): void {
  localStorage.removeItem(KEY);
  client.forget();
}
