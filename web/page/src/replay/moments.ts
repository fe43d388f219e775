/** Moments of a match: which there are, how to get from one to another, and what their links look like. */
import type { ReplayEvent, ReplayInput, Viewer } from './api.ts';

/** A number that is a moment. */
export function clamped(at: number, eventCount: number): number {
  if (!Number.isFinite(at)) return 0;
  return Math.min(Math.max(Math.trunc(at), 0), eventCount);
}

/** The input a moment belongs to. Before the first event that is the start. */
export function inputAt(at: number, events: readonly ReplayEvent[]): number {
  return events[at - 1]?.input ?? 0;
}

/** Moments at which the match waited: the last events of all inputs that brought any. */
export function waits(inputs: readonly ReplayInput[]): number[] {
  return inputs.flatMap((input) => (input.lastEvent === null ? [] : [input.lastEvent]));
}

/** The wait after a moment; the last moment if there is none. */
export function nextWait(at: number, inputs: readonly ReplayInput[], eventCount: number): number {
  return waits(inputs).find((wait) => wait > at) ?? eventCount;
}

/** The wait before a moment; the very beginning if there is none. */
export function previousWait(at: number, inputs: readonly ReplayInput[]): number {
  return waits(inputs).findLast((wait) => wait < at) ?? 0;
}

/** What a link to a moment says. A moment that is not there is the end: one comes to see how it went. */
export function readLink(query: URLSearchParams): { at: number | undefined; as: Viewer | undefined } {
  const at = query.get('at');
  const as = query.get('as');
  return {
    at: at !== null && /^\d+$/.test(at) ? Number(at) : undefined,
    as: as !== null && /^(all|spectator|seat\d{1,2})$/.test(as) ? as : undefined,
  };
}

/** The address of a moment within the page. */
export function linkTo(match: string, at: number, as: Viewer): string {
  return `#/replay/${encodeURIComponent(match)}?at=${at}&as=${as}`;
}

/** Where a match of one's own goes on. */
export interface ForkPoint {
  at: number;
  /** Whether it goes on after the input, or before it so that it is decided anew. */
  side: 'after' | 'before';
  input: ReplayInput;
}

/**
 * Where a fork from a moment goes on: after the input if all of it has happened, else before it. Nothing goes on after
 * the last input, and forks are not to be had everywhere.
 */
export function forkPoint(
  at: number,
  inputs: readonly ReplayInput[],
  events: readonly ReplayEvent[],
): ForkPoint | undefined {
  const input = inputs[inputAt(at, events)];
  if (!input || input.forkAt === null) return undefined;
  const isLast = input.number === inputs.length - 1;
  const isDone = input.lastEvent === null || at >= input.lastEvent;
  if (input.number === 0) return isLast ? undefined : { at: input.forkAt, side: 'after', input };
  if (isDone && !isLast) return { at: input.forkAt, side: 'after', input };
  return { at: input.forkAt - 1, side: 'before', input };
}

/** Minutes and seconds from the start. */
export function elapsed(fromMs: number | null, atMs: number | null): string {
  if (fromMs === null || atMs === null) return '';
  const seconds = Math.max(0, Math.round((atMs - fromMs) / 1000));
  const rest = String(seconds % 60).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}
