import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';

import { Client, need, Refused, viewHash, type Match, type MatchState, type Prompt } from '../src/index.ts';
import { serve, type Served } from './server.ts';

let server: Served;
beforeAll(async () => void (server = await serve()));
afterAll(() => server.stop());

const client = (socket: unknown = WebSocket) => new Client({ server: server.url, WebSocket: socket });

/** A match of an account against itself. */
async function hotSeat(player: Client, ruleset: string): Promise<string> {
  const body = { ruleset, hotseat: true, private: true };
  const { id } = await need(player.http.POST('/matches', { body }));
  const params = { path: { id } };
  await need(player.http.POST('/matches/{id}/seats', { params, body: {} }));
  await need(player.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  return id;
}

/** The same order of options every time, and another one for every question. */
function shuffled(prompt: Prompt, seat: number): number[] {
  const rank = (n: number) => (n * 7919 + prompt.inputId * 104_729 + seat * 31) % 101;
  return prompt.options.map((option) => option.n).sort((one, other) => rank(one) - rank(other));
}

/** Answers whatever is asked. */
function playsOn(match: Match): () => void {
  const answered = new Set<number>();
  return match.subscribe(({ prompts, seat }) => {
    for (const prompt of prompts) {
      if (answered.has(prompt.inputId)) continue;
      answered.add(prompt.inputId);
      const picked = shuffled(prompt, seat ?? 0).slice(0, Math.max(prompt.min, 1));
      void match
        .answer(prompt.inputId, picked)
        .catch(() => match.answer(prompt.inputId, 'pass'))
        .catch(() => 0);
    }
  });
}

const isOver = (state: MatchState) => state.view?.ending != null;

async function truth(player: Client, id: string, seat: number) {
  const params = { path: { id }, query: { seat } };
  return need(player.http.GET('/matches/{id}/view', { params }));
}

test('two seats on one screen play a match to its end', async () => {
  const ann = client();
  await ann.guest();
  const id = await hotSeat(ann, 'orcain');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  seats.forEach(playsOn);
  const ends = await Promise.all(seats.map((seat) => seat.until(isOver)));
  for (const [seat, state] of ends.entries()) {
    expect(state.seat).toBe(seat);
    expect(state.steps.map((step) => step.version)).toEqual(state.steps.map((_, at) => at + 2));
    const known = await truth(ann, id, seat);
    expect(state.view).toEqual(known.view);
    expect(viewHash(state.view)).toBe(known.hash);
  }
  expect(seats.map((seat) => seat.resyncs)).toEqual([0, 0]);
  seats.forEach((seat) => seat.close());
});

test('steps are told with the view before and after them', async () => {
  const ann = client();
  await ann.guest();
  const id = await hotSeat(ann, 'orcain');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  const told: [number, boolean][] = [];
  seats[0]!.onStep((step, before, after) => told.push([step.version, before !== after]));
  seats.forEach(playsOn);
  await seats[0]!.until(isOver);
  expect(told.length).toBeGreaterThan(1);
  expect(told.some(([, isChanged]) => isChanged)).toBe(true);
  seats.forEach((seat) => seat.close());
});

/** A socket that loses the first acknowledgements, and the connection with them. */
function forgetful(times: number) {
  let left = times;
  return class extends WebSocket {
    override emit(name: string | symbol, ...rest: unknown[]): boolean {
      if (name === 'message' && left > 0 && String(rest[0]).startsWith('{"type":"ack"')) {
        left -= 1;
        this.terminate();
        return true;
      }
      return super.emit(name, ...rest);
    }
  };
}

test('a command whose acknowledgement was lost is sent again and has one effect', async () => {
  const ann = client(forgetful(3));
  await ann.guest();
  const id = await hotSeat(ann, 'mages');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  for (const seat of seats) {
    // Would anybody change their hand?
    const { prompts } = await seat.until((state) => state.prompts[0]?.kind === 'confirm');
    await seat.answer(prompts[0]!.inputId, [true]);
  }
  // Four and five cards were dealt; each hand was changed once, for one card less.
  const hands = seats.map((seat) => seat.get().view?.players[seat.get().seat!]?.zones['hand']?.count);
  expect(hands[0]).toBeLessThanOrEqual(4);
  expect(hands[1]).toBe(4);
  seats.forEach((seat) => seat.close());
});

test('a view that went wrong is asked for as a whole', async () => {
  let isSpoilt = false;
  class Spoiling extends WebSocket {
    override emit(name: string | symbol, ...rest: unknown[]): boolean {
      if (name === 'message' && !isSpoilt && String(rest[0]).startsWith('{"type":"state.delta"')) {
        isSpoilt = true;
        const frame = JSON.parse(String(rest[0])) as { patch: unknown[] };
        frame.patch.push({ op: 'add', path: '/match/wrong', value: 1 });
        return super.emit(name, Buffer.from(JSON.stringify(frame)), rest[1]);
      }
      return super.emit(name, ...rest);
    }
  }
  const ann = client(Spoiling);
  await ann.guest();
  const id = await hotSeat(ann, 'orcain');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  seats.forEach(playsOn);
  const ends = await Promise.all(seats.map((seat) => seat.until(isOver)));
  expect(isSpoilt).toBe(true);
  expect(seats.reduce((sum, seat) => sum + seat.resyncs, 0)).toBe(1);
  for (const [seat, state] of ends.entries()) expect(state.view).toEqual((await truth(ann, id, seat)).view);
  seats.forEach((seat) => seat.close());
});

test('a connection that is cut off again and again misses nothing', async () => {
  const ann = client();
  await ann.guest();
  const id = await hotSeat(ann, 'mages');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  let cuts = 0;
  seats[0]!.onStep((step) => {
    if (step.version % 4 === 0 && cuts < 5) {
      cuts += 1;
      seats[0]!.drop();
    }
  });
  seats.forEach(playsOn);
  await seats[0]!.until((state) => cuts === 5 && state.status === 'live' && state.version > 24);
  await seats[0]!.concede();
  const state = await seats[0]!.until(isOver);
  expect(state.steps.map((step) => step.version)).toEqual(state.steps.map((_, at) => at + 2));
  expect(state.view).toEqual((await truth(ann, id, 0)).view);
  expect(seats[0]!.resyncs).toBe(0);
  seats.forEach((seat) => seat.close());
});

test('a refusal says what is wrong', async () => {
  const ann = client();
  await ann.guest();
  const id = await hotSeat(ann, 'orcain');
  const seat = ann.follow(id, { seat: 0 });
  const { prompts } = await seat.until((state) => state.prompts.length > 0);
  const refused = await seat.answer(prompts[0]!.inputId, [0, 0, 1]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refused);
  expect((refused as Refused).code).toBe('illegal');
  seat.close();
  await expect(seat.answer(prompts[0]!.inputId, [0, 1, 2])).rejects.toThrow('closed');
});

test('a match that is not there is refused once and for all', async () => {
  const match = client().follow('0'.repeat(32));
  const state = await match.until(({ status }) => status === 'refused');
  expect(state.problem?.code).toBe('not_found');
});

test('actions and paths are asked for', async () => {
  const ann = client();
  await ann.guest();
  const id = await hotSeat(ann, 'skirmish');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  const asked = await Promise.any(
    seats.map(async (seat) => {
      await seat.until((state) => state.prompts.length > 0);
      return seat;
    }),
  );
  const actions = await asked.actions();
  expect(actions.available.map((offer) => offer.action)).toContain('walk');
  expect(actions.unavailable[0]?.reason).toBeTruthy();
  const walk = actions.available.find((offer) => offer.action === 'walk')!;
  await asked.act({ type: 'walk', params: { host: walk.host } });
  const { prompts } = await asked.until((state) => state.prompts[0]?.path === true);
  const next = await asked.path(prompts[0]!.inputId, []);
  expect(next.options.length).toBeGreaterThan(0);
  seats.forEach((seat) => seat.close());
});

test('a guest gets a name, a password and comes back', async () => {
  const ann = client();
  const { account } = await ann.guest();
  expect(account.guest).toBe(true);
  await ann.rename('ann-of-the-hills');
  const before = ann.token;
  await ann.setPassword('correct horse battery');
  expect(ann.token).not.toBe(before);
  const again = client();
  await again.signIn('ann-of-the-hills', 'correct horse battery');
  expect(again.session.get()?.account.id).toBe(account.id);
  await again.signOut();
  expect(again.session.get()).toBeUndefined();
  await expect(client().signIn('ann-of-the-hills', 'wrong')).rejects.toThrow(Refused);
});

test('those who wait are told when a match is found', async () => {
  const players = [client(), client()];
  const found = await Promise.all(
    players.map(async (player) => {
      await player.guest();
      const lounge = player.listen();
      const match = new Promise<string>((resolve) => lounge.onFound((frame) => resolve(frame.match)));
      await lounge.join('orcain');
      return match.finally(() => lounge.close());
    }),
  );
  expect(found[0]).toBe(found[1]);
});
