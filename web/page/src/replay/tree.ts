/**
 * Events as a tree of causes. The rows stay in the order in which things happened, so that scrubbing goes down the list;
 * what an event caused is indented below it and can be folded away.
 */
import type { ReplayBranch, ReplayEvent, ReplayInput } from './api.ts';

export interface Row {
  event: ReplayEvent;
  depth: number;
  /** How many events follow from it, at any depth. */
  follows: number;
  isFolded: boolean;
  /** It reacts before the event that caused it, which stands below. */
  isBefore: boolean;
}

/** An input with everything that came of it. */
export interface Chapter {
  input: ReplayInput;
  rows: Row[];
  /** All its events, folded ones too. */
  eventCount: number;
  /** What was taken back after this input. */
  branches: ReplayBranch[];
}

/** What only tells the rules something: those who look on are spared it. */
const SMALL = new Set(['MatchStarted', 'PhaseEnded', 'Settled', 'Announced']);

/** Whether an event is small; `silent` are those people are not told of in this game. */
export function isSmall({ event, status }: ReplayEvent, silent: ReadonlySet<string> = SMALL): boolean {
  return status === 'applied' && (SMALL.has(event) || silent.has(event));
}

const everything = (): boolean => true;

/** Events by number, with how many follow from each. */
export function followers(events: readonly ReplayEvent[]): Map<number, number> {
  const byNumber = new Map(events.map((event) => [event.n, event]));
  const counts = new Map<number, number>();
  for (const event of events) {
    for (const above of causes(event, byNumber)) counts.set(above, (counts.get(above) ?? 0) + 1);
  }
  return counts;
}

/** The numbers of all events that lie above one, the nearest first. */
export function causes(event: ReplayEvent, byNumber: ReadonlyMap<number, ReplayEvent>): number[] {
  const found: number[] = [];
  const seen = new Set<number>([event.n]);
  let cause = event.cause;
  while (cause !== null && !seen.has(cause)) {
    found.push(cause);
    seen.add(cause);
    cause = byNumber.get(cause)?.cause ?? null;
  }
  return found;
}

/** The whole match as chapters. `folded` has the numbers of events whose consequences are not shown. */
export function chapters(
  inputs: readonly ReplayInput[],
  events: readonly ReplayEvent[],
  branches: readonly ReplayBranch[],
  folded: ReadonlySet<number>,
  isShown: (event: ReplayEvent) => boolean = everything,
): Chapter[] {
  const byNumber = new Map(events.map((event) => [event.n, event]));
  const counts = followers(events);
  const byInput = grouped(events);
  return inputs.map((input) => {
    const own = byInput.get(input.number) ?? [];
    const told = own.filter(isShown);
    const shown = told.filter((event) => !causes(event, byNumber).some((above) => folded.has(above)));
    const rows = shown.map((event) => ({
      event,
      depth: event.depth,
      follows: counts.get(event.n) ?? 0,
      isFolded: folded.has(event.n),
      isBefore: event.cause !== null && event.cause > event.n,
    }));
    const takenBack = branches.filter(
      (branch) => branch.parent === null && branch.from === (input.forkAt ?? input.number),
    );
    return { input, rows, eventCount: own.length, branches: takenBack };
  });
}

function grouped(events: readonly ReplayEvent[]): Map<number, ReplayEvent[]> {
  const found = new Map<number, ReplayEvent[]>();
  for (const event of events) {
    const own = found.get(event.input);
    if (own) own.push(event);
    else found.set(event.input, [event]);
  }
  return found;
}

/** All events that something follows from: folding them leaves one line for each cause. */
export function foldable(events: readonly ReplayEvent[]): Set<number> {
  return new Set(followers(events).keys());
}

/** The row to point at when an event itself is not shown: what it is folded into, or what came before it. */
export function shownRow(
  n: number,
  events: readonly ReplayEvent[],
  folded: ReadonlySet<number>,
  isShown: (event: ReplayEvent) => boolean = everything,
): number {
  const byNumber = new Map(events.map((event) => [event.n, event]));
  let event = byNumber.get(n);
  while (event && !isShown(event)) event = byNumber.get(event.n - 1);
  if (!event) return n;
  const above = causes(event, byNumber);
  const outermost = above.findLast((cause) => folded.has(cause));
  return outermost ?? event.n;
}

/** The next event worth showing after a moment; the last one if there is none. */
export function nextShown(
  at: number,
  events: readonly ReplayEvent[],
  isShown: (event: ReplayEvent) => boolean,
): number {
  return events.slice(at).find(isShown)?.n ?? events.length;
}
