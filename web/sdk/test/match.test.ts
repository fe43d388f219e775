import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';

import { Client, ProblemError, unwrap, viewTextHash, type Match, type MatchState, type Prompt } from '../src/index.ts';
import { serve, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => void (server = await serve()));
afterAll(() => server.stop());

const client = (socket: unknown = WebSocket) => new Client({ server: server.url, WebSocket: socket });

/** Starts a hotseat match: the same account holds both seats. */
async function startHotseat(player: Client, ruleset: string): Promise<string> {
  const body = { ruleset, hotseat: true, private: true };
  const { id } = await unwrap(player.http.POST('/matches', { body }));
  const params = { path: { id } };
  await unwrap(player.http.POST('/matches/{id}/seats', { params, body: {} }));
  await unwrap(player.http.PUT('/matches/{id}/ready', { params, body: { ready: true } }));
  return id;
}

/** Returns the options by their numbers, in a deterministic order that differs from prompt to prompt. */
function shuffled(prompt: Prompt, seat: number): { n: number }[] {
  const rank = (n: number) => (n * 7919 + prompt.inputId * 104_729 + seat * 31) % 101;
  return prompt.options.map(({ n }) => ({ n })).sort((one, other) => rank(one.n) - rank(other.n));
}

/** Answers every prompt. */
function answerAll(match: Match): () => void {
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

async function serverView(player: Client, id: string, seat: number) {
  const params = { path: { id }, query: { seat } };
  return unwrap(player.http.GET('/matches/{id}/view', { params }));
}

test('both seats of a hotseat match play to the end', async () => {
  const ann = client();
  await ann.guest();
  const id = await startHotseat(ann, 'orcain');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  seats.forEach(answerAll);
  const ends = await Promise.all(seats.map((seat) => seat.until(isOver)));
  for (const [seat, state] of ends.entries()) {
    expect(state.seat).toBe(seat);
    expect(state.steps.map((step) => step.version)).toEqual(state.steps.map((_, at) => at + 2));
    const known = await serverView(ann, id, seat);
    expect(state.view).toEqual(known.view);
    expect(viewTextHash(state.view)).toBe(known.hash);
  }
  expect(seats.map((seat) => seat.resyncs)).toEqual([0, 0]);
  seats.forEach((seat) => seat.close());
});

test('step listeners receive the view before and after the step', async () => {
  const ann = client();
  await ann.guest();
  const id = await startHotseat(ann, 'orcain');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  const steps: [number, boolean][] = [];
  seats[0]!.onStep((step, before, after) => steps.push([step.version, before !== after]));
  seats.forEach(answerAll);
  await seats[0]!.until(isOver);
  expect(steps.length).toBeGreaterThan(1);
  expect(steps.some(([, isChanged]) => isChanged)).toBe(true);
  seats.forEach((seat) => seat.close());
});

/** A socket class that drops the first `ack` frames together with their connection. */
function ackLosingSocket(times: number) {
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

test('a command whose acknowledgement is lost is resent and takes effect once', async () => {
  const ann = client(ackLosingSocket(3));
  await ann.guest();
  const id = await startHotseat(ann, 'mages');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  for (const seat of seats) {
    // Each player accepts the mulligan.
    const { prompts } = await seat.until((state) => state.prompts[0]?.kind === 'confirm');
    await seat.answer(prompts[0]!.inputId, [true]);
  }
  // Four and five cards were dealt; one mulligan each leaves one card less.
  const hands = seats.map((seat) => seat.get().view?.players[seat.get().seat!]?.zones['hand']?.count);
  expect(hands[0]).toBeLessThanOrEqual(4);
  expect(hands[1]).toBe(4);
  seats.forEach((seat) => seat.close());
});

test('a view with a wrong hash is requested again as a whole', async () => {
  let isCorrupted = false;
  class CorruptingSocket extends WebSocket {
    override emit(name: string | symbol, ...rest: unknown[]): boolean {
      if (name === 'message' && !isCorrupted && String(rest[0]).startsWith('{"type":"update"')) {
        const frame = JSON.parse(String(rest[0])) as { patch?: unknown[] };
        isCorrupted = frame.patch !== undefined;
        frame.patch?.push({ op: 'add', path: '/match/wrong', value: 1 });
        return super.emit(name, Buffer.from(JSON.stringify(frame)), rest[1]);
      }
      return super.emit(name, ...rest);
    }
  }
  const ann = client(CorruptingSocket);
  await ann.guest();
  const id = await startHotseat(ann, 'orcain');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  seats.forEach(answerAll);
  const ends = await Promise.all(seats.map((seat) => seat.until(isOver)));
  expect(isCorrupted).toBe(true);
  expect(seats.reduce((sum, seat) => sum + seat.resyncs, 0)).toBe(1);
  for (const [seat, state] of ends.entries()) expect(state.view).toEqual((await serverView(ann, id, seat)).view);
  seats.forEach((seat) => seat.close());
});

test('a connection that drops repeatedly misses no step', async () => {
  const ann = client();
  await ann.guest();
  const id = await startHotseat(ann, 'mages');
  const seats = [0, 1].map((seat) => ann.follow(id, { seat }));
  let cuts = 0;
  seats[0]!.onStep((step) => {
    if (step.version % 4 === 0 && cuts < 5) {
      cuts += 1;
      seats[0]!.drop();
    }
  });
  seats.forEach(answerAll);
  await seats[0]!.until((state) => cuts === 5 && state.status === 'live' && state.version > 24);
  await seats[0]!.concede();
  const state = await seats[0]!.until(isOver);
  expect(state.steps.map((step) => step.version)).toEqual(state.steps.map((_, at) => at + 2));
  expect(state.view).toEqual((await serverView(ann, id, 0)).view);
  expect(seats[0]!.resyncs).toBe(0);
  seats.forEach((seat) => seat.close());
});

test('a rejected answer throws a ProblemError with a code', async () => {
  const ann = client();
  await ann.guest();
  const id = await startHotseat(ann, 'orcain');
  const seat = ann.follow(id, { seat: 0 });
  const { prompts } = await seat.until((state) => state.prompts.length > 0);
  const error = await seat.answer(prompts[0]!.inputId, [{ n: 0 }, { n: 0 }, { n: 1 }]).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).code).toBe('illegal');
  seat.close();
  await expect(seat.answer(prompts[0]!.inputId, [{ n: 0 }, { n: 1 }, { n: 2 }])).rejects.toThrow('closed');
});

test('following an unknown match is rejected without retries', async () => {
  const match = client().follow('0'.repeat(32));
  const state = await match.until(({ status }) => status === 'rejected');
  expect(state.problem?.code).toBe('not_found');
});

test('available actions and path steps can be requested', async () => {
  const ann = client();
  await ann.guest();
  const id = await startHotseat(ann, 'skirmish');
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

test('a guest takes a name and a password and signs in again', async () => {
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
  await expect(client().signIn('ann-of-the-hills', 'wrong')).rejects.toThrow(ProblemError);
});

test('players in a queue are notified when a match is found', async () => {
  const players = [client(), client()];
  const found = await Promise.all(
    players.map(async (player) => {
      await player.guest();
      const connection = player.listen();
      const match = new Promise<string>((resolve) => connection.onMatchFound((frame) => resolve(frame.match)));
      await connection.joinQueue('orcain');
      return match.finally(() => connection.close());
    }),
  );
  expect(found[0]).toBe(found[1]);
});
