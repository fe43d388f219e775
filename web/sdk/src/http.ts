/** HTTP with the server's own types, tokens, keys against doing things twice, and another try where that helps. */
import createClient, { type Client as OpenApiClient } from 'openapi-fetch';

import { Backoff } from './backoff.ts';
import type { components, paths } from './generated/http.ts';
import { isProblem, Refused } from './problem.ts';

export type Http = OpenApiClient<paths>;
export type Schemas = components['schemas'];

const ATTEMPTS = 4;

export type Fetch = (request: Request) => Promise<Response>;

/** A client of all operations. Requests that change something have a key, and are sent again if no answer comes. */
export function httpClient(server: string, token: () => string | undefined, fetch: Fetch): Http {
  return createClient<paths>({ baseUrl: server, fetch: (request) => send(request, token(), fetch) });
}

async function send(request: Request, token: string | undefined, fetch: Fetch): Promise<Response> {
  if (token !== undefined && !request.headers.has('authorization')) {
    request.headers.set('authorization', `Bearer ${token}`);
  }
  if (request.method !== 'GET' && !request.headers.has('idempotency-key')) {
    request.headers.set('idempotency-key', crypto.randomUUID());
  }
  // Without a token a key is not looked at: sent twice, it would be done twice.
  const mayRepeat = request.method === 'GET' || token !== undefined;
  const backoff = new Backoff(300, 5000);
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === ATTEMPTS || !mayRepeat;
    try {
      const response = await fetch(request.clone());
      if (isLast || (response.status !== 503 && response.status !== 429)) return response;
      const wait = Number(response.headers.get('retry-after')) * 1000;
      await sleep(Math.max(backoff.next(), Number.isFinite(wait) ? wait : 0));
    } catch (error) {
      if (isLast || request.signal.aborted) throw error;
      await sleep(backoff.next());
    }
  }
}

/** What an operation gave; throws `Refused` if it was refused. */
export async function need<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok) return data as T;
  if (isProblem(error)) throw new Refused(error);
  throw new Error(`the server answered ${response.status}`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
