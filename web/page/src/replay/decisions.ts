/** Decisions of a match in the words of players, grouped by turn. */
import type { Prompt } from '@intermezzo/sdk';

import { humanize, optionText, sentenceCase } from '../lib/text.ts';
import { secondPerson, VERBS } from '../match/event-text.ts';
import { squareName } from '../match/grid.ts';
import type { RulesetDisplay } from '../match/ruleset-display.ts';
import { square } from '../match/view-index.ts';
import type { ReplayEvent, ReplayInput } from './api.ts';
import { withPlayerNames } from './player-names.ts';

export interface Decision {
  input: ReplayInput;
  /** Who decided; undefined if the viewer may not know. */
  seat: number | undefined;
  text: string;
  /** The moment after it. */
  at: number;
  /** Time to decide, in milliseconds. */
  tookMs: number | undefined;
}

export interface Turn {
  /** Such as `Turn 9 · you`. */
  title: string;
  decisions: Decision[];
}

interface Context {
  /** Names by seat; the viewer's own is `you`. */
  names: readonly string[];
  rules: RulesetDisplay['rules'];
  entities: Entities;
}

/** Lists all decisions by turn. */
export function turnsOf(
  inputs: readonly ReplayInput[],
  { events, names, rules }: Omit<Context, 'entities'> & { events: readonly ReplayEvent[] },
): Turn[] {
  const context: Context = { names, rules, entities: entityNames(events) };
  const turns: Turn[] = [];
  const clock = new TurnClock(names);
  let at = 0;
  let lastMs: number | null = null;
  for (const input of inputs) {
    const own = events.filter((event) => event.input === input.number);
    const title = clock.title;
    at = input.lastEvent ?? at;
    if (input.number > 0 && !isDraft(input)) {
      const tookMs = input.atMs !== null && lastMs !== null ? input.atMs - lastMs : undefined;
      const decision = { input, seat: seatOf(input, own), text: decisionText(input, own, context), at, tookMs };
      if (turns.at(-1)?.title === title) turns.at(-1)!.decisions.push(decision);
      else turns.push({ title, decisions: [decision] });
    }
    if (!isDraft(input)) lastMs = input.atMs;
    own.forEach((event) => clock.note(event));
  }
  return turns;
}

/** Drafts are no decisions: the answer that follows them is. */
const isDraft = ({ text }: ReplayInput): boolean => /^p\d+ drafts /.test(text ?? '');

/** Follows turns, rounds and whose turn it is. */
class TurnClock {
  readonly #names: readonly string[];
  #counter = '';
  #phases: { phase: string; player: string | null }[] = [];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  note({ event, payload, status }: ReplayEvent): void {
    if (status !== 'applied') return;
    const { entity, prop, to, phase, player } = payload;
    if (event === 'Changed' && entity === 'match' && (prop === 'turn' || prop === 'round'))
      this.#counter = `${sentenceCase(prop)} ${String(to)}`;
    if (event === 'PhaseStarted')
      this.#phases.push({ phase: String(phase), player: typeof player === 'string' ? player : null });
    if (event === 'PhaseEnded') {
      const last = this.#phases.findLastIndex((one) => one.phase === phase);
      if (last >= 0) this.#phases = this.#phases.slice(0, last);
    }
  }

  get title(): string {
    const owner = this.#phases.find(({ player }) => player !== null)?.player;
    const name = owner == null ? undefined : this.#names[Number(owner.slice(1))];
    return [this.#counter, name].filter(Boolean).join(' · ') || 'The match';
  }
}

/** The player who decided, as the input or its events tell. */
function seatOf({ seat }: ReplayInput, events: readonly ReplayEvent[]): number | undefined {
  if (seat !== null) return seat;
  const actor = events.find(({ event }) => event === 'Announced')?.payload['actor'];
  return typeof actor === 'string' ? Number(actor.slice(1)) : undefined;
}

function decisionText(input: ReplayInput, events: readonly ReplayEvent[], context: Context): string {
  const { names, rules } = context;
  const answered = /^p(\d+) answers (.+)$/.exec(input.text ?? '');
  if (!answered) return input.text === null ? hiddenText(events, context) : conjugated(readable(input.text, names));
  const subject = names[Number(answered[1])] ?? '';
  const answer = answered[2]!;
  if (answer === 'pass') return passText(subject, events);
  const action = /^(\w+)(?: \((.+?)\))?(?: → (.+))?$/.exec(answer);
  const title = action ? rules[action[1]!] : undefined;
  if (!action || title === undefined) return conjugated(`${subject} ${choiceText(readable(humanize(answer), names))}`);
  return actionText(subject, title, action[2] && readable(action[2], names), action[3] && readable(action[3], names));
}

/** Describes an answer: `accepts`, `goes to d4`, `chooses Bolt`. */
function choiceText(answer: string): string {
  if (/^(yes|no|true|false)$/i.test(answer)) return /^(yes|true)$/i.test(answer) ? 'accepts' : 'declines';
  if (answer === 'nothing' || answer === 'none') return 'chooses nothing';
  // Alternatives have short names: `lay (Menhir)`, `draw`.
  const [, word = '', object] = /^(\w+)(?: \((.+)\))?$/.exec(answer) ?? [];
  const verb = VERBS[word];
  if (verb !== undefined) return [verb, object].filter(Boolean).join(' ');
  // The last square of a way says where it leads.
  const squares = [...answer.matchAll(/\bx (\d+), y (\d+)\b/g)];
  const rest = answer.replaceAll(/\bx \d+, y \d+\b|[, ]/g, '');
  const last = squares.at(-1);
  return last && rest === ''
    ? `goes to ${squareName(square(Number(last[1]), Number(last[2]))) ?? answer}`
    : `chooses ${answer}`;
}

/** Describes a decision of somebody else by its consequences. */
function hiddenText(events: readonly ReplayEvent[], { names, rules, entities }: Context): string {
  const announced = events.find(({ event }) => event === 'Announced')?.payload;
  const title = announced ? rules[String(announced['action'])] : undefined;
  if (announced && title !== undefined) {
    const item = events.find(({ event, payload }) => event === 'Created' && payload['to'] === 'stack')?.payload['with'];
    const host = (item as Record<string, unknown> | null | undefined)?.['host'] ?? announced['host'];
    const subject = names[Number(String(announced['actor']).slice(1))] ?? '';
    return actionText(subject, title, entities.get(String(host)), undefined);
  }
  const others = names.filter((name) => name !== 'you');
  if (events[0]?.event === 'Action' || events[0]?.event === 'Reaction')
    return passText(others.length === 1 ? others[0]! : 'somebody', events);
  const told = events.find(({ text }) => text !== '');
  return told ? conjugated(readable(told.text, names)) : 'somebody decides';
}

const passText = (subject: string, events: readonly ReplayEvent[]): string =>
  conjugated(`${subject} ${(events[0]?.stack ?? 0) > 0 ? 'lets it happen' : 'goes on'}`);

/** Describes an action by its title: `you cast Bolt on Spirit`, `ann attacks you with Ogre`. */
function actionText(subject: string, title: string, host: string | undefined, targets: string | undefined): string {
  const [first = '', ...rest] = title.split(' ');
  const verb = VERBS[first.toLowerCase()];
  const source = host !== undefined && !title.includes(host) ? host : undefined;
  if (verb === undefined) {
    const aim = targets === undefined ? '' : ` on ${targets}`;
    return conjugated(`${subject} uses ${title}${source === undefined ? '' : ` (${source})`}${aim}`);
  }
  const object = rest.length > 0 ? rest.join(' ') : undefined;
  // `Attack` acts on its target, `Play` on its card.
  const parts =
    object === undefined && targets !== undefined
      ? [targets, source && `with ${source}`]
      : [object, source, targets && `on ${targets}`];
  return conjugated([subject, verb, ...parts].filter(Boolean).join(' '));
}

type Entities = ReadonlyMap<string, string>;

/** Collects the names of entities from the texts of events: `Wandering Cleric #7 moves …`. */
function entityNames(events: readonly ReplayEvent[]): Entities {
  const found = new Map<string, string>();
  for (const { text } of events)
    for (const [, name, id] of text.matchAll(/([A-Z][\w'’-]*(?: [\w'’-]+)*) (#\d+)/g))
      if (!found.has(id!)) found.set(id!, name!);
  return found;
}

/** Replaces players by their names and leaves out the numbers of entities. */
const readable = (text: string, names: readonly string[]): string =>
  withPlayerNames(text, names)
    .replaceAll(/ #\d+/g, '')
    .replace(/ · .*$/, '');

/** Makes the verb agree if the viewer is the subject. */
const conjugated = (text: string): string =>
  text.replace(/^you (\w+)/, (_, verb: string) => `you ${secondPerson(verb)}`);

/** More alternatives than this are not listed. */
const MAX_ALTERNATIVES = 4;

/** Lists what could have been decided instead, from the prompts open before a decision. */
export function alternativesOf(
  prompts: readonly Prompt[],
  seat: number,
  chosen: string,
  names: readonly string[],
): string[] {
  const prompt = prompts.find(({ actor }) => actor === `p${seat}`);
  if (!prompt) return [];
  const key = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z ]|\b(on|with|you)\b/g, ' ')
      .split(/ +/)
      .filter(Boolean)
      .sort()
      .join(' ');
  const titles = prompt.options.map((option) =>
    readable(sentenceCase(optionText(option)), names).replace(' → ', ' on '),
  );
  // `ann chooses Pepper Stew` says more than the title of the option.
  const isChosen = (title: string) => key(chosen) === key(title) || chosen.endsWith(` chooses ${title}`);
  const others = [...new Set(titles)].filter((title) => !isChosen(title));
  const isPass = /^\S.* (lets? it happen|go(es)? on)$/.test(chosen);
  // Verbs continue the sentence, names keep their capitals.
  const spoken = others.map((title) =>
    VERBS[title.split(' ')[0]!.toLowerCase()] === undefined ? title : title.charAt(0).toLowerCase() + title.slice(1),
  );
  return [...spoken.slice(0, MAX_ALTERNATIVES), ...(prompt.pass && !isPass ? ['let it happen'] : [])];
}
