/** A match that is over, as the server tells it event by event. */
import { need, type Ending, type Name, type Prompt, type Seated, type Value, type View } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';

/** As whom a match is gone through: `all`, `spectator`, `seat0`, `seat1`, … */
export type Viewer = string;

export interface ReplayInput {
  /** Its place in this viewer's list; 0 is the start. */
  number: number;
  atMs: number | null;
  /** Who sent it; null if nobody did or if that is none of the viewer's business. */
  seat: number | null;
  kind: string | null;
  text: string | null;
  firstEvent: number | null;
  lastEvent: number | null;
  /** A fork `at` this number goes on after this input. Null where there are no forks. */
  forkAt: number | null;
}

export interface ReplayEvent {
  n: number;
  input: number;
  event: string;
  status: 'applied' | 'prevented' | 'failed';
  /** May be larger than `n`: what reacts before an event is told before it. */
  cause: number | null;
  depth: number;
  /** How many items lie on the stack after it. */
  stack: number;
  text: string;
  payload: Record<string, Value>;
  /** The engine's number, as match files have it. */
  id?: number;
}

export interface ReplayBranch {
  number: number;
  parent: number | null;
  /** How many inputs it has in common with what counts, or with its parent. */
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

export interface ReplayPage {
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

/** Something that is not over yet. */
export interface UnderWay {
  kind: 'event' | 'rule' | 'resolving' | 'group' | 'moving' | 'leaving';
  name: string;
  event: number | null;
  stage: string | null;
  source: Name | null;
  file: string | null;
  line: number | null;
}

/** A reaction that is still to come. */
export interface PendingReaction {
  name: string;
  event: number | null;
  to: string;
  source: Name | null;
  where: 'now' | 'stack';
  file: string | null;
  line: number | null;
}

/** How things stood after an event. */
export interface Moment {
  at: number;
  input: number;
  view: View & { ending: Ending | null };
  isWaiting: boolean;
  prompts: Prompt[];
  underWay: UnderWay[];
  pendingReactions: PendingReaction[];
}

const PAGE_EVENTS = 2000;

/** All of a match for one viewer; as the server thinks best if no viewer is named. */
export async function loadReplay(match: string, as: Viewer | undefined): Promise<ReplayPage> {
  const first = await page(match, as, 0);
  const whole = { ...first, inputs: [...first.inputs], events: [...first.events] };
  for (let next = first.next; next != null;) {
    const more = await page(match, first.as, next);
    whole.inputs.push(...more.inputs);
    whole.events.push(...more.events);
    next = more.next;
  }
  return whole;
}

// The documents cannot say what views and payloads of every ruleset look like; the shapes above do.
async function page(match: string, as: Viewer | undefined, after: number): Promise<ReplayPage> {
  const query = { after, limit: PAGE_EVENTS, ...(as === undefined ? {} : { as }) };
  const found = need(client.http.GET('/matches/{id}/replay', { params: { path: { id: match }, query } }));
  return (await found) as unknown as ReplayPage;
}

export async function loadMoment(match: string, as: Viewer, at: number): Promise<Moment> {
  const params = { path: { id: match, at }, query: { as } };
  return (await need(client.http.GET('/matches/{id}/replay/{at}', { params }))) as unknown as Moment;
}
