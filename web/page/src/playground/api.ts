/** What `intermezzo dev` answers: the files of one ruleset, checks of them, and one match to try them on. */
import type { Actions, Name, Option, Prompt, Value, View } from '@intermezzo/sdk';

import { ask } from './ask.ts';
import type { Moment, PendingReaction, ReplayEvent, ReplayInput, UnderWay } from '../replay/api.ts';

import type { Rules } from '../table/rules.ts';

/** A place in a file. Both count from 1, columns in characters. */
export interface Position {
  line: number;
  column: number;
}

export interface RulesetName {
  id: string;
  version: string;
  name: string;
  hash: string;
}

export interface OptionInfo {
  name: string;
  type: string;
  default?: Value;
  min?: number | null;
  max?: number | null;
  text?: string | null;
}

export interface DevInfo {
  folder: string;
  playable: boolean;
  ruleset: RulesetName | null;
  seats: { min: number; max: number; usual: number } | null;
  options: OptionInfo[];
  hasMatch: boolean;
}

export interface FileInfo {
  path: string;
  kind: 'rules' | 'scenarios' | 'other';
  bytes: number;
  hash: string;
}

export interface FileText {
  path: string;
  text: string;
  hash: string;
}

export interface Diagnostic {
  severity: 'error' | 'warning' | 'note';
  code: string;
  message: string;
  label: string | null;
  file: string;
  start: Position;
  end: Position;
  help: string[];
  related: { message: string; file: string; start: Position; end: Position }[];
}

export interface Checked {
  playable: boolean;
  hash: string | null;
  diagnostics: Diagnostic[];
}

export interface Difference {
  input: number;
  n: number;
  before: { event: string; text: string } | null;
  after: { event: string; text: string } | null;
}

/** What became of the match under changed rules. */
export interface Reload {
  version?: number;
  playable: boolean;
  /** How many inputs were taken again. */
  inputs?: number;
  of?: number;
  difference?: Difference | null;
  stopped?: { input: number; text: string; reason: string } | null;
  diagnostics?: Diagnostic[];
  /** Why the match could not begin under them. */
  problem?: string | null;
}

export interface Saved {
  path: string;
  hash: string;
  checked: Checked;
  reload: Reload | null;
}

export interface Completion {
  label: string;
  kind: string;
  detail: string | null;
  insert: string;
}

/** One roll: what the dice show, perhaps only for rolls of one label. */
export type Roll = number[] | { for: string; faces: number[] };
export type Bot = 'random' | 'greedy' | 'mcts' | null;

/** A property that modifiers change or could change. */
export interface ValueInfo {
  entity: Name;
  prop: string;
  base: Value;
  value: Value;
  steps: { name: string; source: Name | null; before: Value; after: Value; file: string | null; line: number | null }[];
}

export interface SeatState {
  seat: number;
  view: View;
  prompts: Prompt[];
  actions: Actions | null;
}

export interface MatchNow {
  version: number;
  ruleset: RulesetName;
  setup: { seats: number; seed: number; options: Record<string, Value> };
  bots: Bot[];
  inputCount: number;
  eventCount: number;
  isOver: boolean;
  view: View;
  seats: SeatState[];
  values: ValueInfo[];
  underWay: UnderWay[];
  pendingReactions: PendingReaction[];
  dice: { next: Roll[]; rolled: Roll[] };
  branches: {
    number: number;
    from: number;
    inputs: { number: number; seat: number | null; kind: string; text: string }[];
  }[];
  lastEvents: ReplayEvent[];
}

/** Everything that happened in the match. */
export interface Timeline {
  inputs: ReplayInput[];
  events: ReplayEvent[];
  next?: number | null;
}

export type DevMoment = Moment & { values: ValueInfo[] };

export interface NewMatch {
  seats?: number;
  seed?: number;
  options?: Record<string, Value>;
  dice?: Roll[];
  bots?: Bot[];
}

/** What a seat of the playground sends. */
export type SeatInput =
  | { kind: 'answer' | 'draft'; seat: number; inputId: number; answers: Value }
  | {
      kind: 'action';
      seat: number;
      action: { type: string; targets?: Record<string, Value>; params?: Record<string, Value> };
    }
  | { kind: 'drag'; seat: number; what: Name; onto: Name }
  | { kind: 'timeout'; seat: number }
  | { kind: 'leave'; seat: number; cause: 'disconnect' | 'concede' | 'kicked' | 'out_of_time' }
  | { kind: 'auto_pass'; seat: number; until: 'off' | 'turn' | 'always'; stops: boolean };

export interface ScenarioName {
  name: string;
  file: string;
  line: number;
}

export interface ScenarioResult extends ScenarioName {
  ok: boolean;
  message: string | null;
  failedLine: number | null;
}

export interface ScenarioRun {
  passed: number;
  results: ScenarioResult[];
  diagnostics: Diagnostic[];
}

/** Unsaved texts by path; they stand for what is on disk. */
export type Texts = Record<string, string>;

const PAGE_EVENTS = 2000;

export const dev = {
  info: () => ask<DevInfo>('GET', '/dev'),
  files: () => ask<{ files: FileInfo[] }>('GET', '/dev/files'),
  read: (path: string) => ask<FileText>('GET', '/dev/file', undefined, { path }),
  write: (path: string, text: string, ifHash?: string) =>
    ask<Saved>('PUT', '/dev/file', { path, text, ...(ifHash === undefined ? {} : { ifHash }) }),
  remove: (path: string) => ask<undefined>('DELETE', '/dev/file', undefined, { path }),
  check: (files: Texts) => ask<Checked>('POST', '/dev/check', { files }),
  complete: (file: string, at: Position, files: Texts) =>
    ask<{ from: Position; items: Completion[] }>('POST', '/dev/complete', { file, ...at, files }),
  begin: (wish: NewMatch) => ask<MatchNow>('POST', '/dev/match', wish),
  match: () => ask<MatchNow>('GET', '/dev/match'),
  send: (input: SeatInput) => ask<MatchNow>('POST', '/dev/match/input', input),
  path: (seat: number, inputId: number, soFar: Value[]) =>
    ask<{ options: Option[]; enough: boolean }>('POST', '/dev/match/path', { seat, inputId, soFar }),
  words: () => ask<Rules>('GET', '/dev/match/table'),
  bots: (bots: Bot[]) => ask<MatchNow>('PUT', '/dev/match/bots', { bots }),
  dice: (dice: Roll[]) => ask<MatchNow>('PUT', '/dev/match/dice', { dice }),
  moment: (at: number) => ask<DevMoment>('GET', `/dev/match/at/${at}`),
  back: (inputs: number) => ask<MatchNow>('POST', '/dev/match/back', { inputs }),
  branch: (number: number) => ask<MatchNow>('POST', '/dev/match/branch', { number }),
  reload: () => ask<Reload>('POST', '/dev/match/reload'),
  scenarios: () => ask<{ scenarios: ScenarioName[] }>('GET', '/dev/scenarios'),
  run: (wish: { name?: string; files?: Texts }) => ask<ScenarioRun>('POST', '/dev/scenarios/run', wish),
  record: (name: string) =>
    ask<{ file: string; line: number; text: string; name: string }>('POST', '/dev/scenarios/record', { name }),

  /** Everything that happened in the match. */
  async timeline(): Promise<Timeline> {
    const page = (after: number) =>
      ask<Timeline>('GET', '/dev/match/timeline', undefined, { after, limit: PAGE_EVENTS });
    const whole = await page(0);
    for (let next = whole.next; next != null;) {
      const more = await page(next);
      whole.inputs.push(...more.inputs);
      whole.events.push(...more.events);
      next = more.next;
    }
    return whole;
  },
};
