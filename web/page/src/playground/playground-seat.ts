/** One seat of the playground's match, as a `Match` for the table. */
import type { Actions, MatchState, Name, PathNext, Seated, Value } from '@intermezzo/sdk';

import { LocalMatch } from '../match/local-match.ts';
import { dev, type SeatState } from './api.ts';
import type { PlaygroundMatch } from './playground-match.svelte.ts';

export class PlaygroundSeat extends LocalMatch {
  readonly #playground: PlaygroundMatch;
  readonly #seat: number;
  #actions: Actions | null = null;

  constructor(playground: PlaygroundMatch, seat: number, ruleset: MatchState['ruleset'], seats: Seated[]) {
    super('playground', ruleset, seats, seat);
    this.#playground = playground;
    this.#seat = seat;
  }

  /** Shows the state of this seat. */
  showSeat({ view, prompts, actions }: SeatState, others: readonly SeatState[]): void {
    this.#actions = actions;
    const deciding = others.filter((other) => other.seat !== this.#seat && other.prompts.length > 0);
    this.show({ view, prompts, others: deciding.map(({ seat, prompts }) => ({ seat, kind: prompts[0]?.kind ?? '' })) });
  }

  override async answer(inputId: number, answers: Value): Promise<number> {
    await this.#playground.answer(this.#seat, inputId, answers);
    return 0;
  }

  override async drag(what: Name, onto: Name): Promise<number> {
    await this.#playground.send({ kind: 'drag', seat: this.#seat, what, onto });
    return 0;
  }

  override actions(): Promise<Actions> {
    return this.#actions ? Promise.resolve(this.#actions) : super.actions();
  }

  override path(inputId: number, soFar: Value[]): Promise<PathNext> {
    return dev.path(this.#seat, inputId, soFar);
  }
}
