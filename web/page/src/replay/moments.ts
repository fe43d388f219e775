/** Moments of a replay, which are numbers of events: navigation, links and fork points. */
import type { ReplayEvent, ReplayInput, Viewer } from './api.ts';

/** Limits a number to valid moments. */
export function clampMoment(at: number, eventCount: number): number {
  if (!Number.isFinite(at)) return 0;
  return Math.min(Math.max(Math.trunc(at), 0), eventCount);
}

/** Returns the input that a moment belongs to; 0 before the first event. */
export function inputAt(at: number, events: readonly ReplayEvent[]): number {
  return events[at - 1]?.input ?? 0;
}

/** Returns the last event of each input that has any: there the match waited for the next input. */
export function inputEnds(inputs: readonly ReplayInput[]): number[] {
  return inputs.flatMap((input) => (input.lastEvent === null ? [] : [input.lastEvent]));
}

/** Returns the next input end, or the last moment if there is none. */
export function nextInputEnd(at: number, inputs: readonly ReplayInput[], eventCount: number): number {
  return inputEnds(inputs).find((end) => end > at) ?? eventCount;
}

/** Returns the previous input end, or 0 if there is none. */
export function previousInputEnd(at: number, inputs: readonly ReplayInput[]): number {
  return inputEnds(inputs).findLast((end) => end < at) ?? 0;
}

/** Parses the query of a replay link. */
export function parseReplayLink(query: URLSearchParams): { at: number | undefined; as: Viewer | undefined } {
  const at = query.get('at');
  const as = query.get('as');
  return {
    at: at !== null && /^\d+$/.test(at) ? Number(at) : undefined,
    as: as !== null && /^(all|spectator|seat\d{1,2})$/.test(as) ? as : undefined,
  };
}

/** Returns the link to a moment. */
export function replayLink(match: string, at: number, as: Viewer): string {
  return `#/replay/${encodeURIComponent(match)}?at=${at}&as=${as}`;
}

/** The point where a fork continues. */
export interface ForkPoint {
  at: number;
  /** Side of the input on which the fork continues; before it means deciding it again. */
  side: 'after' | 'before';
  input: ReplayInput;
}

/**
 * Returns where a fork continues: after the input if all its events have happened, else before it. A match cannot
 * continue after its last input. Returns undefined if the match does not allow forks.
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

/** Formats the time since the start of the match. */
export function elapsedText(fromMs: number | null, atMs: number | null): string {
  if (fromMs === null || atMs === null) return '';
  const seconds = Math.max(0, Math.round((atMs - fromMs) / 1000));
  const rest = String(seconds % 60).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}
