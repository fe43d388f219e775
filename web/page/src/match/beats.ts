/** Beats: the moments in which the table shows what happened, one after the other. */
import type { GameEvent, Name, View } from '@intermezzo/sdk';

import { numberText, type LogLine } from './event-text.ts';
import { viewsBetween } from './event-views.ts';
import { squareOf, type Grid } from './grid.ts';
import { uiHint, type RulesetDisplay } from './ruleset-display.ts';
import { ViewIndex, type ObjectId } from './view-index.ts';

export type BeatKind = 'reveal' | 'announce' | 'effect' | 'walk' | 'move' | 'line' | 'quiet';

/** A number that rises or falls, shown at its object. */
export interface NumberChange {
  object: ObjectId;
  from: number;
  to: number;
  /** True for damage: shown as a loss even if the number itself grows. */
  isLoss: boolean;
}

export interface Beat {
  kind: BeatKind;
  events: GameEvent[];
  lines: LogLine[];
  /** The view after the beat. */
  view: View;
  numbers: NumberChange[];
  /** The way of a figure on the grid, from its first square. */
  way: { object: ObjectId; squares: ObjectId[] } | undefined;
}

/** Splits the events between two views into beats, each with at most one line that is told. */
export function beatsOf(
  before: View,
  events: readonly GameEvent[],
  after: View,
  lines: readonly LogLine[],
  display: RulesetDisplay,
  grid: Grid | undefined,
): Beat[] {
  const views = viewsBetween(before, events, after, display, grid);
  const byEvent = new Map(events.map((event) => [event.n, lines.filter((line) => line.n === event.n)]));
  const groups: { events: GameEvent[]; lines: LogLine[]; view: View }[] = [];
  let current: (typeof groups)[number] | undefined;
  events.forEach((event, at) => {
    const own = byEvent.get(event.n)!;
    // A move is part of the line that says why.
    const before = current?.events.at(-1);
    const isPart =
      event.event === 'Moved' &&
      (current?.events.some((one) => one.n === event.cause) ||
        (before !== undefined && before.n === event.n - 1 && before.cause !== null && before.cause === event.cause));
    const isToldLine = own.some(isTold) && !isPart;
    const isNext =
      current !== undefined &&
      current.lines.some(isTold) &&
      (isToldLine || !(TRAILING.has(event.event) || current.events.some((one) => one.n === event.cause)));
    if (!current || isNext) groups.push((current = { events: [], lines: [], view: views[at]! }));
    current.events.push(event);
    current.lines.push(...own);
    current.view = views[at]!;
  });
  const last = groups.at(-1);
  // What remains after the last line belongs to it, unless something is seen to move.
  if (last && groups.length > 1 && !last.lines.some(isTold) && !last.events.some((one) => isSeenMove(one, display))) {
    groups.pop();
    const previous = groups.at(-1)!;
    previous.events.push(...last.events);
    previous.lines.push(...last.lines);
    previous.view = last.view;
  }
  // Notices have no event.
  const notices = lines.filter((line) => !byEvent.has(line.n));
  if (notices.length > 0) {
    if (groups.length === 0) groups.push({ events: [], lines: notices, view: after });
    else groups.at(-1)!.lines.push(...notices);
  }
  let seen = before;
  const beats = groups.map((group) => {
    const beat = beatOf(seen, group, display, grid);
    seen = group.view;
    return beat;
  });
  return joinLikes(beats);
}

/** Events that end something and are shown together with the line before them. */
const TRAILING = new Set(['Changed', 'Removed', 'Settled', 'PhaseEnded', 'Shuffled']);

/** Returns whether a line is told: worth a moment of its own. */
export const isTold = (line: LogLine): boolean =>
  !line.isHeading &&
  line.fold?.isDetail !== true &&
  (line.fold?.adds !== undefined || (!line.isMinor && line.parts.length > 0));

function isSeenMove({ event, payload }: GameEvent, display: RulesetDisplay): boolean {
  const isHidden = (zone: unknown) =>
    typeof zone !== 'string' || uiHint(display, 'zones', zone.split('.').at(-1)!, 'hide') === true;
  return event === 'Moved' && !(isHidden(payload['from']) && isHidden(payload['to']));
}

function beatOf(
  before: View,
  { events, lines, view }: { events: GameEvent[]; lines: LogLine[]; view: View },
  display: RulesetDisplay,
  grid: Grid | undefined,
): Beat {
  const way = wayOf(before, events, view, grid);
  const numbers = numbersOf(before, events, view, display, grid);
  const isAnnounced = events.some(
    ({ event, payload }) => (event === 'Created' || event === 'Moved') && payload['to'] === 'stack',
  );
  const kind: BeatKind = lines.some((line) => line.reveals.length > 0)
    ? 'reveal'
    : numbers.length > 0
      ? 'effect'
      : isAnnounced
        ? 'announce'
        : way
          ? 'walk'
          : lines.some(isTold)
            ? 'line'
            : events.some((event) => isSeenMove(event, display))
              ? 'move'
              : 'quiet';
  return { kind, events, lines: withNumbers(lines, numbers, display), view, numbers, way };
}

/** Adds the number before and after to the line that is about it: `You lose 2 to Ann (10 → 8)`. */
function withNumbers(lines: LogLine[], numbers: NumberChange[], display: RulesetDisplay): LogLine[] {
  const [only, ...more] = numbers;
  const told = lines.findLast(isTold);
  // Damage on a card counts up, which says little.
  const isTotal = only !== undefined && (only.isLoss ? only.to < only.from : true);
  if (!only || more.length > 0 || !isTotal || !told || told.fold || display.events[told.event]?.text == null)
    return lines;
  return lines.map((line) =>
    line === told ? { ...line, parts: [...line.parts, ` (${numberText(only.from)} → ${numberText(only.to)})`] } : line,
  );
}

/** Returns the squares that a figure walks over. */
function wayOf(before: View, events: readonly GameEvent[], after: View, grid: Grid | undefined): Beat['way'] {
  if (!grid) return undefined;
  const [old, now] = [new ViewIndex(before), new ViewIndex(after)];
  for (const { payload } of events)
    for (const value of Object.values(payload)) {
      const [one, other] = typeof value === 'string' ? [old.entity(value), now.entity(value)] : [];
      const [from, to] = [squareOf(grid, one?.props), squareOf(grid, other?.props)];
      if (one && from !== undefined && to !== undefined && from !== to) return { object: one.id, squares: [from, to] };
    }
  return undefined;
}

/** Joins the steps of one walk, and cards that move together from one zone to another. */
function joinLikes(beats: Beat[]): Beat[] {
  const joined: Beat[] = [];
  for (const beat of beats) {
    const last = joined.at(-1);
    const isWalk = last?.way !== undefined && last.kind === 'walk' && last.way.object === beat.way?.object;
    if (
      last &&
      ((isWalk && beat.kind === 'walk') || (routeOf(last) !== undefined && routeOf(last) === routeOf(beat)))
    ) {
      const squares = [...(last.way?.squares ?? []), ...(beat.way?.squares.slice(1) ?? [])];
      joined[joined.length - 1] = {
        ...beat,
        events: [...last.events, ...beat.events],
        lines: [...last.lines, ...beat.lines],
        way: beat.way && { object: beat.way.object, squares },
      };
    } else joined.push(beat);
  }
  return joined;
}

/** Returns where everything in a beat moves from and to, if nothing else happens in it. */
function routeOf({ events, numbers }: Beat): string | undefined {
  const routes = new Set(
    events
      .filter(({ event }) => !TRAILING.has(event))
      .map(({ event, payload: { from, to } }) => (event === 'Moved' ? `${String(from)} ${String(to)}` : '')),
  );
  const [only = '', ...more] = routes;
  return only === '' || more.length > 0 || numbers.length > 0 ? undefined : only;
}

const HITS = new Set(['shake', 'number', 'hit', 'thud', 'heal', 'chime']);

/** Returns the numbers that are shown at their objects: damage, and what events with such a hint change. */
function numbersOf(
  before: View,
  events: readonly GameEvent[],
  after: View,
  display: RulesetDisplay,
  grid: Grid | undefined,
): NumberChange[] {
  const hint = (...path: string[]) => uiHint(display, ...path);
  const damage = hint('card', 'damage');
  const lead = hint('score', 'lead');
  const isHit = events.some(({ event }) =>
    ['animation', 'sound'].some((key) => HITS.has(String(hint('events', event, key)))),
  );
  const [old, now] = [new ViewIndex(before), new ViewIndex(after)];
  const named = new Set(events.flatMap(({ payload }) => Object.values(payload).flat()).filter(isName));
  return [...named].flatMap((object): NumberChange[] => {
    const was = old.entity(object)?.props ?? old.player(object)?.props;
    const is = now.entity(object)?.props ?? now.player(object)?.props;
    if (!was || !is) return [];
    const isPlayer = now.player(object) !== undefined;
    return Object.entries(is).flatMap(([prop, to]): NumberChange[] => {
      const from = was[prop];
      if (typeof from !== 'number' || typeof to !== 'number' || from === to) return [];
      const isDamage = !isPlayer && prop === damage;
      // Turns and places are numbers, too; only those that the table shows as such count.
      const counts = isDamage ? to > from : prop === lead || (!isPlayer && prop === grid?.hp) || (isPlayer && isHit);
      return counts ? [{ object, from, to, isLoss: isDamage || to < from }] : [];
    });
  });
}

const isName = (value: unknown): value is Name => typeof value === 'string' && /^(#|p)\d+$/.test(value);

/** Keeps only the last beat about each thing; the others are shown together with the next one. */
export function condense(beats: readonly Beat[]): Beat[] {
  const thing = ({ kind, events }: Beat) => {
    const names = events.flatMap(({ payload }) => Object.values(payload).filter(isName));
    return `${kind} ${names[0] ?? ''}`;
  };
  const lastOf = new Map(beats.map((beat, at) => [thing(beat), at]));
  const kept: Beat[] = [];
  let skipped: Beat[] = [];
  beats.forEach((beat, at) => {
    if (lastOf.get(thing(beat)) !== at) return void skipped.push(beat);
    const all = [...skipped, beat];
    kept.push({ ...beat, events: all.flatMap((one) => one.events), lines: all.flatMap((one) => one.lines) });
    skipped = [];
  });
  return kept;
}
