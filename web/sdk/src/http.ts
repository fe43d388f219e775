/** Typed HTTP client with tokens, idempotency keys and retries. */
import type { Client as OpenApiClient } from 'openapi-fetch';

import { Backoff } from './backoff.ts';
import type { components, paths } from './generated/http.ts';
import { isProblem, ProblemError } from './problem.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

/** The types come from `openapi-fetch`. Its code is not used: most of it serves options that this API has no use for. */
export type Http = Pick<OpenApiClient<paths>, Method>;
export type Schemas = components['schemas'];

const MAX_ATTEMPTS = 4;

export type Fetch = (request: Request) => Promise<Response>;

/** Creates a client for all operations. Requests other than GET carry an idempotency key, so retrying them is safe. */
export function httpClient(server: string, token: () => string | undefined, fetch: Fetch): Http {
  const operation =
    (method: Method) =>
    async (path: string, options: RequestOptions = {}) => {
      const request = new Request(server + filledPath(path, options.params), {
        method,
        ...(options.signal && { signal: options.signal }),
        ...(options.body !== undefined && {
          body: JSON.stringify(options.body),
          headers: { 'content-type': 'application/json' },
        }),
      });
      return answerOf(await send(request, token(), fetch), options.parseAs);
    };
  return Object.fromEntries(METHODS.map((method) => [method, operation(method)])) as unknown as Http;
}

interface RequestOptions {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  body?: unknown;
  signal?: AbortSignal;
  parseAs?: 'json' | 'text';
}

/** Fills the placeholders of a path such as `/matches/{id}` and appends the query. */
function filledPath(path: string, { path: values = {}, query = {} }: RequestOptions['params'] = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0
    ? filled
    : `${filled}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

async function answerOf(response: Response, parseAs: RequestOptions['parseAs']) {
  const text = await response.text();
  if (response.ok) return { data: parseAs === 'text' ? text : text === '' ? undefined : JSON.parse(text), response };
  return { error: parsedProblem(text), response };
}

/** A proxy may answer in plain text. */
function parsedProblem(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function send(request: Request, token: string | undefined, fetch: Fetch): Promise<Response> {
  if (token !== undefined && !request.headers.has('authorization')) {
    request.headers.set('authorization', `Bearer ${token}`);
  }
  if (request.method !== 'GET' && !request.headers.has('idempotency-key')) {
    request.headers.set('idempotency-key', crypto.randomUUID());
  }
  // The server ignores idempotency keys of anonymous requests, so retrying one could apply it twice.
  const mayRetry = request.method === 'GET' || token !== undefined;
  const backoff = new Backoff(300, 5000);
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === MAX_ATTEMPTS || !mayRetry;
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

/** Returns the data of a response; throws `ProblemError` if the server rejected the request. */
export async function unwrap<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok) return data as T;
  if (isProblem(error)) throw new ProblemError(error);
  throw new Error(`the server responded with status ${response.status}`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
