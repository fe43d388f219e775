/**
 * A bot that plays a match on an Intermezzo server, using the SDK of this repository.
 *
 *     node examples/bots/bot.ts http://127.0.0.1:8080 orcain --against greedy --seed 1
 *
 * It creates a guest account and a match against a built-in bot, and gives random answers until the match is over. It
 * prints every step as a line of JSON; the last line contains the result.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// In your own package: `from '@intermezzo/sdk'`.
import {
  Client,
  ProblemError,
  unwrap,
  type Ending,
  type Match,
  type Prompt,
  type Value,
} from '../../web/sdk/src/index.ts';

type Bot = 'random' | 'greedy' | 'mcts';
/** Returns a random integer from 0 to `below` - 1. */
type Rng = (below: number) => number;

export interface BotOptions {
  server: string;
  ruleset: string;
  against: Bot;
  seed: number;
  print: (line: string) => void;
  /** WebSocket class. Node before version 22 has none: pass the one of the package `ws`. */
  WebSocket?: unknown;
}

/** Plays one match and returns its result. */
export async function play({ server, ruleset, against, seed, print, WebSocket }: BotOptions): Promise<Ending> {
  const client = new Client({ server, WebSocket });
  await client.guest();
  const { id } = await unwrap(client.http.POST('/matches', { body: { ruleset, places: ['human', against] } }));
  await unwrap(client.http.POST('/matches/{id}/start', { params: { path: { id } } }));

  const match = client.follow(id);
  match.onStep((step) => print(JSON.stringify(step)));
  const rng = seededRng(seed);
  let answered = 0;
  for (;;) {
    const isNew = ({ inputId }: Prompt) => inputId > answered;
    const { view, prompts } = await match.until(
      (state) => state.view != null && (state.view.ending != null || state.prompts.some(isNew)),
    );
    if (view?.ending) {
      match.close();
      return view.ending;
    }
    for (const prompt of prompts.filter(isNew)) {
      answered = Math.max(answered, prompt.inputId);
      await answer(match, prompt, rng);
    }
  }
}

async function answer(match: Match, prompt: Prompt, rng: Rng): Promise<void> {
  try {
    await match.answer(prompt.inputId, prompt.path ? await choosePath(match, prompt, rng) : choose(prompt, rng));
  } catch (error) {
    // 409: the question is no longer open, for example because its time ran out.
    if (!(error instanceof ProblemError && error.problem.status === 409)) throw error;
  }
}

/** Returns a random legal answer. The prompt contains everything needed for that. */
function choose(prompt: Prompt, rng: Rng): Value {
  if (prompt.pass && (prompt.options.length === 0 || rng(10) < 3)) return 'pass';
  const options = shuffled(prompt.options, rng).map(({ n }) => ({ n }));
  if (prompt.slots !== null) return Array.from({ length: prompt.slots }, (_, slot) => options[slot] ?? null);
  const most = Math.min(prompt.max, options.length);
  const least = Math.min(Math.max(prompt.min, 1), most);
  return options.slice(0, least + rng(most - least + 1));
}

/** Returns a random path. The server lists the possible next steps after each one. */
async function choosePath(match: Match, { inputId }: Prompt, rng: Rng): Promise<Value> {
  const path: Value[] = [];
  for (;;) {
    const { options, enough } = await match.path(inputId, path);
    const [next] = shuffled(options, rng);
    if (!next || (enough && rng(3) === 0)) return path;
    path.push({ n: next.n });
  }
}

function shuffled<T>(items: readonly T[], rng: Rng): T[] {
  const ranked = items.map((item) => ({ item, rank: rng(2 ** 30) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}

/** Returns a generator of random numbers (mulberry32). The same seed gives the same numbers. */
function seededRng(seed: number): Rng {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { against: { type: 'string', default: 'random' }, seed: { type: 'string', default: '0' } },
  });
  const [server, ruleset] = positionals;
  if (!server || !ruleset) throw new Error('expected SERVER RULESET, e.g. `http://127.0.0.1:8080 orcain`');
  const options = { server, ruleset, against: values.against as Bot, seed: Number(values.seed) };
  const ending = await play({ ...options, print: (line) => console.log(line) });
  console.log(JSON.stringify({ ending }));
}
