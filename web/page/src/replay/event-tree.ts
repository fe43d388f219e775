/**
 * Events as a tree of causes. Rows stay in chronological order, so that playback moves down the list; consequences are
 * indented below their cause and can be collapsed.
 */
import type { ReplayBranch, ReplayEvent, ReplayInput } from './api.ts';

export interface Row {
  event: ReplayEvent;
  depth: number;
  /** Number of direct and indirect consequences. */
  descendants: number;
  isCollapsed: boolean;
  /** A reaction that happens before its cause, which is listed below it. */
  isBefore: boolean;
}

/** An input with its events. */
export interface InputGroup {
  input: ReplayInput;
  rows: Row[];
  /** Number of events, including collapsed ones. */
  eventCount: number;
  /** Inputs that were undone after this one. */
  branches: ReplayBranch[];
}

/** Internal events without information for players. */
const MINOR = new Set(['MatchStarted', 'PhaseEnded', 'Settled', 'Announced']);

/** Returns whether an event is minor; `silent` are the events that the ruleset hides from players. */
export function isMinor({ event, status }: ReplayEvent, silent: ReadonlySet<string> = MINOR): boolean {
  return status === 'applied' && (MINOR.has(event) || silent.has(event));
}

const everything = (): boolean => true;

/** Returns the number of direct and indirect consequences of each event. */
export function descendantCounts(events: readonly ReplayEvent[]): Map<number, number> {
  const byNumber = new Map(events.map((event) => [event.n, event]));
  const counts = new Map<number, number>();
  for (const event of events) {
    for (const cause of causesOf(event, byNumber)) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return counts;
}

/** Returns all ancestors of an event, nearest first. */
export function causesOf(event: ReplayEvent, byNumber: ReadonlyMap<number, ReplayEvent>): number[] {
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

/** Groups the events of a match by input. The consequences of `collapsed` events are left out. */
export function inputGroups(
  inputs: readonly ReplayInput[],
  events: readonly ReplayEvent[],
  branches: readonly ReplayBranch[],
  collapsed: ReadonlySet<number>,
  isShown: (event: ReplayEvent) => boolean = everything,
): InputGroup[] {
  const byNumber = new Map(events.map((event) => [event.n, event]));
  const counts = descendantCounts(events);
  const byInput = groupByInput(events);
  return inputs.map((input) => {
    const all = byInput.get(input.number) ?? [];
    const visible = all.filter(isShown);
    const expanded = visible.filter((event) => !causesOf(event, byNumber).some((cause) => collapsed.has(cause)));
    const rows = expanded.map((event) => ({
      event,
      depth: event.depth,
      descendants: counts.get(event.n) ?? 0,
      isCollapsed: collapsed.has(event.n),
      isBefore: event.cause !== null && event.cause > event.n,
    }));
    const undone = branches.filter(
      (branch) => branch.parent === null && branch.from === (input.forkAt ?? input.number),
    );
    return { input, rows, eventCount: all.length, branches: undone };
  });
}

function groupByInput(events: readonly ReplayEvent[]): Map<number, ReplayEvent[]> {
  const found = new Map<number, ReplayEvent[]>();
  for (const event of events) {
    const own = found.get(event.input);
    if (own) own.push(event);
    else found.set(event.input, [event]);
  }
  return found;
}

/** Returns all events that have consequences. */
export function collapsibleEvents(events: readonly ReplayEvent[]): Set<number> {
  return new Set(descendantCounts(events).keys());
}

/** Returns the row that represents an event: itself, its collapsed ancestor, or the last shown event before it. */
export function visibleRow(
  n: number,
  events: readonly ReplayEvent[],
  collapsed: ReadonlySet<number>,
  isShown: (event: ReplayEvent) => boolean = everything,
): number {
  const byNumber = new Map(events.map((event) => [event.n, event]));
  let event = byNumber.get(n);
  while (event && !isShown(event)) event = byNumber.get(event.n - 1);
  if (!event) return n;
  const outermost = causesOf(event, byNumber).findLast((cause) => collapsed.has(cause));
  return outermost ?? event.n;
}

/** Returns the next shown event after a moment, or the last event if there is none. */
export function nextShownEvent(
  at: number,
  events: readonly ReplayEvent[],
  isShown: (event: ReplayEvent) => boolean,
): number {
  return events.slice(at).find(isShown)?.n ?? events.length;
}
