/** Events as sentences for the log: the ruleset's own texts, or generic ones for the built-in events. */
import type { GameEvent, Name, Step, Value, View } from '@intermezzo/sdk';

import { humanize, sentenceCase } from '../lib/text.ts';
import type { DisplayNames } from './display-names.ts';
import { gridOf, isSquare, squareName, squareOf, type Grid } from './grid.ts';
import { uiHint } from './ruleset-display.ts';
import type { ObjectId } from './view-index.ts';

/** A piece of a sentence: plain text, or an object that can be highlighted on the board. */
export type Part = string | { object: ObjectId; text: string };

export interface LogLine {
  n: number;
  /** Number of the event that caused it. */
  cause?: number | null;
  /** Name of the event; empty for notices. */
  event: string;
  parts: Part[];
  /** Number of ancestors in the tree of causes that are in the log, too. */
  depth: number;
  /** Shown only in the full log. */
  isMinor: boolean;
  /** The line starts a new phase. */
  isHeading: boolean;
  dice?: Dice;
  /** Animation that the ruleset requests: `shake`, `flip`, … */
  animation: string | undefined;
  objects: ObjectId[];
  /** Values that players reveal, if the event has a map from players to values. */
  reveals: { player: Name; value: string | null }[];
  /** How the line folds into another one, or others into it; see `foldLines`. */
  fold?: LineFold;
  /** The lines that this one stands for. */
  details?: LogLine[];
  /** The item of the stack that is announced or resolved. */
  item?: Name;
}

/** Part that an event plays in lines of several events: `line`, `adds` and `detail` under `ui.events`. */
interface LineFold {
  payload: GameEvent['payload'];
  /** The event that completes the line that begins here, and the fields that both have in common. */
  opens?: { since?: string; until: string; same: string[] };
  /** Continues the sentence of an open line. */
  adds?: Part[];
  isDetail: boolean;
}

export interface Dice {
  faces: number[];
  total: number;
  purpose: string;
}

const MAX_DEPTH = 3;
/** Internal events without information for players. */
const SILENT = new Set(['MatchStarted', 'PhaseEnded', 'Settled', 'Announced']);
const MINOR = new Set(['Changed', 'Shuffled', 'Removed']);

/** Everything besides the event itself that its sentence depends on. */
interface Context {
  names: DisplayNames;
  grid: Grid | undefined;
  /** The step the event belongs to. */
  events: GameEvent[];
}

/** Returns the log lines of a step. `names` must know the entities before and after it. */
export function stepLines(step: Step, names: DisplayNames, view: View, depths: Map<number, number>): LogLine[] {
  const context = { names, grid: gridOf(names.display, view), events: step.events };
  const lines = step.events.flatMap((event) => eventLines(event, context, depths));
  return [...lines, ...step.notices.map((notice) => noticeLine(step.version, noticeText(notice, names)))];
}

function eventLines(event: GameEvent, context: Context, depths: Map<number, number>): LogLine[] {
  const { names } = context;
  const parentDepth = event.cause === null ? -1 : (depths.get(event.cause) ?? -1);
  const parts = describe(event, context);
  const fold = lineFold(event, context);
  if (!parts || parts.length === 0) {
    depths.set(event.n, parentDepth);
    return fold ? [{ ...noticeLine(0, ''), n: event.n, event: event.event, parts: [], isMinor: true, fold }] : [];
  }
  const isMinor = names.display.events[event.event]?.text == null && isMinorEvent(event, names);
  const depth = Math.min(MAX_DEPTH, parentDepth + 1);
  depths.set(event.n, isMinor ? parentDepth : depth);
  const animation = uiHint(names.display, 'events', event.event, 'animation');
  const item = stackItemOf(event);
  const line: LogLine = {
    n: event.n,
    cause: event.cause,
    event: event.event,
    parts: capitalize(addressViewer(parts, names)),
    depth,
    isMinor,
    isHeading: event.event === 'PhaseStarted',
    animation: typeof animation === 'string' ? animation : undefined,
    objects: parts.flatMap((part) => (typeof part === 'string' ? [] : [part.object])),
    reveals: revealsOf(event),
  };
  const dice = diceOf(event);
  return [{ ...line, ...(dice && { dice }), ...(fold && { fold }), ...(item !== undefined && { item }) }];
}

function stackItemOf({ event, payload }: GameEvent): Name | undefined {
  const isAnnounced = (event === 'Created' || event === 'Moved') && payload['to'] === 'stack';
  const item = isAnnounced ? payload['entity'] : event === 'Action' || event === 'Reaction' ? payload['item'] : null;
  return typeof item === 'string' ? item : undefined;
}

/** Returns the part of an event in lines of several events; undefined if the ruleset gives it none. */
function lineFold(event: GameEvent, context: Context): LineFold | undefined {
  const { display } = context.names;
  const all = Object.entries((uiHint(display, 'events') ?? {}) as Record<string, Record<string, unknown>>);
  const spanOf = (hints: Record<string, unknown>) =>
    hints['line'] as { since?: string; until?: unknown; same?: string[] } | undefined;
  const isStart = all.some(([, hints]) => spanOf(hints)?.since === event.event);
  const isEnd = all.some(([, hints]) => spanOf(hints)?.until === event.event);
  const hints = all.find(([name]) => name === event.event)?.[1] ?? {};
  const { adds } = hints;
  const span = spanOf(hints);
  const isDetail = hints['detail'] === true;
  if (!isStart && !isEnd && !span && !isDetail && typeof adds !== 'string') return undefined;
  // An event that was prevented neither begins a line nor continues one.
  const hasHappened = event.status == null;
  return {
    payload: event.payload,
    isDetail,
    ...(hasHappened &&
      typeof span?.until === 'string' && {
        opens: { ...(span.since && { since: span.since }), until: span.until, same: span.same ?? [] },
      }),
    ...(hasHappened &&
      typeof adds === 'string' && { adds: addressViewer(fillTemplate(adds, event, context), context.names) }),
  };
}

/**
 * Folds lines into others as the ruleset says. A line stays open until the event that completes it; what is folded into
 * it becomes its details. Lines without a text of their own are left out.
 */
export function foldLines(log: LogLine[]): LogLine[] {
  const open: { line: LogLine & { details: LogLine[] }; until: string; same: [string, Value | undefined][] }[] = [];
  const folded: LogLine[] = [];
  for (const [at, line] of log.entries()) {
    const { fold } = line;
    const fits = (other: (typeof open)[number]) =>
      other.same.every(([name, value]) => {
        const own = fold?.payload[name];
        return own === undefined || JSON.stringify(own) === JSON.stringify(value);
      });
    const last = folded.at(-1);
    if (last && !fold && isLikeMove(last, line)) {
      folded[folded.length - 1] = withAnother(last, line);
      continue;
    }
    if (last && !fold && isMoveOf(last, line)) {
      folded[folded.length - 1] = withMoved(last, line);
      continue;
    }
    if (last && isWalkOf(last, line)) {
      folded[folded.length - 1] = { ...line, depth: last.depth, details: [last] };
      continue;
    }
    if (last && isNextStep(last, line)) {
      const { details = [], ...step } = last;
      folded[folded.length - 1] = { ...line, details: [...details, step] };
      continue;
    }
    if (last && isResultOf(last, line)) {
      folded[folded.length - 1] = { ...line, details: [last], ...(last.dice && { dice: last.dice }) };
      continue;
    }
    const closed = fold ? open.findLastIndex((other) => other.until === line.event && fits(other)) : -1;
    const isPart = fold !== undefined && (fold.isDetail || fold.adds !== undefined);
    // What is resolved right after it was announced needs no second line.
    const before = folded.findLast((one) => !one.isMinor);
    const isRepeated = before?.item !== undefined && partsText(before.parts) === partsText(line.parts);
    const isResolved = line.item !== undefined && line.event !== 'Created' && before?.item === line.item;
    if (before && (isResolved || isRepeated)) {
      folded[folded.indexOf(before)] = { ...before, details: [...(before.details ?? []), line] };
      continue;
    }
    const found = open[closed >= 0 || !isPart ? closed : open.findLastIndex(fits)];
    if (found) {
      found.line.details.push(line);
      found.line.parts.push(...(fold?.adds ?? []));
      found.line.objects.push(...line.objects);
      if (closed >= 0) open.splice(closed, 1);
    } else if (fold?.opens && line.parts.length > 0) {
      const { since, until, same } = fold.opens;
      const leading = since && open.length === 0 ? linesSince(log, at, since) : [];
      leading.forEach((led) => folded.at(-1) === led && folded.pop());
      const first = { ...line, parts: [...line.parts], objects: [...line.objects], details: leading.reverse() };
      open.push({ line: first, until, same: same.map((name) => [name, fold.payload[name]]) });
      folded.push(first);
    } else if (line.parts.length > 0) folded.push(line);
  }
  return withCounts(folded);
}

/** Returns whether a line only says what moved in the one before: caused by it, or right after it to the same player. */
function isMoveOf(last: LogLine, line: LogLine): boolean {
  if (last.isHeading || line.event !== 'Moved') return false;
  const [who, to] = [last.parts[0], line.parts.at(-1)];
  const isTheirs = typeof who === 'object' && typeof to === 'object' && to.object.startsWith(`${who.object}.`);
  return line.cause === last.n || (line.n === last.n + 1 && line.cause === last.cause && isTheirs);
}

/** Adds what moved to the line that says why: `You draw a card: Bolt`. */
function withMoved(line: LogLine, moved: LogLine): LogLine {
  const [what] = moved.parts;
  const isNamed = line.parts.some(
    (part) =>
      typeof part === 'object' &&
      typeof what === 'object' &&
      (part.object === what.object || (part.text === what.text && line.item !== undefined)),
  );
  const hasMoved = line.details?.some((detail) => detail.event === 'Moved') ?? false;
  const added: Part[] = typeof what !== 'object' || isNamed ? [] : [hasMoved ? ', ' : ': ', what];
  return { ...line, parts: [...line.parts, ...added], details: [...(line.details ?? []), moved] };
}

const tail = ({ parts }: LogLine): string => partsText(parts.slice(1));

/** Returns whether another card goes the same way. */
function isLikeMove(last: LogLine, line: LogLine): boolean {
  const isMove = last.event === 'Moved' && line.event === 'Moved' && !last.fold && !last.isMinor && !line.isMinor;
  const rest = last.parts.findIndex((part) => typeof part === 'string' && /^ goe?s?\b/.test(part));
  return isMove && rest > 0 && partsText(last.parts.slice(rest)).replace(/^ go\b/, ' goes') === tail(line);
}

/** Adds another card to a move: `Bolt, Echo go to your hand`. */
function withAnother(last: LogLine, line: LogLine): LogLine {
  const rest = last.parts.findIndex((part) => typeof part === 'string' && /^ goe?s?\b/.test(part));
  const end = last.parts.slice(rest).map((part) => (typeof part === 'string' ? part.replace(/^ goes\b/, ' go') : part));
  return {
    ...last,
    parts: [...last.parts.slice(0, rest), ', ', line.parts[0]!, ...end],
    objects: [...last.objects, ...line.objects],
  };
}

const CARDS = /^ (\w+) (a|\d+) cards?(: )?$/;

/** Says once what somebody does several times in a row: `Ann draws 2 cards`, `You draw 2 cards: Bolt, Echo`. */
function withCounts(lines: LogLine[]): LogLine[] {
  const counted: LogLine[] = [];
  for (const line of lines) {
    const last = counted.at(-1);
    const both = last && last.event === line.event ? [cardsOf(last), cardsOf(line)] : [];
    const [one, other] = both;
    if (
      !last ||
      !one ||
      !other ||
      one.who.object !== other.who.object ||
      one.verb !== other.verb ||
      one.isNamed !== other.isNamed
    ) {
      counted.push(line);
      continue;
    }
    const items = [...one.items, ...(one.isNamed ? [', '] : []), ...other.items];
    const parts = [one.who, ` ${one.verb} ${one.count + other.count} cards${one.isNamed ? ': ' : ''}`, ...items];
    const details = [...(last.details ?? []), ...(line.details ?? [])];
    counted[counted.length - 1] = { ...line, parts, details, objects: [...last.objects, ...line.objects] };
  }
  return counted;
}

/** Returns who does what with how many cards, if a line says no more. */
function cardsOf({ parts }: LogLine) {
  const [who, ...rest] = parts;
  const words = rest.findIndex((part) => typeof part !== 'string');
  const items = words < 0 ? [] : rest.slice(words);
  const found = CARDS.exec(partsText(words < 0 ? rest : rest.slice(0, words)));
  const isNamed = found?.[3] !== undefined;
  if (typeof who !== 'object' || !found || isNamed !== items.length > 0) return undefined;
  return { who, verb: found[1]!, count: found[2] === 'a' ? 1 : Number(found[2]), items, isNamed };
}

/** Returns whether a line says what the dice of the line before lead to: `Fighter acts at 10`. */
function isResultOf(last: LogLine, line: LogLine): boolean {
  const [one, other] = [last.parts[0], line.parts[0]];
  const isSame = typeof one === 'object' && typeof other === 'object' && one.object === other.object;
  return isSame && last.dice !== undefined && !line.dice && !line.isHeading && !line.fold && last.cause === line.cause;
}

/** Returns whether a line says where the walk of the line before leads to. */
function isWalkOf(last: LogLine, line: LogLine): boolean {
  const [[who, does], [mover], to] = [last.parts, line.parts, line.parts.at(-1)];
  const isSame = typeof who === 'object' && typeof mover === 'object' && who.object === mover.object;
  const isWay = typeof to === 'object' && squareName(to.object) !== undefined;
  return isSame && isWay && last.event === 'Action' && does === ` ${VERBS['walk']}` && !line.fold;
}

/** Returns whether a line continues a walk: the same figure comes to another square. */
function isNextStep(last: LogLine, line: LogLine): boolean {
  const squareAt = ({ parts }: LogLine) => {
    const end = parts.at(-1);
    return typeof end === 'object' && squareName(end.object) !== undefined;
  };
  const [one, other] = [last.parts[0], line.parts[0]];
  const isSameFigure = typeof one === 'object' && typeof other === 'object' && one.object === other.object;
  return isSameFigure && last.event === line.event && !line.fold && !last.fold && squareAt(last) && squareAt(line);
}

/** Returns the lines just before another one that belong to it, last first: those from `since` on, if all are details. */
function linesSince(log: LogLine[], at: number, since: string): LogLine[] {
  const before: LogLine[] = [];
  for (let index = at - 1; index >= 0; index--) {
    const line = log[index];
    if (line?.event !== since && !line?.fold?.isDetail) return [];
    before.push(line);
    if (line.event === since) return before;
  }
  return [];
}

/** Moves out of sight and preparations belong in the full log only. */
function isMinorEvent({ event, payload }: GameEvent, names: DisplayNames): boolean {
  if (payload['to'] === 'stack') return false;
  if (event === 'Created') return true;
  if (event !== 'Moved') return MINOR.has(event);
  const { entity, from, to } = payload;
  const isHiddenZone = (zone: Value | undefined) =>
    typeof zone === 'string' && uiHint(names.display, 'zones', zone.split('.').at(-1)!, 'hide') === true;
  return entity === null || from === null || isHiddenZone(from) || isHiddenZone(to);
}

/** Describes an event; returns undefined if it is hidden from players. */
export function describeEvent(event: GameEvent, names: DisplayNames, grid: Grid | undefined): Part[] | undefined {
  return describe(event, { names, grid, events: [event] });
}

function describe(event: GameEvent, context: Context): Part[] | undefined {
  const { names, grid } = context;
  if (uiHint(names.display, 'events', event.event, 'hide') === true) return undefined;
  const declared = names.display.events[event.event];
  const template = declared?.text;
  if (template === '') return undefined;
  if (template == null)
    return (
      describeBuiltIn(event, context) ?? (SILENT.has(event.event) ? undefined : describeFields(event, names, grid))
    );
  return fillTemplate(template, event, context);
}

function fillTemplate(template: string, event: GameEvent, { names, grid }: Context): Part[] {
  const hideable = new Set(names.display.events[event.event]?.things ?? []);
  // Lists of records in brackets are bookkeeping.
  const isRecord = (value: Value) => typeof value === 'object' && value !== null && !isSquare(grid, value);
  const spoken = template.replaceAll(/\s*\(\{\s*(\w+)\s*\}\)/g, (whole, field: string) => {
    const value = event.payload[field];
    return Array.isArray(value) && value.every(isRecord) ? '' : whole;
  });
  return spoken.split(/(\{\s*\w+\s*\})/).flatMap((piece) => {
    const field = /^\{\s*(\w+)\s*\}$/.exec(piece)?.[1];
    if (field === undefined || !(field in event.payload)) return piece === '' ? [] : [piece];
    const value = event.payload[field]!;
    return value === null && hideable.has(field) ? [hiddenThing(field)] : valueParts(value, names, grid);
  });
}

/** Fields that say what kind of thing they hold. Others are roles, such as `who`. */
const THINGS = new Set(['act', 'card', 'creature', 'piece', 'tile', 'token', 'unit']);

/** Names a thing that the viewer does not see after its field: `a card`, `an act`. */
function hiddenThing(field: string): string {
  return THINGS.has(field) ? withArticle(field) : 'something';
}

function withArticle(name: string): string {
  const words = humanize(name).toLowerCase();
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

/** Describes the events that every ruleset has. */
function describeBuiltIn(event: GameEvent, context: Context): Part[] | undefined {
  const { names, grid } = context;
  const { payload } = event;
  const has = (field: string) => payload[field] !== null && payload[field] !== undefined;
  const part = (field: string): Part[] => (has(field) ? valueParts(payload[field]!, names, grid) : ['something']);
  switch (event.event) {
    case 'Created':
      if (payload['to'] === 'stack') return describeStackItem(payload, context);
      return has('entity') && has('to') ? [...part('entity'), ' appears in ', ...part('to')] : [];
    case 'Moved':
      if (payload['to'] === 'stack') return describeMoveToStack(payload['entity'], context);
      if (!has('from')) return has('entity') ? [...part('entity'), ' enters ', ...part('to')] : [];
      return [
        ...(has('entity') ? part('entity') : ['A card']),
        ' goes',
        ...describeFrom(payload, context),
        ' to ',
        ...part('to'),
      ];
    case 'Removed':
      return has('entity') ? [...part('entity'), ' is removed'] : [];
    case 'Changed':
      if (!has('entity')) return [];
      return [...part('entity'), `: ${humanize(String(payload['prop']))} `, ...part('from'), ' → ', ...part('to')];
    case 'Rolled': {
      const by: Part[] = has('by') ? [...part('by'), ' rolls '] : ['Rolled '];
      const purpose = has('for') ? ` for ${humanize(String(payload['for'])).replace(/ roll$/, '')}` : '';
      const dice = String(payload['dice']).replace(/^1(?=d)/, 'a ');
      return [...by, dice, `${purpose}: `, ...part('total')];
    }
    case 'Shuffled':
      return [...part('zone'), ' is shuffled'];
    case 'PhaseStarted': {
      const owner = has('subject') ? part('subject') : has('player') ? part('player') : [];
      const phase = names.phase(String(payload['phase']));
      return owner.length > 0 ? [...owner, `’s ${phase.charAt(0).toLowerCase()}${phase.slice(1)}`] : [phase];
    }
    case 'PlayerLeft':
      return [...part('player'), ` ${leaveReason(String(payload['cause']))}`];
    case 'EventPrevented':
      return describePrevented(event, context);
    case 'Action':
    case 'Reaction':
      return describeRule(event, context);
    case 'MatchEnded': {
      const winners = payload['winners'];
      const result: Part[] =
        Array.isArray(winners) && winners.length > 0 ? [...valueParts(winners, names, grid), ' won'] : ['No winner'];
      const score = payload['score'] ? [', score: ', ...valueParts(payload['score'], names, grid)] : [];
      return ['The match is over. ', ...result, ...score];
    }
    default:
      return undefined;
  }
}

/** Says where something comes from, unless everybody saw it there and it stays with its player. */
function describeFrom({ from, to }: GameEvent['payload'], { names, grid }: Context): Part[] {
  const [owner, zone] = String(from).split('.');
  const isOpen = names.display.zones.some(({ name, visible }) => name === (zone ?? owner) && visible === 'all');
  const stays = owner === String(to).split('.')[0] || zone === undefined;
  return isOpen && stays ? [] : [' from ', ...valueParts(from ?? null, names, grid)];
}

const LEAVE_REASONS: Record<string, string> = {
  disconnect: 'was disconnected for too long',
  concede: 'gave up',
  out_of_time: 'ran out of time',
  afk: 'was away for too long',
};
const leaveReason = (cause: string): string => LEAVE_REASONS[cause] ?? `left the match (${humanize(cause)})`;

/** Imperatives that titles of actions often start with. Other titles are quoted: `Ann uses Fire bolt on Bob`. */
export const VERBS: Readonly<Record<string, string>> = {
  activate: 'activates',
  attack: 'attacks',
  cast: 'casts',
  claim: 'claims',
  dash: 'dashes',
  disengage: 'disengages',
  dodge: 'dodges',
  draw: 'draws',
  equip: 'equips',
  hide: 'hides',
  lay: 'lays',
  move: 'moves',
  play: 'plays',
  shoot: 'shoots',
  strike: 'strikes',
  summon: 'summons',
  use: 'uses',
  walk: 'walks',
};

/** Describes an item that was put on the stack: `Ann casts Bolt on Bob`, `Restless Bones attacks Ann`. */
function describeStackItem(payload: GameEvent['payload'], context: Context): Part[] {
  const { names, grid } = context;
  const item = String(payload['entity']);
  const title = names.stackItemTitle(item);
  const { host, ...rest } = (payload['with'] ?? {}) as Record<string, Value>;
  const targets = Object.values(rest).filter((value) => typeof value === 'string' && names.isObject(value));
  const targetParts = joined(targets.map((value) => valueParts(value, names, grid)));
  const source = sourcePart(host, names);
  const namesSource = source !== undefined && title.toLowerCase().includes(source.text.toLowerCase());

  if (typeof payload['owner'] !== 'string' || names.stackItem(item)?.isReaction) {
    const targetSuffix: Part[] = targetParts.length > 0 ? [' (target: ', ...targetParts, ')'] : [];
    return [...describeTrigger(item, names), ...targetSuffix];
  }
  const player = valueParts(payload['owner'], names, grid);
  // An entity in play acts itself; a card that is being played is what its owner acts on.
  const isActor = source && !namesSource && names.stackItem(item)?.isHostActing;
  const subject = isActor ? [source] : player;
  const operand: Part[] = source && !isActor && !namesSource ? [source] : [];
  const [first = '', ...others] = title.split(' ');
  const verb = VERBS[first.toLowerCase()];
  if (verb === undefined) {
    const quoted: Part[] = [{ object: item, text: title }, ...(operand.length > 0 ? [' (', ...operand, ')'] : [])];
    return [...subject, ' uses ', ...quoted, ...preposition(' on ', targetParts)];
  }
  const object: Part[] = others.length > 0 ? [' ', { object: item, text: others.join(' ') }] : [];
  const isDirect = object.length + operand.length === 0;
  return [
    ...subject,
    ` ${verb}`,
    ...object,
    ...preposition(' ', operand),
    ...preposition(isDirect ? ' ' : ' on ', targetParts),
  ];
}

const preposition = (word: string, parts: Part[]): Part[] => (parts.length > 0 ? [word, ...parts] : []);

function describeMoveToStack(entity: Value | undefined, { names, grid }: Context): Part[] {
  if (typeof entity === 'string' && names.stackItem(entity)?.isReaction) return describeTrigger(entity, names);
  return [...(entity == null ? ['Something'] : valueParts(entity, names, grid)), ' goes on the stack'];
}

/** Describes a reaction on the stack: `Wandering Cleric heals 3`, `Night Bat: Drain`. */
function describeTrigger(item: Name, names: DisplayNames): Part[] {
  const title = names.stackItemTitle(item);
  return [...sourcePrefix(title, names.stackItem(item)?.host, names), { object: item, text: title }];
}

/** Returns whose rule it is, if its title does not say so. */
function sourcePrefix(title: string, host: Value | undefined, names: DisplayNames): Part[] {
  const source = sourcePart(host, names);
  return source && !title.toLowerCase().includes(source.text.toLowerCase()) ? [source, ': '] : [];
}

/** Returns the entity that a rule belongs to, if it is visible. */
function sourcePart(host: Value | undefined, names: DisplayNames): { object: ObjectId; text: string } | undefined {
  if (typeof host !== 'string' || !names.isObject(host)) return undefined;
  const text = names.of(host);
  return text === 'something' ? undefined : { object: host, text };
}

/** Describes an action or a reaction that takes effect, on the stack or immediately. */
function describeRule(event: GameEvent, { names, grid }: Context): Part[] {
  const { payload } = event;
  const title = names.rule(String(payload[event.event === 'Action' ? 'action' : 'reaction']));
  const source = sourcePart(payload['host'], names);
  const suffix: Part[] = source && !title.toLowerCase().includes(source.text.toLowerCase()) ? [' (', source, ')'] : [];
  const item = payload['item'];
  const rule: Part = typeof item === 'string' ? { object: item, text: title } : title;
  const quoted: Part[] = [rule, ...suffix];
  if (event.status === 'failed') return [...quoted, ' failed because of an error in the rules; the match continues'];
  if (typeof item === 'string')
    return event.event === 'Action' && names.stackItem(item)
      ? [{ object: item, text: names.of(item) }, ' resolves']
      : [...sourcePrefix(title, payload['host'], names), rule];
  // Something in play that does what a verb says is the subject.
  const verb = VERBS[title.toLowerCase()];
  if (source && verb !== undefined && names.isInActiveZone(source.object)) return [source, ` ${verb}`];
  const actor = payload['actor'] ?? payload['host'];
  if (event.event === 'Action' && source && names.isInActiveZone(source.object)) return [source, ' uses ', rule];
  return [...(actor == null ? [] : [...valueParts(actor, names, grid), ': ']), ...quoted];
}

const STACK_EVENTS: Record<string, string> = { Action: 'action', Announced: 'action', Reaction: 'reaction' };

/** Describes a prevented event: `Refusal counters Bolt`, `Fighter prevents a movement step`. */
function describePrevented(event: GameEvent, { names, grid, events }: Context): Part[] {
  const { type, by } = event.payload;
  const byParts = by == null ? [] : valueParts(by, names, grid);
  // The event itself does not name the item; whatever countered it also removes it from the stack.
  const removed = events.find((other) => other.event === 'Removed' && other.n > event.n && other.cause === event.cause)
    ?.payload['entity'];
  const isItem = String(type) in STACK_EVENTS && typeof removed === 'string' && names.stackItem(removed) !== undefined;
  if (isItem && event.cause !== null) {
    const item: Part = { object: removed, text: names.of(removed) };
    return byParts.length > 0 ? [...byParts, ' counters ', item] : [item, ' is countered'];
  }
  // What nobody stopped has lost what it was for, such as its target.
  if (byParts.length === 0 && String(type) in STACK_EVENTS) {
    const left = events.find(
      ({ event: name, n, payload: { entity } }) =>
        name === 'Removed' && n > event.n && typeof entity === 'string' && names.stackItem(entity) !== undefined,
    )?.payload['entity'];
    return typeof left === 'string'
      ? [{ object: left, text: names.of(left) }, ' has no effect']
      : [sentenceCase(withArticle(STACK_EVENTS[String(type)]!)), ' has no effect'];
  }
  // The one who was about to do it is stopped: `Barbarian stops Fighter`.
  const prevented = events.find(({ n }) => n === event.payload['event']);
  const [subject] = Object.values(prevented?.payload ?? {}).filter(
    (value): value is string => typeof value === 'string' && names.isObject(value),
  );
  if (subject !== undefined && byParts.length > 0 && subject !== by)
    return [...byParts, ' stops ', ...valueParts(subject, names, grid)];
  // Events are often named after what has happened, which no sentence can prevent.
  const isPast = /ed$/.test(String(type));
  // The names of other events are for authors.
  if (!isPast && STACK_EVENTS[String(type)] === undefined) return [];
  const name = isPast ? 'that' : withArticle(STACK_EVENTS[String(type)]!);
  return byParts.length > 0 ? [...byParts, ` prevents ${name}`] : [sentenceCase(name), ' is prevented'];
}

/** Describes an event without a text of its own: its name and its fields. */
function describeFields(event: GameEvent, names: DisplayNames, grid: Grid | undefined): Part[] {
  const fields = Object.entries(event.payload).filter(([, value]) => value !== null);
  return [
    sentenceCase(event.event),
    ...fields.flatMap(([name, value]): Part[] => [` ${humanize(name)} `, ...valueParts(value, names, grid)]),
  ];
}

/** Formats a number with a real minus sign. */
export const numberText = (value: number): string => String(value).replace('-', '−');

/** Formats a value as part of a sentence. */
export function valueParts(value: Value, names: DisplayNames, grid: Grid | undefined): Part[] {
  if (value === null) return ['nothing'];
  if (value === true) return ['yes'];
  if (value === false) return ['no'];
  if (typeof value === 'number') return [numberText(value)];
  if (typeof value === 'string')
    return names.isObject(value) ? [{ object: value, text: names.of(value) }] : [symbolText(value, names)];
  if (Array.isArray(value))
    return value.length === 0 ? ['none'] : joined(value.map((inner) => valueParts(inner, names, grid)));
  if (isSquare(grid, value)) {
    const at = squareOf(grid, value)!;
    return [{ object: at, text: squareName(at)! }];
  }
  return joined(
    Object.entries(value).map(([key, inner]) => [
      ...valueParts(key, names, grid),
      ...(typeof inner === 'string' && !names.isObject(inner)
        ? [': ', sentenceCase(symbolText(inner, names))]
        : inner === null
          ? [': nothing']
          : [' ', ...valueParts(inner, names, grid)]),
    ]),
  );
}

/** Irregular verbs. */
const PLURALS: Record<string, string> = { has: 'have', is: 'are', was: 'were', does: 'do', goes: 'go' };

/** Returns a verb for `you`: `loses` becomes `lose`. Other words stay as they are. */
export function secondPerson(verb: string): string {
  if (PLURALS[verb] !== undefined) return PLURALS[verb];
  if (/[^aeiou]ies$/.test(verb)) return verb.replace(/ies$/, 'y');
  if (/(ss|sh|ch|x|zz)es$/.test(verb)) return verb.slice(0, -2);
  return /[^su]s$/.test(verb) ? verb.slice(0, -1) : verb;
}

/** Addresses the viewer: `ann draws` becomes `you draw`, `ann’s hand` becomes `your hand`. */
function addressViewer(parts: Part[], names: DisplayNames): Part[] {
  const found = [...parts];
  found.forEach((part, at) => {
    if (typeof part === 'string' || !names.isYou(part.object)) return;
    const next = found[at + 1];
    const possessive = typeof next === 'string' ? /^['’]s\b/.exec(next) : null;
    if (possessive) found[at + 1] = (next as string).slice(possessive[0].length);
    const word = possessive ? 'your' : 'you';
    const before = found[at - 1];
    const isStart = typeof before === 'string' && /[.!?] $/.test(before);
    found[at] = { ...part, text: isStart ? word.replace('y', 'Y') : word };
    // Only the subject of the sentence agrees with its verb.
    if (at === 0 && !possessive && typeof next === 'string')
      found[1] = next.replace(/^ (\w+)/, (_, verb: string) => ` ${secondPerson(verb)}`);
  });
  return found;
}

/** Names a symbol: as the def or the rule of that name, if there is one. */
export function symbolText(symbol: string, names: DisplayNames): string {
  const rule = VERBS[symbol] === undefined ? names.display.rules[symbol] : undefined;
  return names.display.defs[symbol]?.title || rule || humanize(symbol);
}

function joined(parts: Part[][]): Part[] {
  return parts.flatMap((inner, index) => (index === 0 ? inner : [', ', ...inner]));
}

function capitalize([first, ...rest]: Part[]): Part[] {
  const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  if (typeof first === 'string') return [upper(first), ...rest];
  // Player names are never changed: some are written in lower case.
  const isPlayer = /^p\d+$/.test(first!.object) && !/^your?$/.test(first!.text);
  return [isPlayer ? first! : { ...first!, text: upper(first!.text) }, ...rest];
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
    purpose: String(event.payload['for'] ?? dice ?? ''),
  };
}

function revealsOf(event: GameEvent): LogLine['reveals'] {
  for (const value of Object.values(event.payload)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const entries = Object.entries(value);
    const isReveal =
      entries.length > 0 &&
      entries.every(([key, inner]) => /^p\d+$/.test(key) && (inner === null || typeof inner === 'string'));
    if (isReveal) return entries.map(([player, inner]) => ({ player, value: inner as string | null }));
  }
  return [];
}

function noticeText(notice: Step['notices'][number], names: DisplayNames): string {
  if (notice.notice === 'ahead_forgotten') return 'Answers sent in advance are no longer legal and were discarded';
  const isYou = names.isYou(`p${notice.by}`);
  const player = isYou ? 'You' : names.of(`p${notice.by}`);
  if (notice.notice === 'taken_back') return `${player} undid ${isYou ? 'your' : 'their'} last move`;
  if (notice.notice === 'would_take_back') return `${player} ${isYou ? 'ask' : 'asks'} to undo`;
  return `${isYou ? 'Your' : `${player}’s`} undo was declined`;
}

function noticeLine(version: number, text: string): LogLine {
  return {
    n: -version,
    event: '',
    parts: [text],
    depth: 0,
    isMinor: false,
    isHeading: false,
    animation: undefined,
    objects: [],
    reveals: [],
  };
}
