/**
 * Something that has the shape of a match and is none: the table shows it like any other. What is only looked at takes no
 * commands; the playground's seats send them elsewhere.
 */
import {
  Store,
  unknownMatch,
  type Actions,
  type Match,
  type MatchState,
  type Name,
  type PathNext,
  type Seated,
  type StepListener,
  type Value,
} from '@intermezzo/sdk';

/** All that can be done with a match, without how it is done. */
type MatchShape = Pick<Match, keyof Match>;

const NOTHING: Actions = { asked: false, available: [], unavailable: [] };

export class StandIn implements MatchShape {
  readonly id: string;
  readonly resyncs = 0;
  readonly #store: Store<MatchState>;

  constructor(id: string, ruleset: MatchState['ruleset'], seats: Seated[], seat: number | null) {
    this.id = id;
    // It stays at version 0: nobody can be asked what came before that.
    const connected = seats.map((one) => one.seat);
    this.#store = new Store<MatchState>({ ...unknownMatch(id), status: 'live', seat, seats, ruleset, connected });
  }

  /** As the table takes it. Classes with private parts are told apart by name alone. */
  get match(): Match {
    return this as unknown as Match;
  }

  show(change: Partial<MatchState>): void {
    this.#store.update(change);
  }

  get(): MatchState {
    return this.#store.get();
  }

  subscribe(listener: (state: MatchState) => void): () => void {
    return this.#store.subscribe(listener);
  }

  /** Nothing happens by itself. */
  onStep(_listener: StepListener): () => void {
    return () => undefined;
  }

  until(fits: (state: MatchState) => boolean): Promise<MatchState> {
    return fits(this.get()) ? Promise.resolve(this.get()) : new Promise(() => undefined);
  }

  get isSeated(): boolean {
    return this.get().seat !== null;
  }

  answer(_inputId: number, _answers: Value): Promise<number> {
    return Promise.reject(new Error('this is only looked at'));
  }

  /** What is only tried leaves no drafts. */
  draft(_inputId: number, _answers: Value): Promise<number> {
    return Promise.resolve(0);
  }

  act(): Promise<number> {
    return this.answer(0, null);
  }

  drag(_what: Name, _onto: Name): Promise<number> {
    return this.answer(0, null);
  }

  control(): Promise<number> {
    return this.answer(0, null);
  }

  concede(): Promise<number> {
    return this.control();
  }

  undo(): Promise<number> {
    return this.control();
  }

  consent(): Promise<number> {
    return this.control();
  }

  autoPass(_until: 'off' | 'turn' | 'always', _stops = false): Promise<number> {
    return this.control();
  }

  actions(): Promise<Actions> {
    return Promise.resolve(NOTHING);
  }

  path(_inputId: number, _soFar: Value[]): Promise<PathNext> {
    return Promise.resolve({ options: [], enough: false });
  }

  drop(): void {}

  close(): void {}
}
