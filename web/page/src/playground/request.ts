/** Requests to the `/dev` operations, which are not part of the OpenAPI document. Others use `client.http`. */
import { isProblem, ProblemError } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';

export type Query = Record<string, string | number | undefined>;

/** Sends a request; throws `ProblemError` if the server rejects it. */
export async function request<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  query: Query = {},
): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (client.token !== undefined) headers['authorization'] = `Bearer ${client.token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(`${client.server}${path}${queryString(query)}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const data: unknown = text === '' ? undefined : JSON.parse(text);
  if (response.ok) return data as T;
  if (isProblem(data)) throw new ProblemError(data);
  throw new Error(`the server responded with status ${response.status}`);
}

/** Returns the query string of the parameters that are set. */
function queryString(query: Query): string {
  const set = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined);
  if (set.length === 0) return '';
  return `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()}`;
}
