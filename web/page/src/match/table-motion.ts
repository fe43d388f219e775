/** Motion of a table: everything slides from where it was to where it is, so that nothing jumps when the layout changes. */
import { tick } from 'svelte';

import { animateBeat, animateMoves, isMotionReduced, measurePositions, type Positions } from './animation.ts';
import type { Beat } from './beats.ts';
import { settleSizes } from './sizes.ts';

export class TableMotion {
  readonly #table: HTMLElement;
  #waiting: { positions: Positions; beats: Beat[]; ms: number | undefined } | undefined;

  constructor(table: HTMLElement) {
    this.#table = table;
  }

  /** Must be called right before the table changes: in a beat, or because the viewer is asked something else. */
  prepare(beat: Beat | undefined, ms: number | undefined): void {
    if (isMotionReduced() || document.hidden) return;
    if (!this.#waiting) {
      this.#waiting = { positions: measurePositions(this.#table), beats: [], ms };
      void tick().then(() => this.#play());
    }
    if (beat) this.#waiting.beats.push(beat);
    // The last of several beats that are shown together is the one that stays.
    this.#waiting.ms = ms;
  }

  #play(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting || !this.#table.isConnected) return;
    settleSizes();
    const [beat, ...more] = waiting.beats;
    if (beat && more.length === 0) animateBeat(this.#table, waiting.positions, beat, waiting.ms);
    else
      animateMoves(
        this.#table,
        waiting.positions,
        waiting.beats.flatMap(({ events }) => events),
        { ms: waiting.ms },
      );
  }
}
