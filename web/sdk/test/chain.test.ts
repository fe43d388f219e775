import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';

import { checkChain, Client, need, type ChainedLog, type Match } from '../src/index.ts';
import { serve, type Served } from './server.ts';

let server: Served;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.stop());

async function answerNext(seats: Match[]): Promise<void> {
  const asked = await Promise.any(
    seats.map((seat) => seat.until((state) => state.prompts.length > 0).then(() => seat)),
  );
  const { inputId, pass, options } = asked.get().prompts[0]!;
  await asked.answer(inputId, pass ? 'pass' : [options[0]!.value]);
  // Nobody answers it again because the news are still on their way.
  await asked.until((state) => state.prompts.every((prompt) => prompt.inputId !== inputId));
}

/** The log of a duel with answers of several forms, one of them taken back. */
async function played(): Promise<ChainedLog> {
  const client = new Client({ server: server.url, WebSocket });
  await client.guest();
  const options = { mana: 3, fields: [['captain'], ['bat']] };
  const { id } = await need(client.http.POST('/matches', { body: { ruleset: 'mages', hotseat: true, options } }));
  const params = { path: { id } };
  await need(client.http.POST('/matches/{id}/seats', { params, body: {} }));
  await need(client.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  const seats = [0, 1].map((seat) => client.follow(id, { seat }));
  for (let answers = 0; answers < 6; answers += 1) await answerNext(seats);
  await seats[0]!.autoPass('turn');
  await Promise.all(seats.map((seat) => seat.undo().catch(() => undefined)));
  await Promise.all(seats.map((seat) => seat.consent(true).catch(() => undefined)));
  await answerNext(seats);
  await seats[1]!.concede();
  seats.forEach((seat) => seat.close());
  return (await need(client.http.GET('/matches/{id}/log', { params }))) as unknown as ChainedLog;
}

test('the links of a log fit together until something in it is changed', async () => {
  const log = await played();
  expect(log.inputs.length).toBeGreaterThan(5);
  const entries = log.inputs.length + (log.branches ?? []).flatMap((branch) => branch.inputs).length;
  expect(checkChain(log)).toEqual({ links: entries + 1, last: log.inputs.at(-1)!.chain });

  const changed = (change: (log: ChainedLog) => void) => {
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
