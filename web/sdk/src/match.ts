/**
 * A match that is followed from one seat, or looked on at. It is a store: what it holds is always one whole version of
 * the view, whatever the network does.
 */
import type { Actions, GameEvent, Name, PathNext, Prompt, Value, View } from './game.ts';
import { viewHash } from './hash.ts';
import { Line, type LineStatus, type SocketClass } from './line.ts';
import { patched, type Operation } from './patch.ts';
import type { Problem } from './problem.ts';
import { Store, type Readable } from './store.ts';
import type { ActionWish, Bank, Control, From, Notice, Seated, ServerFrame } from './wire.ts';

/** As whom a match is followed: from the account's first seat, if nothing is said. */
export interface As {
  seat?: number;
  spectate?: boolean;
}

/** What one version of the match brought. */
export interface Step {
  version: number;
  events: GameEvent[];
  notices: Notice[];
}

/** What a follower knows of a match. */
export interface MatchState {
  id: string;
  status: LineStatus;
  /** Why the server will not have it, if the status is `refused`. */
  problem?: Problem | undefined;
  /** The seat; null for those who look on. */
  seat: number | null;
  seats: Seated[];
  /** Id, version and hash of the rules. */
  ruleset: { id: string; version: string; hash: string } | undefined;
  seedCommitment: string | undefined;
  /** The version of the view; 0 before there is one. */
  version: number;
  view: View | undefined;
  /** What this viewer is asked now. */
  prompts: Prompt[];
  /** Others that are asked, as far as that is no secret. */
  others: { seat: number; kind: string }[];
  /** Whether the seat passes by itself. */
  auto: { until: 'turn' | 'always'; stops: boolean } | undefined;
  banks: Bank[];
  paused: boolean;
  /** Seats that have a connection. */
  connected: number[];
  /** What happened since it is followed, the latest last. */
  steps: Step[];
  /** Milliseconds the server's clock is ahead of this one. */
  clockAhead: number;
}

/** Called after each step with the view before and after it. */
export type StepListener = (step: Step, before: View | undefined, after: View) => void;

export class Match implements Readable<MatchState> {
  readonly id: string;
  readonly #as: As;
  readonly #store: Store<MatchState>;
  readonly #line: Line;
  readonly #listeners = new Set<StepListener>();
  /** What happened in a version whose view has not come yet. */
  #held: From<'event.appended'> | undefined;
  /** Frames of the version that was wrong are left out until the whole view comes. */
  #isResyncing = false;
  /** Whether hashes of this view can be compared at all: numbers as keys would change its order. */
  #isComparable = true;
  /** How often the whole view had to be asked for because a patch led elsewhere. */
  resyncs = 0;

  constructor(url: string, socketClass: SocketClass, token: () => string | undefined, id: string, as: As = {}) {
    this.id = id;
    this.#as = as;
    this.#store = new Store(unknownMatch(id));
    this.#line = new Line(url, socketClass, {
      hello: () => {
        const version = this.#isResyncing ? 0 : this.get().version;
        const own = token();
        return {
          type: 'hello',
          match: id,
          ...(own === undefined ? {} : { token: own }),
          ...(version > 0 ? { since: version } : {}),
          ...as,
        };
      },
      frame: (frame) => this.#heard(frame),
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

  /** The first state that fits. */
  until(fits: (state: MatchState) => boolean): Promise<MatchState> {
    return new Promise((resolve) => {
      let stop: (() => void) | undefined;
      let isFound = false;
      stop = this.subscribe((state) => {
        if (isFound || !fits(state)) return;
        isFound = true;
        stop?.();
        resolve(state);
      });
      if (isFound) stop();
    });
  }

  /** Whether this viewer has a seat. */
  get isSeated(): boolean {
    return !this.#as.spectate && this.get().seat !== null;
  }

  // --- commands: each resolves when it is kept, or throws `Refused` -------------------

  /** Answers a question: options by number, name or label; null for an empty slot; `'pass'` to decline. */
  async answer(inputId: number, answers: Value): Promise<number> {
    return (await this.#line.command({ type: 'input.submit', inputId, answers })).version;
  }

  /** Says what the answer is if the clock runs out. */
  async draft(inputId: number, answers: Value): Promise<number> {
    return (await this.#line.command({ type: 'input.draft', inputId, answers })).version;
  }

  /** Takes an action by its name. */
  async act(action: ActionWish, branchId?: number): Promise<number> {
    const at = branchId === undefined ? {} : { branchId };
    return (await this.#line.command({ type: 'action.submit', action, ...at })).version;
  }

  /** Drags one thing onto another; the rules say what that means. */
  drag(what: Name, onto: Name): Promise<number> {
    return this.act({ direct_manipulation: { what, onto } });
  }

  /** Everything else that changes a match. */
  async control(control: Control): Promise<number> {
    return (await this.#line.command({ type: 'system.control', control })).version;
  }

  concede(): Promise<number> {
    return this.control({ kind: 'concede' });
  }

  /** Takes back the last answer; the others are asked where that is needed. */
  undo(): Promise<number> {
    return this.control({ kind: 'undo' });
  }

  /** Agrees or not that another takes back. */
  consent(agree: boolean): Promise<number> {
    return this.control({ kind: 'consent', agree });
  }

  /** Passes by itself from now on, or no longer. */
  autoPass(until: 'off' | 'turn' | 'always', stops = false): Promise<number> {
    return this.control({ kind: 'auto_pass', until, stops });
  }

  /** What can be done now, and why the rest cannot be done. */
  async actions(): Promise<Actions> {
    const { result } = await this.#line.command({ type: 'actions.get' });
    return (result as { actions: Actions }).actions;
  }

  /** What may follow the beginning of a path. */
  async path(inputId: number, soFar: Value[]): Promise<PathNext> {
    return (await this.#line.command({ type: 'path.get', inputId, soFar })).result as PathNext;
  }

  /** Drops the connection as if the network had done it; it comes back by itself. */
  drop(): void {
    this.#line.drop();
  }

  close(): void {
    this.#line.close();
  }

  // --- frames ---------------------------------------------------------------------------

  #heard(frame: Exclude<ServerFrame, From<'ack'> | From<'error'>>): void {
    if (frame.type === 'welcome') return this.#welcome(frame);
    if ('match' in frame && frame.match !== this.id) return;
    switch (frame.type) {
      case 'event.appended':
        return this.#appended(frame);
      case 'state.delta':
        return this.#delta(frame);
      case 'pending.input':
        return this.#store.update({
          prompts: frame.prompts as unknown as Prompt[],
          auto: frame.auto as MatchState['auto'],
          banks: frame.banks ?? [],
          paused: frame.paused ?? false,
        });
      case 'priority.changed':
        return this.#store.update({ others: frame.others as unknown as MatchState['others'] });
      case 'presence':
        return this.#store.update({ connected: frame.connected });
      case 'match.found':
        return;
    }
  }

  #welcome(frame: From<'welcome'>): void {
    const match = frame.match;
    if (!match) return;
    this.#held = undefined;
    const common = {
      seat: match.seat ?? null,
      seats: match.seats,
      ruleset: { id: match.ruleset, version: match.rulesetVersion, hash: match.rulesetHash },
      seedCommitment: match.seedCommitment,
      clockAhead: frame.serverTime - Date.now(),
    };
    if (match.view !== undefined && match.view !== null) {
      this.#isResyncing = false;
      this.#isComparable = viewHash(match.view) === match.hash;
      this.#store.update({ ...common, version: match.version, view: match.view as unknown as View });
      return;
    }
    this.#store.update(common);
    const { version, view } = this.get();
    if (version === match.version && this.#differs(view, match.hash)) this.#resync();
  }

  #appended(frame: From<'event.appended'>): void {
    const { version } = this.get();
    if (this.#isResyncing || frame.version <= version) return;
    if (frame.version > version + 1) return this.#resync();
    if (frame.changesView) this.#held = frame;
    else this.#step(frame, this.get().view);
  }

  #delta(frame: From<'state.delta'>): void {
    const { version, view } = this.get();
    if (this.#isResyncing || frame.version <= version) return;
    const held = this.#held;
    if (held?.version !== frame.version) return this.#resync();
    let next: View | undefined;
    try {
      next = patched(view, frame.patch as unknown as Operation[]);
    } catch {
      return this.#resync();
    }
    if (this.#differs(next, frame.hash)) return this.#resync();
    this.#step(held, next);
  }

  #step(frame: From<'event.appended'>, view: View | undefined): void {
    this.#held = undefined;
    const before = this.get();
    const step = {
      version: frame.version,
      events: frame.events as unknown as GameEvent[],
      notices: frame.notices ?? [],
    };
    this.#store.update({ version: frame.version, view, steps: [...before.steps, step] });
    if (view) for (const listener of [...this.#listeners]) listener(step, before.view, view);
  }

  #differs(view: unknown, hash: string): boolean {
    return this.#isComparable && viewHash(view) !== hash;
  }

  #resync(): void {
    if (this.#isResyncing) return;
    this.resyncs += 1;
    this.#isResyncing = true;
    this.#held = undefined;
    this.#line.greet();
  }
}

/** A match of which nothing is known yet. */
export function unknownMatch(id: string): MatchState {
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
