/**
 * A `Match` without a connection, so that the table can show any view. By default it rejects commands; the playground's
 * seats override them.
 */
import {
  emptyMatchState,
  Store,
  type Actions,
  type Match,
  type MatchState,
  type Name,
  type PathNext,
  type Seated,
  type StepListener,
  type Value,
} from '@intermezzo/sdk';

type MatchInterface = Pick<Match, keyof Match>;

const NO_ACTIONS: Actions = { asked: false, available: [], unavailable: [] };

export class LocalMatch implements MatchInterface {
  readonly id: string;
  readonly resyncs = 0;
  readonly #store: Store<MatchState>;

  constructor(id: string, ruleset: MatchState['ruleset'], seats: Seated[], seat: number | null) {
    this.id = id;
    // The version stays 0, so that nobody requests the events before it.
    const connected = seats.map((one) => one.seat);
    this.#store = new Store<MatchState>({ ...emptyMatchState(id), status: 'live', seat, seats, ruleset, connected });
  }

  /** This object as a `Match`. TypeScript compares classes with private members by name only. */
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

  onStep(_listener: StepListener): () => void {
    return () => undefined;
  }

  until(condition: (state: MatchState) => boolean): Promise<MatchState> {
    return condition(this.get()) ? Promise.resolve(this.get()) : new Promise(() => undefined);
  }

  get isSeated(): boolean {
    return this.get().seat !== null;
  }

  answer(_inputId: number, _answers: Value): Promise<number> {
    return Promise.reject(new Error('this match is read-only'));
  }

  /** Does nothing: drafts only matter when a deadline passes. */
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
    return Promise.resolve(NO_ACTIONS);
  }

  path(_inputId: number, _soFar: Value[]): Promise<PathNext> {
    return Promise.resolve({ options: [], enough: false });
  }

  drop(): void {}

  close(): void {}
}
