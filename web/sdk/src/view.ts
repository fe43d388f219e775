/**
 * Views, prompts and events, as far as they are the same for every ruleset. `GET /rulesets/{name}/schema` describes those
 * of one ruleset.
 */

/** Name of an entity (`#3`), a player (`p0`) or a zone (`p0.hand`). Entity numbers differ between viewers. */
export type Name = string;
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

export interface View {
  /** The viewer's own player; null for spectators. */
  you: Name | null;
  /** Current phases, outermost first. */
  phases: Phase[];
  options: Record<string, Value>;
  /** Properties of the match as a whole. */
  match: Record<string, Value>;
  players: Player[];
  zones: Record<string, Zone>;
  ending: Ending | null;
}

export interface Phase {
  phase: string;
  player: Name | null;
  subject: Name | null;
}

export interface Player {
  id: Name;
  seat: number;
  gone: boolean;
  props: Record<string, Value>;
  zones: Record<string, Zone>;
  modified?: Record<string, ModifiedValue>;
}

export interface Zone {
  count: number;
  /** Entities in order, null for hidden ones; missing if all are hidden. */
  items?: (Entity | null)[];
}

export interface Entity {
  id: Name;
  kind: string;
  def: string | null;
  title: string | null;
  text: string | null;
  owner: Name | null;
  props: Record<string, Value>;
  traits: Trait[];
  zones: Record<string, Zone>;
  /** Properties with active modifiers; missing if there are none. */
  modified?: Record<string, ModifiedValue>;
}

/** The unmodified value of a property and its modifiers. */
export interface ModifiedValue {
  base: Value;
  /** In the order they apply. */
  by: {
    /** Entity the modifier comes from, if any; may be the entity itself. */
    source: Name | null;
    /** Display name of the modifier; null if it is hidden from the viewer. */
    title: string | null;
    /** Difference, if the property is a number. */
    change: number | null;
  }[];
}

export interface Trait {
  def: string;
  title: string | null;
  text: string | null;
  props: Record<string, Value>;
}

export interface Ending {
  outcome: string;
  winners: Name[];
  losers: Name[];
  pot: 'winners' | 'split' | 'burn' | 'refund';
  /** The score of each player, if the rules gave one. */
  score?: Record<Name, number>;
}

/** An event as this viewer may see it. */
export interface GameEvent {
  n: number;
  event: string;
  /** Number of the event that caused it. */
  cause: number | null;
  payload: Record<string, Value>;
  status?: 'failed';
}

/** An open prompt of the viewer. */
export interface Prompt {
  inputId: number;
  actor: Name;
  name: string;
  /** `confirm`, `pick`, `order`, `layout`, `path`, `action`, … */
  kind: string;
  title: string;
  options: Option[];
  branches: Branch[];
  min: number;
  max: number;
  /** Number of slots to fill; null if the answer is not a row of slots. */
  slots: number | null;
  /** True if passing is allowed. */
  pass: boolean;
  /** True if a draft can be saved, to be used if the time runs out. */
  drafts: boolean;
  draft: Value;
  deadlineMs: number | null;
  /** Deadline on the server's clock, in milliseconds since 1970. */
  deadlineTs?: number;
  default: Value;
  /** Set if the answer is a path; `Match.path` returns the possible next steps. */
  path?: true;
  /** The name of passing, if the rules give one. */
  passTitle?: string;
  /** The title and the name of passing with placeholders such as `{claimant}`, and what is filled in for each. */
  template?: string;
  passTemplate?: string;
  values?: Record<string, Value>;
  /** The reaction that asks, and the entity it belongs to if the viewer sees it. */
  rule?: { id: string; host?: Name };
  /** The event the prompt is about. */
  about?: { event: string; payload: Record<string, Value> };
  lesson?: { id: string; say: string; highlight: Name[] };
}

export interface Option {
  /** Number of the option: answer with `{ n: 2 }`. A bare number means the option whose value is that number. */
  n: number;
  value: Value;
  label: Value;
  /** Display title, if the option is an action. */
  title?: string | null;
  text?: string;
  hint?: string;
  ui?: string;
  costs?: { op: string; [key: string]: Value }[];
}

/** One of several alternatives, which may be nested. */
export interface Branch {
  id: string;
  title: string;
  exclusive: boolean;
  options: Option[];
  min: number;
  max: number;
  branches?: Branch[];
  /** The title with the placeholders of the prompt's `values`. */
  template?: string;
}

/** Available actions of a seat, and the reasons why others are unavailable. */
export interface Actions {
  asked: boolean;
  available: Offer[];
  unavailable: { action: string; title: string | null; host: Name | null; reason: string }[];
}

/** An available action. */
export interface Offer {
  action: string;
  host: Name | null;
  targets: Record<string, Value>;
  label: string;
  title?: string | null;
  text?: string;
  hint?: string;
  ui?: string;
  costs?: { op: string; [key: string]: Value }[];
}

/** Possible next steps of a path. */
export interface PathNext {
  options: Option[];
  /** True if the path may end here. */
  enough: boolean;
}
