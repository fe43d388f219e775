import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';

import { checkChain, Client, unwrap, type Match, type MatchLog, type Prompt } from '../src/index.ts';
import { serve, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.stop());

/**
 * Answers the first open prompt. The server says which one that is: an undo by one seat changes the prompts of both, and
 * the other connection may not have received that yet.
 */
async function answerNext(client: Client, id: string, seats: Match[]): Promise<void> {
  for (const [seat, match] of seats.entries()) {
    const params = { path: { id }, query: { seat } };
    const { prompts } = await unwrap(client.http.GET('/matches/{id}/inputs', { params }));
    const [prompt] = prompts as unknown as Prompt[];
    if (!prompt) continue;
    const { inputId, pass, options } = prompt;
    await match.until((state) => state.prompts.some((open) => open.inputId === inputId));
    await match.answer(inputId, pass ? 'pass' : [options[0]!.value]);
    return;
  }
  throw new Error('no seat has an open prompt');
}

/** Plays a match with several kinds of answers and an undo, and returns its log. */
async function playedLog(): Promise<MatchLog> {
  const client = new Client({ server: server.url, WebSocket });
  await client.guest();
  const options = { mana: 3, fields: [['captain'], ['bat']] };
  const { id } = await unwrap(client.http.POST('/matches', { body: { ruleset: 'mages', hotseat: true, options } }));
  const params = { path: { id } };
  await unwrap(client.http.POST('/matches/{id}/seats', { params, body: {} }));
  await unwrap(client.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  const seats = [0, 1].map((seat) => client.follow(id, { seat }));
  for (let answers = 0; answers < 6; answers += 1) await answerNext(client, id, seats);
  await seats[0]!.autoPass('turn');
  await seats[1]!.undo();
  await seats[0]!.consent(true);
  await answerNext(client, id, seats);
  await seats[1]!.concede();
  seats.forEach((seat) => seat.close());
  return (await unwrap(client.http.GET('/matches/{id}/log', { params }))) as unknown as MatchLog;
}

test('checkChain accepts a genuine log and finds the first changed entry', async () => {
  const log = await playedLog();
  expect(log.inputs.length).toBeGreaterThan(5);
  expect(log.branches).toHaveLength(1);
  const entries = log.inputs.length + (log.branches ?? []).flatMap((branch) => branch.inputs).length;
  expect(checkChain(log)).toEqual({ links: entries + 1, last: log.inputs.at(-1)!.chain });

  const changed = (change: (log: MatchLog) => void) => {
    const copy = structuredClone(log);
    change(copy);
    return checkChain(copy).broken;
  };
  expect(changed((log) => (log.options['mana'] = 4))).toBe(0);
  expect(changed((log) => (log.seed = log.seed.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))))).toBe(0);
  expect(changed((log) => (log.inputs[2]!.state = log.inputs[1]!.state))).toBe(3);
  expect(changed((log) => log.inputs.splice(1, 1))).toBe(3);
  expect(changed((log) => (log.inputs.at(-1)!.input = { kind: 'leave', seat: 0, cause: 'concede' }))).toBe(
    log.inputs.length,
  );
});
