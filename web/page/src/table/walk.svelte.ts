/** A path that is being chosen: what lies behind, what may follow, and how far one could come. */
import type { Match, Option, Prompt, Value } from '@intermezzo/sdk';

import { tell } from '../lib/toasts.svelte.ts';
import { pickOf } from './asking.ts';
import { squareOf, type Grid } from './grid.ts';
import type { Thing } from './things.ts';

/** Asking further would be asking too much at once. */
const MOST_ASKED = 150;

interface Place {
  /** How long the way is as the crow would fly it: of as many steps the straightest are taken. */
  length: number;
  /** Options from the beginning to here. */
  picks: Value[];
  squares: Thing[];
}

const HERE: Place = { length: 0, picks: [], squares: [] };

export class Walk {
  readonly #match: Match;
  readonly #prompt: Prompt;
  readonly #grid: () => Grid | undefined;
  #isStopped = false;
  #asked = 0;
  /** The way so far. */
  #here = $state.raw<Place>(HERE);
  /** Where one can come, and how. */
  #known = $state.raw(new Map<Thing, Place>());
  /** What may follow the way so far. */
  next = $state.raw<Option[]>([]);
  #mayEnd = $state(false);

  constructor(match: Match, prompt: Prompt, grid: () => Grid | undefined) {
    this.#match = match;
    this.#prompt = prompt;
    this.#grid = grid;
    this.next = prompt.options;
    void this.#explore();
  }

  get squares(): Thing[] {
    return this.#here.squares;
  }

  get answer(): Value[] {
    return this.#here.picks;
  }

  get isEnough(): boolean {
    return this.#mayEnd;
  }

  /** Everything that can be pressed. */
  get reach(): Thing[] {
    return [...this.#known.keys()];
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Goes one step on, or all the way to where it is known how to come. */
  press(thing: Thing): boolean {
    const step = this.next.find((option) => this.#square(option) === thing);
    if (step) this.take(step);
    else {
      const place = this.#known.get(thing);
      if (!place) return false;
      void this.#goTo(place);
    }
    return true;
  }

  /** Takes one step. */
  take(option: Option): void {
    void this.#goTo(this.#after(this.#here, option));
  }

  back(): void {
    const { picks, squares } = this.#here;
    void this.#goTo({ length: 0, picks: picks.slice(0, -1), squares: squares.slice(0, -1) });
  }

  async #goTo(place: Place): Promise<void> {
    this.#here = place;
    if (place.picks.length === 0) {
      this.next = this.#prompt.options;
      this.#mayEnd = false;
      return;
    }
    this.next = [];
    try {
      const { options, enough } = await this.#match.path(this.#prompt.inputId, place.picks);
      if (this.#here !== place) return;
      this.next = options;
      this.#mayEnd = enough && place.picks.length >= this.#prompt.min;
    } catch (error) {
      // After the question has been answered nobody wants to know.
      if (!this.#isStopped) tell(error);
    }
  }

  #square(option: Option): Thing | undefined {
    return squareOf(this.#grid(), option.value);
  }

  #after(from: Place, option: Option): Place {
    const square = this.#square(option) ?? `n${option.n}`;
    const length = from.length + distance(from.squares.at(-1), square);
    return { length, picks: [...from.picks, pickOf(option)], squares: [...from.squares, square] };
  }

  /** Looks around in widening rings, so that far squares can be pressed at once. */
  async #explore(): Promise<void> {
    let ring = this.#found([{ from: HERE, options: this.#prompt.options }]);
    while (ring.length > 0 && !this.#isStopped) {
      const asked = ring.slice(0, Math.max(0, MOST_ASKED - this.#asked));
      this.#asked += asked.length;
      if (asked.length === 0) return;
      const found = await Promise.all(asked.map((from) => this.#lookFrom(from)));
      if (this.#isStopped) return;
      ring = this.#found(found);
    }
  }

  async #lookFrom(from: Place): Promise<{ from: Place; options: Option[] }> {
    try {
      const { options } = await this.#match.path(this.#prompt.inputId, from.picks);
      return { from, options };
    } catch {
      // The question has been answered meanwhile.
      return { from, options: [] };
    }
  }

  /** Notes squares that were not known before, each with the straightest way there. */
  #found(looked: { from: Place; options: Option[] }[]): Place[] {
    const fresh = new Map<Thing, Place>();
    for (const { from, options } of looked) {
      for (const option of options) {
        const square = this.#square(option);
        if (square === undefined || this.#known.has(square)) continue;
        const place = this.#after(from, option);
        if (place.length < (fresh.get(square)?.length ?? Infinity)) fresh.set(square, place);
      }
    }
    this.#known = new Map([...this.#known, ...fresh]);
    return [...fresh.values()];
  }
}

function distance(a: Thing | undefined, b: Thing): number {
  const [from, to] = [a, b].map((thing) =>
    /^x(\d+)y(\d+)$/
      .exec(thing ?? '')
      ?.slice(1)
      .map(Number),
  );
  return from && to ? Math.hypot(from[0]! - to[0]!, from[1]! - to[1]!) : 1;
}
