/**
 * A match followed from one seat or as a spectator. It is a store whose state always holds one complete version of the
 * view, even while the connection is down.
 */
import { Connection, type ConnectionStatus, type SocketClass } from './connection.ts';
import type { ActionRequest, Bank, Control, FrameOf, Notice, Seated, ServerFrame } from './frames.ts';
import { applyPatch, type Operation } from './patch.ts';
import type { Problem } from './problem.ts';
import { Store, type Readable } from './store.ts';
import { viewHash } from './view-hash.ts';
import type { Actions, GameEvent, Name, PathNext, Prompt, Value, View } from './view.ts';

/** Viewpoint from which a match is followed; defaults to the account's first seat. */
export interface FollowOptions {
  seat?: number;
  spectate?: boolean;
}

/** The events and notices of one version. */
export interface Step {
  version: number;
  events: GameEvent[];
  notices: Notice[];
}

/** Everything a client knows about a match. */
export interface MatchState {
  id: string;
  status: ConnectionStatus;
  /** The reason, if the status is `rejected`. */
  problem?: Problem | undefined;
  /** Seat of the viewer; null for spectators. */
  seat: number | null;
  seats: Seated[];
  ruleset: { id: string; version: string; hash: string } | undefined;
  seedCommitment: string | undefined;
  /** Version of the view; 0 before the first one arrives. */
  version: number;
  view: View | undefined;
  /** Open prompts of this viewer. */
  prompts: Prompt[];
  /** Other seats with open prompts, unless the rules hide that. */
  others: { seat: number; kind: string }[];
  /** Auto-pass setting of the seat; undefined while it is off. */
  auto: { until: 'turn' | 'always'; stops: boolean } | undefined;
  banks: Bank[];
  paused: boolean;
  /** Seats that are connected. */
  connected: number[];
  /** All steps since the match was followed, oldest first. */
  steps: Step[];
  /** Milliseconds the server's clock is ahead of this one. */
  clockAhead: number;
}

/** Called after each step with the view before and after it. */
export type StepListener = (step: Step, before: View | undefined, after: View) => void;

export class Match implements Readable<MatchState> {
  readonly id: string;
  readonly #options: FollowOptions;
  readonly #store: Store<MatchState>;
  readonly #connection: Connection;
  readonly #listeners = new Set<StepListener>();
  /** While true, frames are ignored until the complete view arrives. */
  #isResyncing = false;
  /** False if hashes cannot be compared: JavaScript reorders integer-like keys. */
  #isComparable = true;
  /** Number of times the complete view was requested because a patch did not lead to the announced hash. */
  resyncs = 0;

  constructor(
    url: string,
    socketClass: SocketClass,
    token: () => string | undefined,
    id: string,
    options: FollowOptions = {},
  ) {
    this.id = id;
    this.#options = options;
    this.#store = new Store(emptyMatchState(id));
    this.#connection = new Connection(url, socketClass, {
      hello: () => {
        const version = this.#isResyncing ? 0 : this.get().version;
        const current = token();
        return {
          type: 'hello',
          match: id,
          ...(current === undefined ? {} : { token: current }),
          ...(version > 0 ? { since: version } : {}),
          ...options,
        };
      },
      frame: (frame) => this.#onFrame(frame),
      status: (status, problem) => this.#store.update({ status, problem }),
    });
  }

  get(): MatchState {
    return this.#store.get();
  }

  subscribe(listener: (state: MatchState) => void): () => void {
    return this.#store.subscribe(listener);
  }

  /** Calls `listener` after each step, until the returned function is called. */
  onStep(listener: StepListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves with the first state that satisfies the condition. */
  until(condition: (state: MatchState) => boolean): Promise<MatchState> {
    return new Promise((resolve) => {
      let stop: (() => void) | undefined;
      let isFound = false;
      stop = this.subscribe((state) => {
        if (isFound || !condition(state)) return;
        isFound = true;
        stop?.();
        resolve(state);
      });
      if (isFound) stop();
    });
  }

  get isSeated(): boolean {
    return !this.#options.spectate && this.get().seat !== null;
  }

  // --- commands: each resolves when the server has saved it, or throws `ProblemError` -----

  /** Answers a prompt: options by number, name or label; null for an empty slot; `'pass'` to decline. */
  async answer(inputId: number, answers: Value): Promise<number> {
    return (await this.#connection.command({ type: 'input.submit', inputId, answers })).version;
  }

  /** Saves a draft, which becomes the answer if the time runs out. */
  async draft(inputId: number, answers: Value): Promise<number> {
    return (await this.#connection.command({ type: 'input.draft', inputId, answers })).version;
  }

  /** Takes an action, by its name. */
  async act(action: ActionRequest, branchId?: number): Promise<number> {
    const at = branchId === undefined ? {} : { branchId };
    return (await this.#connection.command({ type: 'action.submit', action, ...at })).version;
  }

  /** Drags an entity onto another; the rules decide which action that is. */
  drag(what: Name, onto: Name): Promise<number> {
    return this.act({ direct_manipulation: { what, onto } });
  }

  /** Sends a command that is neither an action nor an answer. */
  async control(control: Control): Promise<number> {
    return (await this.#connection.command({ type: 'system.control', control })).version;
  }

  concede(): Promise<number> {
    return this.control({ kind: 'concede' });
  }

  /** Undoes the last answer; if the rules require it, the other players are asked first. */
  undo(): Promise<number> {
    return this.control({ kind: 'undo' });
  }

  /** Accepts or rejects another player's request to undo. */
  consent(agree: boolean): Promise<number> {
    return this.control({ kind: 'consent', agree });
  }

  /** Sets auto-pass. */
  autoPass(until: 'off' | 'turn' | 'always', stops = false): Promise<number> {
    return this.control({ kind: 'auto_pass', until, stops });
  }

  /** Returns the available actions, and the reasons why others are unavailable. */
  async actions(): Promise<Actions> {
    const { result } = await this.#connection.command({ type: 'actions.get' });
    return (result as { actions: Actions }).actions;
  }

  /** Returns the possible next steps of a path. */
  async path(inputId: number, soFar: Value[]): Promise<PathNext> {
    return (await this.#connection.command({ type: 'path.get', inputId, soFar })).result as PathNext;
  }

  /** Drops the connection as a network failure would; it reconnects. */
  drop(): void {
    this.#connection.drop();
  }

  close(): void {
    this.#connection.close();
  }

  // --- frames ---------------------------------------------------------------------------

  #onFrame(frame: Exclude<ServerFrame, FrameOf<'ack'> | FrameOf<'error'>>): void {
    if (frame.type === 'welcome') return this.#onWelcome(frame);
    if ('match' in frame && frame.match !== this.id) return;
    switch (frame.type) {
      case 'update':
        return this.#onUpdate(frame);
      case 'pending.input':
        return this.#store.update(promptState(frame));
      case 'presence':
        return this.#store.update({ connected: frame.connected });
      default:
        return;
    }
  }

  #onWelcome(frame: FrameOf<'welcome'>): void {
    const match = frame.match;
    if (!match) return;
    const common = {
      seat: match.seat ?? null,
      seats: match.seats,
      ruleset: { id: match.ruleset, version: match.rulesetVersion, hash: match.rulesetHash },
      seedCommitment: match.seedCommitment,
      clockAhead: frame.serverTime - Date.now(),
    };
    if (match.view !== undefined && match.view !== null) {
      this.#isResyncing = false;
      const view = match.view as unknown as View;
      this.#isComparable = viewHash(view) === match.hash;
      this.#store.update({ ...common, version: match.version, view });
      return;
    }
    this.#store.update(common);
    const { version, view } = this.get();
    if (version === match.version && this.#differs(view, match.hash)) this.#resync();
  }

  #onUpdate(frame: FrameOf<'update'>): void {
    const before = this.get();
    if (this.#isResyncing || frame.version <= before.version) return;
    if (frame.version > before.version + 1) return this.#resync();
    let view = before.view;
    if (frame.patch && view) {
      try {
        view = applyPatch(view, frame.patch as unknown as Operation[]);
      } catch {
        return this.#resync();
      }
      if (this.#differs(view, frame.hash ?? '')) return this.#resync();
    }
    const step = {
      version: frame.version,
      events: frame.events as unknown as GameEvent[],
      notices: frame.notices ?? [],
    };
    const prompts = frame.prompts ? promptState(frame) : {};
    this.#store.update({ ...prompts, version: frame.version, view, steps: [...before.steps, step] });
    if (view) for (const listener of [...this.#listeners]) listener(step, before.view, view);
  }

  #differs(view: View | undefined, hash: string): boolean {
    return this.#isComparable && view !== undefined && viewHash(view) !== hash;
  }

  #resync(): void {
    if (this.#isResyncing) return;
    this.resyncs += 1;
    this.#isResyncing = true;
    this.#connection.sendHello();
  }
}

/** Returns what a frame says about prompts. */
function promptState(frame: FrameOf<'update'> | FrameOf<'pending.input'>): Partial<MatchState> {
  return {
    prompts: (frame.prompts ?? []) as unknown as Prompt[],
    others: (frame.others ?? []) as unknown as MatchState['others'],
    auto: frame.auto as MatchState['auto'],
    banks: frame.banks ?? [],
    paused: frame.paused ?? false,
  };
}

/** Returns the state of a match before the first frame arrives. */
export function emptyMatchState(id: string): MatchState {
  return {
    id,
    status: 'connecting',
    seat: null,
    seats: [],
    ruleset: undefined,
    seedCommitment: undefined,
    version: 0,
    view: undefined,
    prompts: [],
    others: [],
    auto: undefined,
    banks: [],
    paused: false,
    connected: [],
    steps: [],
    clockAhead: 0,
  };
}
