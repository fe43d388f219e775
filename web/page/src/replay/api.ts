/** Replays: finished matches, event by event. */
import { unwrap, type Ending, type Name, type Prompt, type Seated, type Value, type View } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';

/** Perspective of a replay: `all`, `spectator`, `seat0`, `seat1`, … */
export type Viewer = string;

export interface ReplayInput {
  /** Position in this viewer's list; 0 is the start. */
  number: number;
  atMs: number | null;
  /** Seat that sent it; null if none did, or if the viewer may not know. */
  seat: number | null;
  kind: string | null;
  text: string | null;
  firstEvent: number | null;
  lastEvent: number | null;
  /** A fork `at` this number continues after this input; null if forks are not allowed. */
  forkAt: number | null;
}

export interface ReplayEvent {
  n: number;
  input: number;
  event: string;
  status: 'applied' | 'prevented' | 'failed';
  /** May be larger than `n`: reactions that happen before an event are listed before it. */
  cause: number | null;
  depth: number;
  /** Number of items on the stack after the event. */
  stack: number;
  text: string;
  payload: Record<string, Value>;
  /** Number of the event in the engine and in match files. */
  id?: number;
}

/** Inputs that were undone. */
export interface ReplayBranch {
  number: number;
  parent: number | null;
  /** Number of inputs it shares with the main line, or with its parent. */
  from: number;
  by: number;
  agreed: number[];
  inputs: {
    number: number;
    seat: number | null;
    kind: string;
    text: string;
    events: { event: string; text: string }[];
  }[];
}

export interface ReplayData {
  match: string;
  as: Viewer;
  ruleset: { id: string; version: string; hash: string };
  seats: Seated[];
  startedMs: number | null;
  endedMs: number | null;
  inputCount: number;
  eventCount: number;
  inputs: ReplayInput[];
  events: ReplayEvent[];
  branches: ReplayBranch[];
  ending: { outcome: string; winners: number[]; losers: number[]; pot: string } | null;
  next?: number | null;
}

/** An event or a rule that is being processed. */
export interface InProgress {
  kind: 'event' | 'rule' | 'resolving' | 'group' | 'moving' | 'leaving';
  name: string;
  event: number | null;
  stage: string | null;
  source: Name | null;
  file: string | null;
  line: number | null;
}

export interface PendingReaction {
  name: string;
  event: number | null;
  to: string;
  source: Name | null;
  where: 'now' | 'stack';
  file: string | null;
  line: number | null;
}

/** The state after an event. */
export interface Moment {
  at: number;
  input: number;
  view: View & { ending: Ending | null };
  isWaiting: boolean;
  prompts: Prompt[];
  underWay: InProgress[];
  pendingReactions: PendingReaction[];
}

const EVENTS_PER_PAGE = 2000;

/** Loads all events of a match; without a viewer the server picks the perspective. */
export async function loadReplay(match: string, as: Viewer | undefined): Promise<ReplayData> {
  const first = await loadPage(match, as, 0);
  const whole = { ...first, inputs: [...first.inputs], events: [...first.events] };
  for (let next = first.next; next != null;) {
    const more = await loadPage(match, first.as, next);
    whole.inputs.push(...more.inputs);
    whole.events.push(...more.events);
    next = more.next;
  }
  return whole;
}

// The OpenAPI document does not describe views and payloads, which depend on the ruleset; the types above do.
async function loadPage(match: string, as: Viewer | undefined, after: number): Promise<ReplayData> {
  const query = { after, limit: EVENTS_PER_PAGE, ...(as === undefined ? {} : { as }) };
  const found = unwrap(client.http.GET('/matches/{id}/replay', { params: { path: { id: match }, query } }));
  return (await found) as unknown as ReplayData;
}

export async function loadMoment(match: string, as: Viewer, at: number): Promise<Moment> {
  const params = { path: { id: match, at }, query: { as } };
  return (await unwrap(client.http.GET('/matches/{id}/replay/{at}', { params }))) as unknown as Moment;
}
