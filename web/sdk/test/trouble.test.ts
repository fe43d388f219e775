import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';

import { Client, need, Refused } from '../src/index.ts';
import { serve, type Served } from './server.ts';

let folder: string;
let server: Served;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'intermezzo-'));
  server = await serve('--data', folder, '--listen', '127.0.0.1:0');
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

test('a request whose answer was lost is sent again and has one effect', async () => {
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
  const { id } = await need(client.http.POST('/matches', { body: { ruleset: 'orcain' } }));
  expect(isLost).toBe(true);
  const { items } = await need(client.http.GET('/me/matches'));
  expect(items.map((match) => match.id)).toEqual([id]);
});

test('an account is not made twice because an answer was lost', async () => {
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

test('an answer about who is signed in that comes late changes nothing', async () => {
  let hold = (): Promise<void> => Promise.resolve();
  const client = new Client({
    server: server.url,
    WebSocket,
    fetch: async (request) => {
      const answer = await fetch(request);
      if (request.method === 'GET') await hold();
      return answer;
    },
  });
  /** The server has answered; the answer arrives once something else has happened. */
  const resumeAround = (meanwhile: () => unknown) => {
    hold = async () => void (await meanwhile());
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

test('a match goes on after the server was stopped and started again', async () => {
  const client = new Client({ server: server.url, WebSocket });
  await client.guest();
  const body = { ruleset: 'mages', hotseat: true };
  const { id } = await need(client.http.POST('/matches', { body }));
  const params = { path: { id } };
  await need(client.http.POST('/matches/{id}/seats', { params, body: {} }));
  await need(client.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  const seats = [0, 1].map((seat) => client.follow(id, { seat }));
  const [first] = await Promise.all(seats.map((seat) => seat.until((state) => state.prompts.length > 0)));

  await server.stop();
  await seats[0]!.until((state) => state.status === 'waiting');
  // Sent into the void, and kept until somebody listens.
  const answered = seats[0]!.answer(first!.prompts[0]!.inputId, [false]);
  server = await serve('--data', folder, '--listen', new URL(server.url).host);
  await answered;
  await seats[0]!.until((state) => state.status === 'live' && state.prompts.length === 0);
  expect(seats[0]!.resyncs).toBe(0);
  seats.forEach((seat) => seat.close());
});

test('what is refused is an error with a code', async () => {
  const client = new Client({ server: server.url, WebSocket });
  const refused = await client.resume().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refused);
  expect((refused as Refused).code).toBe('not_signed_in');
});
