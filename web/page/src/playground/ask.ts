/** Operations that only a workshop has, so that no document of other servers knows them. The rest goes through `client.http`. */
import { isProblem, Refused } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';

export type Query = Record<string, string | number | undefined>;

/** Asks the server; throws `Refused` if it will not. */
export async function ask<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  query: Query = {},
): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (client.token !== undefined) headers['authorization'] = `Bearer ${client.token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(`${client.server}${path}${asked(query)}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: unknown = text === '' ? undefined : JSON.parse(text);
  if (response.ok) return answer as T;
  if (isProblem(answer)) throw new Refused(answer);
  throw new Error(`the server answered ${response.status}`);
}

/** The part of an address after `?`, without what is not said. */
export function asked(query: Query): string {
  const said = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined);
  if (said.length === 0) return '';
  return `?${new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString()}`;
}
