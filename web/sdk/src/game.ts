/**
 * What views, questions and events of every ruleset have in common. `GET /rulesets/{name}/schema` tells more about one
 * ruleset.
 */

/** The name of a thing (`#3`), a player (`p0`) or a zone (`p0.hand`), as this viewer knows it. */
export type Name = string;
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

export interface View {
  /** The viewer's own player; null for those who look on. */
  you: Name | null;
  /** The phases that are under way, the outermost first. */
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
  modified?: Record<string, Modified>;
}

/** How many things are there, and those in sight at their places. */
export interface Zone {
  count: number;
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
  /** Properties that something has changed; left out if there are none. */
  modified?: Record<string, Modified>;
}

/** What a property would be by itself, and what makes it what it is. */
export interface Modified {
  base: Value;
  /** In the order they count. */
  by: {
    /** What it comes from, if it is a thing; a thing that has it on itself. */
    source: Name | null;
    /** What people call it; null for whatever the viewer does not see. */
    title: string | null;
    /** By how much a number has changed. */
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
}

/** An event as the viewer may see it. */
export interface GameEvent {
  n: number;
  event: string;
  /** The event it followed from. */
  cause: number | null;
  payload: Record<string, Value>;
  status?: 'failed';
}

/** A question that is open for the viewer. */
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
  /** How many slots there are to fill; null if the answer is no row of slots. */
  slots: number | null;
  /** Whether it may be declined. */
  pass: boolean;
  /** Whether a draft may be left for the case that the clock runs out. */
  drafts: boolean;
  draft: Value;
  deadlineMs: number | null;
  /** When the time is over, on the server's clock. */
  deadlineTs?: number;
  default: Value;
  /** The answer is a path: `Match.path` tells what may follow. */
  path?: true;
  /** The event the question is about. */
  about?: { event: string; payload: Record<string, Value> };
  lesson?: { id: string; say: string; highlight: Name[] };
}

/** Something that can be picked. */
export interface Option {
  /** Its number: `{ n: 2 }` is a good answer. A bare number is taken for an option that is that number. */
  n: number;
  value: Value;
  label: Value;
  /** Of an action: what people read of it. */
  title?: string | null;
  text?: string;
  hint?: string;
  ui?: string;
  costs?: { op: string; [key: string]: Value }[];
}

/** One of several alternatives, perhaps with alternatives of its own. */
export interface Branch {
  id: string;
  title: string;
  exclusive: boolean;
  options: Option[];
  min: number;
  max: number;
  branches?: Branch[];
}

/** What a seat can do now, and why it cannot do the rest. */
export interface Actions {
  asked: boolean;
  available: Offer[];
  unavailable: { action: string; title: string | null; host: Name | null; reason: string }[];
}

/** Something that can be done now. */
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

/** What may follow the beginning of a path. */
export interface PathNext {
  options: Option[];
  /** Whether the path may end here. */
  enough: boolean;
}
