/** The turning point of a match that was not watched from its beginning, found in its replay. */
import type { RulesetDisplay } from '../match/ruleset-display.ts';
import { LeadTracker, type Outcome, type TurningPoint } from '../match/lead.ts';
import { upperFirst } from '../lib/text.ts';
import { loadMoment, loadReplay, type ReplayEvent } from './api.ts';
import { inputEnds } from './moments.ts';
import { withPlayerNames } from './player-names.ts';

/** As many moments are compared first; then only those around the largest change. */
const MAX_SAMPLES = 24;

interface TurningPointOptions {
  display: RulesetDisplay;
  outcome: Outcome;
}

/** Returns the moment that changed the lead of a seat most; undefined if nothing did before the end. */
export async function turningPointOf(
  match: string,
  seat: number,
  names: readonly string[],
  { display, outcome }: TurningPointOptions,
): Promise<TurningPoint | undefined> {
  const as = `seat${seat}`;
  const { inputs, events } = await loadReplay(match, as);
  // The last answer ends the match and is no turning point.
  let ends = inputEnds(inputs).slice(0, -1);
  for (;;) {
    const step = Math.max(1, Math.ceil(ends.length / MAX_SAMPLES));
    const wanted = ends.filter((_, place) => place % step === 0 || place === ends.length - 1);
    const found = await largestChange(match, as, wanted, events, names, { display, outcome });
    if (!found || step === 1) return found?.point;
    ends = ends.filter((end) => end >= found.after && end <= found.point.n);
  }
}

async function largestChange(
  match: string,
  as: string,
  moments: readonly number[],
  events: readonly ReplayEvent[],
  names: readonly string[],
  { display, outcome }: TurningPointOptions,
): Promise<{ point: TurningPoint; after: number } | undefined> {
  const tracker = new LeadTracker();
  let before: { view: Parameters<LeadTracker['note']>[0]; at: number } | undefined;
  const starts = new Map<number, number>();
  for (const at of moments) {
    const { view } = await loadMoment(match, as, at);
    const told = events.slice(before?.at ?? 0, at).findLast(({ text, payload }) => text !== '' && isDeed(payload));
    if (before) {
      tracker.note(before.view, view, display, upperFirst(withPlayerNames(told?.text ?? '', names)), at);
      starts.set(at, before.at);
    }
    before = { view, at };
  }
  const point = tracker.turningPoint(Infinity, outcome);
  return point && { point, after: starts.get(point.n) ?? 0 };
}

/** A deed has an amount; what is moved or begins has none. */
const isDeed = (payload: ReplayEvent['payload']): boolean =>
  Object.values(payload).some((value) => typeof value === 'number');
