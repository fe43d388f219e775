/** API of `intermezzo dev`: the files of one ruleset, their diagnostics, and one match. */
import type { Actions, Name, Option, Prompt, Value, View } from '@intermezzo/sdk';

import type { RulesetDisplay } from '../match/ruleset-display.ts';
import type { InProgress, Moment, PendingReaction, ReplayEvent, ReplayInput } from '../replay/api.ts';
import { request } from './request.ts';

/** Position in a file. Lines and columns start at 1; columns count characters. */
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

export interface CheckResult {
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

/** Result of replaying the match under changed rules. */
export interface Reload {
  version?: number;
  playable: boolean;
  /** Number of inputs that were replayed. */
  inputs?: number;
  of?: number;
  difference?: Difference | null;
  stopped?: { input: number; text: string; reason: string } | null;
  diagnostics?: Diagnostic[];
  /** The reason why the match could not start under the new rules. */
  problem?: string | null;
}

export interface SavedFile {
  path: string;
  hash: string;
  checked: CheckResult;
  reload: Reload | null;
}

export interface Completion {
  label: string;
  kind: string;
  detail: string | null;
  insert: string;
}

/** A predetermined roll: the faces, optionally only for rolls with a label. */
export type Roll = number[] | { for: string; faces: number[] };
export type Bot = 'random' | 'greedy' | 'mcts' | null;

/** A property that modifiers can change. */
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

export interface PlaygroundState {
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
  underWay: InProgress[];
  pendingReactions: PendingReaction[];
  dice: { next: Roll[]; rolled: Roll[] };
  branches: {
    number: number;
    from: number;
    inputs: { number: number; seat: number | null; kind: string; text: string }[];
  }[];
  lastEvents: ReplayEvent[];
}

export interface Timeline {
  inputs: ReplayInput[];
  events: ReplayEvent[];
  next?: number | null;
}

export type DevMoment = Moment & { values: ValueInfo[] };

export interface MatchSettings {
  seats?: number;
  seed?: number;
  options?: Record<string, Value>;
  dice?: Roll[];
  bots?: Bot[];
}

/** Input of a seat. */
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

/** Unsaved texts by path, used instead of the files on disk. */
export type UnsavedTexts = Record<string, string>;

const EVENTS_PER_PAGE = 2000;

export const dev = {
  info: () => request<DevInfo>('GET', '/dev'),
  files: () => request<{ files: FileInfo[] }>('GET', '/dev/files'),
  read: (path: string) => request<FileText>('GET', '/dev/file', undefined, { path }),
  write: (path: string, text: string, ifHash?: string) =>
    request<SavedFile>('PUT', '/dev/file', { path, text, ...(ifHash === undefined ? {} : { ifHash }) }),
  remove: (path: string) => request<undefined>('DELETE', '/dev/file', undefined, { path }),
  check: (files: UnsavedTexts) => request<CheckResult>('POST', '/dev/check', { files }),
  complete: (file: string, at: Position, files: UnsavedTexts) =>
    request<{ from: Position; items: Completion[] }>('POST', '/dev/complete', { file, ...at, files }),
  start: (settings: MatchSettings) => request<PlaygroundState>('POST', '/dev/match', settings),
  match: () => request<PlaygroundState>('GET', '/dev/match'),
  send: (input: SeatInput) => request<PlaygroundState>('POST', '/dev/match/input', input),
  path: (seat: number, inputId: number, soFar: Value[]) =>
    request<{ options: Option[]; enough: boolean }>('POST', '/dev/match/path', { seat, inputId, soFar }),
  display: () => request<RulesetDisplay>('GET', '/dev/match/table'),
  bots: (bots: Bot[]) => request<PlaygroundState>('PUT', '/dev/match/bots', { bots }),
  dice: (dice: Roll[]) => request<PlaygroundState>('PUT', '/dev/match/dice', { dice }),
  moment: (at: number) => request<DevMoment>('GET', `/dev/match/at/${at}`),
  back: (inputs: number) => request<PlaygroundState>('POST', '/dev/match/back', { inputs }),
  branch: (number: number) => request<PlaygroundState>('POST', '/dev/match/branch', { number }),
  reload: () => request<Reload>('POST', '/dev/match/reload'),
  scenarios: () => request<{ scenarios: ScenarioName[] }>('GET', '/dev/scenarios'),
  run: (options: { name?: string; files?: UnsavedTexts }) =>
    request<ScenarioRun>('POST', '/dev/scenarios/run', options),
  record: (name: string) =>
    request<{ file: string; line: number; text: string; name: string }>('POST', '/dev/scenarios/record', { name }),

  /** Loads all inputs and events of the match. */
  async timeline(): Promise<Timeline> {
    const page = (after: number) =>
      request<Timeline>('GET', '/dev/match/timeline', undefined, { after, limit: EVENTS_PER_PAGE });
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
