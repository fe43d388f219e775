/** A seat of the playground's match, as the table takes it. */
import type { Actions, MatchState, Name, PathNext, Seated, Value } from '@intermezzo/sdk';

import { StandIn } from '../board/stand-in.ts';
import { dev, type SeatState } from './api.ts';
import type { Play } from './play.svelte.ts';

export class PlaygroundSeat extends StandIn {
  readonly #play: Play;
  readonly #seat: number;
  #actions: Actions | null = null;

  constructor(play: Play, seat: number, ruleset: MatchState['ruleset'], seats: Seated[]) {
    super('playground', ruleset, seats, seat);
    this.#play = play;
    this.#seat = seat;
  }

  /** Shows how it stands for this seat. */
  stands({ view, prompts, actions }: SeatState, others: readonly SeatState[]): void {
    this.#actions = actions;
    const asked = others.filter((other) => other.seat !== this.#seat && other.prompts.length > 0);
    this.show({ view, prompts, others: asked.map(({ seat, prompts }) => ({ seat, kind: prompts[0]?.kind ?? '' })) });
  }

  override async answer(inputId: number, answers: Value): Promise<number> {
    await this.#play.answer(this.#seat, inputId, answers);
    return 0;
  }

  override async drag(what: Name, onto: Name): Promise<number> {
    await this.#play.send({ kind: 'drag', seat: this.#seat, what, onto });
    return 0;
  }

  override actions(): Promise<Actions> {
    return this.#actions ? Promise.resolve(this.#actions) : super.actions();
  }

  override path(inputId: number, soFar: Value[]): Promise<PathNext> {
    return dev.path(this.#seat, inputId, soFar);
  }
}
