/** The pace of the table: how long each beat is shown. */
import { isTold, type Beat, type BeatKind } from './beats.ts';

/** `none` shows everything at once and is meant for tests. */
export type Speed = 'calm' | 'quick' | 'at once' | 'none';

export const SPEEDS: readonly Speed[] = ['calm', 'quick', 'at once'];
const STORAGE_KEY = 'intermezzo.speed';

export function storedSpeed(): Speed {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === 'none' || SPEEDS.includes(stored as Speed) ? (stored as Speed) : 'calm';
}

export const storeSpeed = (speed: Speed): void => localStorage.setItem(STORAGE_KEY, speed);

const KIND_MS: Record<BeatKind, number> = {
  reveal: 660,
  announce: 600,
  effect: 600,
  walk: 240,
  move: 350,
  line: 450,
  quiet: 0,
};
const SQUARE_MS = 60;
const MIN_MS = 350;
const MAX_MS = 900;
/** Time of a line that is told without motion. */
const STILL_MS = 400;
/** More waiting beats than this are shown in half the time. */
const MANY = 6;
/** Of more waiting beats than this, only the last about each thing is shown. */
export const TOO_MANY = 20;
/** Longest time in which a queue is shown, however much arrives. */
export const MAX_QUEUE_MS = 6000;

/** What is shown for less than this is not seen: it is shown together with the next beat. */
const SHORTEST_MS = 120;

/** Returns the time of a beat that has the table for itself. */
export function calmMs(beat: Beat, isStill: boolean): number {
  if (isStill) return beat.lines.some(isTold) ? STILL_MS : 0;
  if (beat.kind === 'quiet') return 0;
  const squares = beat.way ? beat.way.squares.length - 1 : 0;
  return Math.min(MAX_MS, Math.max(MIN_MS, KIND_MS[beat.kind] + squares * SQUARE_MS));
}

export interface PaceOptions {
  speed: Speed;
  /** No motion: lines are told, but nothing flies. */
  isStill: boolean;
  /** Time since the queue began to be shown. */
  elapsedMs: number;
}

/** Returns how long the first of the waiting beats is shown. */
export function beatMs(
  [first, ...rest]: readonly [Beat, ...Beat[]],
  { speed, isStill, elapsedMs }: PaceOptions,
): number {
  if (speed === 'none') return 0;
  const isStillNow = isStill || speed === 'at once';
  const factor = (speed === 'quick' ? 0.5 : 1) * (rest.length + 1 > MANY ? 0.5 : 1);
  const own = calmMs(first, isStillNow) * factor;
  const all = own + rest.reduce((sum, beat) => sum + calmMs(beat, isStillNow) * factor, 0);
  const left = Math.max(0, MAX_QUEUE_MS - elapsedMs);
  const ms = all <= left ? own : (own * left) / all;
  return ms < SHORTEST_MS ? 0 : ms;
}
