/**
 * A bot that plays a match on an Intermezzo server, in TypeScript, with the SDK of this repository.
 *
 *     node examples/bots/bot.ts http://127.0.0.1:8080 orcain --against greedy --seed 1
 *
 * It makes a guest, makes a match against a bot of the server, and answers by chance until the match is over. What
 * happens is printed as lines of JSON as it comes; the last line says how the match ended.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// In a package of one's own: `from '@intermezzo/sdk'`.
import { Client, need, Refused, type Ending, type Match, type Prompt, type Value } from '../../web/sdk/src/index.ts';

type Bot = 'random' | 'greedy' | 'mcts';
type Chance = (below: number) => number;

export interface Wish {
  server: string;
  ruleset: string;
  against: Bot;
  seed: number;
  tell: (line: string) => void;
  /** Node has one from version 22 on; before, hand in that of the package `ws`. */
  WebSocket?: unknown;
}

/** Plays one match; gives how it ended. */
export async function play({ server, ruleset, against, seed, tell, WebSocket }: Wish): Promise<Ending> {
  const client = new Client({ server, WebSocket });
  await client.guest();
  const { id } = await need(client.http.POST('/matches', { body: { ruleset, places: ['human', against] } }));
  await need(client.http.POST('/matches/{id}/start', { params: { path: { id } } }));

  const match = client.follow(id);
  match.onStep((step) => tell(JSON.stringify(step)));
  const chance = chanceOf(seed);
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
      await answer(match, prompt, chance);
    }
  }
}

async function answer(match: Match, prompt: Prompt, chance: Chance): Promise<void> {
  try {
    await match.answer(prompt.inputId, prompt.path ? await way(match, prompt, chance) : choose(prompt, chance));
  } catch (error) {
    // Somebody or something was faster, and the question is no longer open.
    if (!(error instanceof Refused && error.problem.status === 409)) throw error;
  }
}

/** A legal answer by chance. A prompt says all there is to know: options, how many, slots, whether one may pass. */
function choose(prompt: Prompt, chance: Chance): Value {
  if (prompt.pass && (prompt.options.length === 0 || chance(10) < 3)) return 'pass';
  const options = shuffled(prompt.options, chance).map(({ n }) => ({ n }));
  if (prompt.slots !== null) return Array.from({ length: prompt.slots }, (_, slot) => options[slot] ?? null);
  const most = Math.min(prompt.max, options.length);
  const least = Math.min(Math.max(prompt.min, 1), most);
  return options.slice(0, least + chance(most - least + 1));
}

/** A path is asked for step by step: the server tells what may follow. */
async function way(match: Match, { inputId }: Prompt, chance: Chance): Promise<Value> {
  const soFar: Value[] = [];
  for (;;) {
    const { options, enough } = await match.path(inputId, soFar);
    const [next] = shuffled(options, chance);
    if (!next || (enough && chance(3) === 0)) return soFar;
    soFar.push({ n: next.n });
  }
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const mixed = items.map((item) => ({ item, at: chance(2 ** 30) }));
  return mixed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** Numbers by chance, the same for the same seed (mulberry32). */
function chanceOf(seed: number): Chance {
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
  const wish = { server, ruleset, against: values.against as Bot, seed: Number(values.seed) };
  const ending = await play({ ...wish, tell: (line) => console.log(line) });
  console.log(JSON.stringify({ ending }));
}
