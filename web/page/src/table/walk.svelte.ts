/** A path that is being chosen: what lies behind, what may follow, and how far one could come. */
import type { Match, Option, Prompt } from '@intermezzo/sdk';

import { squareOf, type Grid } from './grid.ts';
import type { Thing } from './things.ts';

/** Asking further would be asking too much at once. */
const MOST_ASKED = 150;

interface Place {
  /** Numbers of options from the beginning to here. */
  numbers: number[];
  squares: Thing[];
}

export class Walk {
  readonly #match: Match;
  readonly #prompt: Prompt;
  readonly #grid: () => Grid | undefined;
  #isStopped = false;
  #asked = 0;
  /** The way so far. */
  #here = $state.raw<Place>({ numbers: [], squares: [] });
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

  get answer(): number[] {
    return this.#here.numbers;
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
    if (step) void this.#goTo({ numbers: [...this.#here.numbers, step.n], squares: [...this.#here.squares, thing] });
    else {
      const place = this.#known.get(thing);
      if (!place) return false;
      void this.#goTo(place);
    }
    return true;
  }

  /** Takes a step that is no square. */
  take(option: Option): void {
    void this.#goTo({ numbers: [...this.#here.numbers, option.n], squares: [...this.#here.squares, this.#square(option) ?? `n${option.n}`] });
  }

  back(): void {
    const { numbers, squares } = this.#here;
    void this.#goTo({ numbers: numbers.slice(0, -1), squares: squares.slice(0, -1) });
  }

  async #goTo(place: Place): Promise<void> {
    this.#here = place;
    if (place.numbers.length === 0) {
      this.next = this.#prompt.options;
      this.#mayEnd = false;
      return;
    }
    this.next = [];
    const { options, enough } = await this.#match.path(this.#prompt.inputId, place.numbers);
    if (this.#here !== place) return;
    this.next = options;
    this.#mayEnd = enough && place.numbers.length >= this.#prompt.min;
  }

  #square(option: Option): Thing | undefined {
    return squareOf(this.#grid(), option.value);
  }

  /** Looks around in widening rings, so that far squares can be pressed at once. */
  async #explore(): Promise<void> {
    let ring = this.#found({ numbers: [], squares: [] }, this.#prompt.options);
    while (ring.length > 0 && !this.#isStopped) {
      const asked = ring.slice(0, Math.max(0, MOST_ASKED - this.#asked));
      this.#asked += asked.length;
      if (asked.length === 0) return;
      const found = await Promise.all(
        asked.map(async (place) => {
          try {
            const { options } = await this.#match.path(this.#prompt.inputId, place.numbers);
            return { place, options };
          } catch {
            // The question has been answered meanwhile.
            return { place, options: [] };
          }
        }),
      );
      if (this.#isStopped) return;
      ring = found.flatMap(({ place, options }) => this.#found(place, options));
    }
  }

  /** Notes squares that were not known before. */
  #found(from: Place, options: Option[]): Place[] {
    const known = new Map(this.#known);
    const fresh: Place[] = [];
    for (const option of options) {
      const square = this.#square(option);
      if (square === undefined || known.has(square)) continue;
      const place = { numbers: [...from.numbers, option.n], squares: [...from.squares, square] };
      known.set(square, place);
      fresh.push(place);
    }
    this.#known = known;
    return fresh;
  }
}
