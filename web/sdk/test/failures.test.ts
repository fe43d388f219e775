import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';

import { Client, ProblemError, unwrap } from '../src/index.ts';
import { serve, type TestServer } from './test-server.ts';

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'intermezzo-'));
  server = await serve('--data', folder, '--listen', '127.0.0.1:0');
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

test('a request whose response is lost is retried and takes effect once', async () => {
  let isLost = false;
  const client = new Client({
    server: server.url,
    WebSocket,
    fetch: async (request) => {
      const answer = await fetch(request);
      if (isLost || request.method !== 'POST' || !request.url.endsWith('/matches')) return answer;
      isLost = true;
      throw new TypeError('the network is down');
    },
  });
  await client.guest();
  const { id } = await unwrap(client.http.POST('/matches', { body: { ruleset: 'orcain' } }));
  expect(isLost).toBe(true);
  const { items } = await unwrap(client.http.GET('/me/matches'));
  expect(items.map((match) => match.id)).toEqual([id]);
});

test('creating an account is not retried', async () => {
  let attempts = 0;
  const client = new Client({
    server: server.url,
    WebSocket,
    fetch: () => {
      attempts += 1;
      return Promise.reject(new TypeError('the network is down'));
    },
  });
  await expect(client.guest()).rejects.toThrow('the network is down');
  expect(attempts).toBe(1);
});

test('a late answer to resume does not overwrite a newer session', async () => {
  let beforeResponse = (): Promise<void> => Promise.resolve();
  const client = new Client({
    server: server.url,
    WebSocket,
    fetch: async (request) => {
      const answer = await fetch(request);
      if (request.method === 'GET') await beforeResponse();
      return answer;
    },
  });
  /** Delivers the response of `resume` only after `meanwhile` has run. */
  const resumeAround = (meanwhile: () => unknown) => {
    beforeResponse = async () => void (await meanwhile());
    return client.resume();
  };
  await client.guest();
  const name = `late-${process.pid}`;
  await resumeAround(() => client.rename(name));
  expect(client.session.get()?.account.name).toBe(name);
  await resumeAround(() => client.forget());
  expect(client.session.get()).toBeUndefined();
  expect(client.token).toBeUndefined();
});

test('a match continues after the server restarts', async () => {
  const client = new Client({ server: server.url, WebSocket });
  await client.guest();
  const body = { ruleset: 'mages', hotseat: true };
  const { id } = await unwrap(client.http.POST('/matches', { body }));
  const params = { path: { id } };
  await unwrap(client.http.POST('/matches/{id}/seats', { params, body: {} }));
  await unwrap(client.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  const seats = [0, 1].map((seat) => client.follow(id, { seat }));
  const [first] = await Promise.all(seats.map((seat) => seat.until((state) => state.prompts.length > 0)));

  await server.stop();
  await seats[0]!.until((state) => state.status === 'reconnecting');
  // Queued while disconnected, and sent once the server is back.
  const answered = seats[0]!.answer(first!.prompts[0]!.inputId, [false]);
  server = await serve('--data', folder, '--listen', new URL(server.url).host);
  await answered;
  await seats[0]!.until((state) => state.status === 'live' && state.prompts.length === 0);
  expect(seats[0]!.resyncs).toBe(0);
  seats.forEach((seat) => seat.close());
});

test('a rejected request throws a ProblemError with a code', async () => {
  const client = new Client({ server: server.url, WebSocket });
  const error = await client.resume().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).code).toBe('not_signed_in');
});
