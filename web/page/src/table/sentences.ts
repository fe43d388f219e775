/** What happened, in sentences: the ruleset's own, or plain ones for what every game has. */
import type { GameEvent, Name, Step, Value, View } from '@intermezzo/sdk';

import { spaced, titled } from '../lib/words.ts';
import { gridOf, isSquare, squareName, squareOf, type Grid } from './grid.ts';
import type { Names } from './names.ts';
import { hint } from './rules.ts';
import type { Thing } from './things.ts';

/** A sentence is made of words and of things that can be pointed at. */
export type Part = string | { thing: Thing; text: string };

export interface Told {
  n: number;
  /** Of notices that are no events there is none. */
  event: string;
  parts: Part[];
  /** How many causes that are told lie above it. */
  depth: number;
  /** Only for those who want to know everything. */
  isMinor: boolean;
  /** A new part of the match begins. */
  isHeading: boolean;
  dice?: Dice;
  /** What the ruleset wants to be seen: `shake`, `dice` … */
  animation: string | undefined;
  things: Thing[];
  /** What each player shows, where the event tells that of all of them. */
  shows: { player: Name; word: string | null }[];
}

export interface Dice {
  faces: number[];
  total: number;
  what: string;
}

const DEEPEST = 3;
/** What only tells the rules something. */
const SILENT = new Set(['MatchStarted', 'PhaseEnded', 'Settled', 'Announced']);
const MINOR = new Set(['Changed', 'Shuffled', 'Removed']);

/** Tells what happened in a step. `names` knows both what was there and what is there now. */
export function tellStep(step: Step, names: Names, view: View, depths: Map<number, number>): Told[] {
  const grid = gridOf(names.rules, view);
  const told = step.events.flatMap((event) => tellEvent(event, names, grid, depths));
  return [...told, ...step.notices.map((notice) => plain(step.version, noticeText(notice, names)))];
}

function tellEvent(event: GameEvent, names: Names, grid: Grid | undefined, depths: Map<number, number>): Told[] {
  const above = event.cause === null ? -1 : (depths.get(event.cause) ?? -1);
  const parts = sentence(event, names, grid);
  if (!parts || parts.length === 0) {
    depths.set(event.n, above);
    return [];
  }
  const isMinor = names.rules.events[event.event]?.text == null && isSmall(event, names);
  const depth = Math.min(DEEPEST, above + 1);
  depths.set(event.n, isMinor ? above : depth);
  const animation = hint(names.rules, 'events', event.event, 'animation');
  const told: Told = {
    n: event.n,
    event: event.event,
    parts: capital(parts),
    depth,
    isMinor,
    isHeading: event.event === 'PhaseStarted',
    animation: typeof animation === 'string' ? animation : undefined,
    things: parts.flatMap((part) => (typeof part === 'string' ? [] : [part.thing])),
    shows: showsOf(event),
  };
  const dice = diceOf(event);
  return [dice ? { ...told, dice } : told];
}

/** What moves out of sight, or only prepares something, is no news. */
function isSmall({ event, payload }: GameEvent, names: Names): boolean {
  if (payload['to'] === 'stack') return false;
  if (event === 'Created') return true;
  if (event !== 'Moved') return MINOR.has(event);
  const { entity, from, to } = payload;
  const isAside = (zone: Value | undefined) =>
    typeof zone === 'string' && hint(names.rules, 'zones', zone.split('.').at(-1)!, 'hide') === true;
  return entity === null || from === null || isAside(from) || isAside(to);
}

/** An event in words; nothing if people are not told of it. */
export function sentence(event: GameEvent, names: Names, grid: Grid | undefined): Part[] | undefined {
  if (hint(names.rules, 'events', event.event, 'hide') === true) return undefined;
  const words = names.rules.events[event.event];
  const template = words?.text;
  if (template === '') return undefined;
  if (template == null)
    return native(event, names, grid) ?? (SILENT.has(event.event) ? undefined : listed(event, names, grid));
  const hidden = new Set(words?.things ?? []);
  return template.split(/(\{\s*\w+\s*\})/).flatMap((piece) => {
    const field = /^\{\s*(\w+)\s*\}$/.exec(piece)?.[1];
    if (field === undefined || !(field in event.payload)) return piece === '' ? [] : [piece];
    const value = event.payload[field]!;
    return value === null && hidden.has(field) ? ['something'] : valueParts(value, names, grid);
  });
}

/** What every game has. */
function native(event: GameEvent, names: Names, grid: Grid | undefined): Part[] | undefined {
  const { payload } = event;
  const thing = (field: string): Part[] => {
    const value = payload[field];
    return value === null || value === undefined ? ['something'] : valueParts(value, names, grid);
  };
  const has = (field: string) => payload[field] !== null && payload[field] !== undefined;
  switch (event.event) {
    case 'Created':
      if (payload['to'] === 'stack') return [...thing('owner'), ' announces ', ...announced(payload, names, grid)];
      return has('entity') && has('to') ? [...thing('entity'), ' appears in ', ...thing('to')] : [];
    case 'Moved':
      if (payload['to'] === 'stack') return [...thing('entity'), ' waits to happen'];
      if (!has('from')) return has('entity') ? [...thing('entity'), ' comes to ', ...thing('to')] : [];
      return [
        ...(has('entity') ? thing('entity') : ['A card']),
        ' goes from ',
        ...thing('from'),
        ' to ',
        ...thing('to'),
      ];
    case 'Removed':
      return has('entity') ? [...thing('entity'), ' is gone'] : [];
    case 'Changed':
      if (!has('entity')) return [];
      return [...thing('entity'), `: ${spaced(String(payload['prop']))} `, ...thing('from'), ' → ', ...thing('to')];
    case 'Rolled': {
      const by: Part[] = has('by') ? [...thing('by'), ' rolls '] : ['Rolled '];
      const purpose = has('for') ? ` for ${spaced(String(payload['for'])).replace(/ roll$/, '')}` : '';
      return [...by, String(payload['dice']), `${purpose}: `, ...thing('total')];
    }
    case 'Shuffled':
      return [...thing('zone'), ' is shuffled'];
    case 'PhaseStarted': {
      const title = names.phase(String(payload['phase']));
      const whose = has('subject') ? thing('subject') : has('player') ? thing('player') : [];
      return [title, ...(whose.length > 0 ? [' · ', ...whose] : [])];
    }
    case 'PlayerLeft':
      return [...thing('player'), ` leaves (${spaced(String(payload['cause']))})`];
    case 'EventPrevented':
      return [preventedWord(payload['type']), ' is prevented', ...(has('by') ? [' by ', ...thing('by')] : [])];
    case 'Action':
    case 'Reaction': {
      const rule = names.rule(String(payload[event.event === 'Action' ? 'action' : 'reaction']));
      const item: Part[] = [
        has('item') ? { thing: String(payload['item']), text: rule } : rule,
        ...hostParts(payload['host'], rule, names),
      ];
      if (event.status === 'failed') return [...item, ' fails: a rule went wrong, and play goes on'];
      return has('item') ? [...item, ' happens'] : [...thing(has('actor') ? 'actor' : 'host'), ': ', ...item];
    }
    case 'MatchEnded': {
      const winners = payload['winners'];
      const won: Part[] =
        Array.isArray(winners) && winners.length > 0 ? [...valueParts(winners, names, grid), ' won'] : ['Nobody won'];
      return ['The match is over. ', ...won];
    }
    default:
      return undefined;
  }
}

/** What was put on the stack: its title, what it comes from, and what it is aimed at. */
function announced(payload: GameEvent['payload'], names: Names, grid: Grid | undefined): Part[] {
  const { host, ...aims } = (payload['with'] ?? {}) as Record<string, Value>;
  const thing = String(payload['entity']);
  const title = names.of(thing);
  const aimed = Object.values(aims).filter((value) => typeof value === 'string' && names.isThing(value));
  const at: Part[] = aimed.length > 0 ? [' → ', ...joined(aimed.map((value) => valueParts(value, names, grid)))] : [];
  return [{ thing, text: title }, ...hostParts(host, title, names), ...at];
}

/** The thing a rule belongs to, unless its title says that already. */
function hostParts(host: Value | undefined, title: string, names: Names): Part[] {
  if (typeof host !== 'string' || !names.isThing(host)) return [];
  const name = names.of(host);
  return title.toLowerCase().includes(name.toLowerCase()) || name === 'something'
    ? []
    : [' ', { thing: host, text: name }];
}

function preventedWord(type: Value | undefined): string {
  const words: Record<string, string> = {
    Action: 'What was to be done',
    Announced: 'What was announced',
    Reaction: 'What was to follow',
  };
  return words[String(type)] ?? titled(String(type));
}

/** Events without words of their own: their name and what they carry. */
function listed(event: GameEvent, names: Names, grid: Grid | undefined): Part[] {
  const fields = Object.entries(event.payload).filter(([, value]) => value !== null);
  return [
    titled(event.event),
    ...fields.flatMap(([name, value]): Part[] => [` ${spaced(name)} `, ...valueParts(value, names, grid)]),
  ];
}

/** A value as a piece of a sentence. */
export function valueParts(value: Value, names: Names, grid: Grid | undefined): Part[] {
  if (value === null) return ['nothing'];
  if (value === true) return ['yes'];
  if (value === false) return ['no'];
  if (typeof value === 'number') return [String(value)];
  if (typeof value === 'string')
    return names.isThing(value) ? [{ thing: value, text: names.of(value) }] : [symbolWord(value, names)];
  if (Array.isArray(value))
    return value.length === 0 ? ['none'] : joined(value.map((inner) => valueParts(inner, names, grid)));
  if (isSquare(grid, value)) {
    const at = squareOf(grid, value)!;
    return [{ thing: at, text: squareName(at)! }];
  }
  return joined(
    Object.entries(value).map(([key, inner]) => [
      ...valueParts(key, names, grid),
      ' ',
      ...valueParts(inner, names, grid),
    ]),
  );
}

function symbolWord(symbol: string, names: Names): string {
  return names.rules.defs[symbol]?.title || spaced(symbol);
}

function joined(parts: Part[][]): Part[] {
  return parts.flatMap((inner, at) => (at === 0 ? inner : [', ', ...inner]));
}

function capital([first, ...rest]: Part[]): Part[] {
  const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  if (typeof first === 'string') return [upper(first), ...rest];
  // A name stays as it is: whoever writes theirs small wants it so.
  return [
    first!.thing.startsWith('p') && !first!.thing.includes('.') ? first! : { ...first!, text: upper(first!.text) },
    ...rest,
  ];
}

export const partsText = (parts: Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');

function diceOf(event: GameEvent): Dice | undefined {
  if (event.event !== 'Rolled') return undefined;
  const { faces, total, dice } = event.payload;
  if (!Array.isArray(faces) || typeof total !== 'number') return undefined;
  return {
    faces: faces.filter((face): face is number => typeof face === 'number'),
    total,
    what: String(event.payload['for'] ?? dice ?? ''),
  };
}

/** A map from players to words is what they show. */
function showsOf(event: GameEvent): Told['shows'] {
  for (const value of Object.values(event.payload)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const entries = Object.entries(value);
    const isShown =
      entries.length > 0 &&
      entries.every(([key, inner]) => /^p\d+$/.test(key) && (inner === null || typeof inner === 'string'));
    if (isShown) return entries.map(([player, word]) => ({ player, word: word as string | null }));
  }
  return [];
}

function noticeText(notice: Step['notices'][number], names: Names): string {
  if (notice.notice === 'ahead_forgotten') return 'Answers that were sent ahead no longer fit and are forgotten';
  const who = names.of(`p${notice.by}`);
  if (notice.notice === 'taken_back') return `${who} has taken back`;
  return notice.notice === 'would_take_back' ? `${who} would like to take back` : `${who} may not take back`;
}

function plain(version: number, text: string): Told {
  return {
    n: -version,
    event: '',
    parts: [text],
    depth: 0,
    isMinor: false,
    isHeading: false,
    animation: undefined,
    things: [],
    shows: [],
  };
}
