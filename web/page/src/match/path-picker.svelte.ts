/** Selection of a path on the grid: the current steps, the possible next steps, and all reachable squares. */
import type { Match, Option, Prompt, Value } from '@intermezzo/sdk';

import { showError } from '../lib/toasts.svelte.ts';
import { squareOf, type Grid } from './grid.ts';
import { optionAnswer } from './selection.ts';
import type { ObjectId } from './view-index.ts';

/** Limit of requests per prompt while looking for reachable squares. */
const MAX_REQUESTS = 150;

interface Path {
  /** Geometric length: among paths with equally many steps the straightest is used. */
  length: number;
  /** The answer: one option per step. */
  picks: Value[];
  squares: ObjectId[];
}

const EMPTY_PATH: Path = { length: 0, picks: [], squares: [] };

export class PathPicker {
  readonly #match: Match;
  readonly #prompt: Prompt;
  readonly #grid: () => Grid | undefined;
  #isStopped = false;
  #requests = 0;
  #current = $state.raw<Path>(EMPTY_PATH);
  /** Paths to all reachable squares. */
  #reachable = $state.raw(new Map<ObjectId, Path>());
  /** Possible next steps. */
  next = $state.raw<Option[]>([]);
  #mayEnd = $state(false);

  constructor(match: Match, prompt: Prompt, grid: () => Grid | undefined) {
    this.#match = match;
    this.#prompt = prompt;
    this.#grid = grid;
    this.next = prompt.options;
    void this.#explore();
  }

  get squares(): ObjectId[] {
    return this.#current.squares;
  }

  get answer(): Value[] {
    return this.#current.picks;
  }

  /** True if the path may end here. */
  get isComplete(): boolean {
    return this.#mayEnd;
  }

  get reachable(): ObjectId[] {
    return [...this.#reachable.keys()];
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Extends the path by one step, or replaces it by the known path to a reachable square. */
  press(object: ObjectId): void {
    const step = this.next.find((option) => this.#square(option) === object);
    const path = this.#reachable.get(object);
    if (step) this.addStep(step);
    else if (path) void this.#setPath(path);
  }

  addStep(option: Option): void {
    void this.#setPath(this.#extended(this.#current, option));
  }

  back(): void {
    const { picks, squares } = this.#current;
    void this.#setPath({ length: 0, picks: picks.slice(0, -1), squares: squares.slice(0, -1) });
  }

  async #setPath(path: Path): Promise<void> {
    this.#current = path;
    if (path.picks.length === 0) {
      this.next = this.#prompt.options;
      this.#mayEnd = false;
      return;
    }
    this.next = [];
    try {
      const { options, enough } = await this.#match.path(this.#prompt.inputId, path.picks);
      if (this.#current !== path) return;
      this.next = options;
      this.#mayEnd = enough && path.picks.length >= this.#prompt.min;
    } catch (error) {
      // Once the prompt is answered, the error does not matter.
      if (!this.#isStopped) showError(error);
    }
  }

  #square(option: Option): ObjectId | undefined {
    return squareOf(this.#grid(), option.value);
  }

  #extended(path: Path, option: Option): Path {
    const square = this.#square(option) ?? `n${option.n}`;
    const length = path.length + distance(path.squares.at(-1), square);
    return { length, picks: [...path.picks, optionAnswer(option)], squares: [...path.squares, square] };
  }

  /** Finds all reachable squares in widening rings, so that far squares can be clicked directly. */
  async #explore(): Promise<void> {
    let ring = this.#addReachable([{ path: EMPTY_PATH, options: this.#prompt.options }]);
    while (ring.length > 0 && !this.#isStopped) {
      const requested = ring.slice(0, Math.max(0, MAX_REQUESTS - this.#requests));
      this.#requests += requested.length;
      if (requested.length === 0) return;
      const found = await Promise.all(requested.map((path) => this.#requestNext(path)));
      if (this.#isStopped) return;
      ring = this.#addReachable(found);
    }
  }

  async #requestNext(path: Path): Promise<{ path: Path; options: Option[] }> {
    try {
      const { options } = await this.#match.path(this.#prompt.inputId, path.picks);
      return { path, options };
    } catch {
      // The prompt was answered in the meantime.
      return { path, options: [] };
    }
  }

  /** Adds new squares with the straightest path to each, and returns these paths. */
  #addReachable(found: { path: Path; options: Option[] }[]): Path[] {
    const added = new Map<ObjectId, Path>();
    for (const { path, options } of found) {
      for (const option of options) {
        const square = this.#square(option);
        if (square === undefined || this.#reachable.has(square)) continue;
        const extended = this.#extended(path, option);
        if (extended.length < (added.get(square)?.length ?? Infinity)) added.set(square, extended);
      }
    }
    this.#reachable = new Map([...this.#reachable, ...added]);
    return [...added.values()];
  }
}

function distance(a: ObjectId | undefined, b: ObjectId): number {
  const [from, to] = [a, b].map((square) =>
    /^x(\d+)y(\d+)$/
      .exec(square ?? '')
      ?.slice(1)
      .map(Number),
  );
  return from && to ? Math.hypot(from[0]! - to[0]!, from[1]! - to[1]!) : 1;
}
