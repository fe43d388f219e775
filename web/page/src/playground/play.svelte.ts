/** The match of the playground: how it stands, what has happened in it, and stepping back through its events. */
import { Refused, type Value } from '@intermezzo/sdk';

import { errorWord } from '../lib/words.ts';
import { knowRules } from '../table/learning.ts';
import {
  dev,
  type Bot,
  type DevMoment,
  type MatchNow,
  type NewMatch,
  type Reload,
  type Roll,
  type SeatInput,
  type Timeline,
} from './api.ts';

export interface Refusal {
  text: string;
  file?: string;
  line?: number;
}

function refusal(error: unknown): Refusal {
  const text = errorWord(error);
  if (!(error instanceof Refused)) return { text };
  const { file, line } = error.problem as { file?: unknown; line?: unknown };
  return typeof file === 'string' && typeof line === 'number' ? { text, file, line } : { text };
}

/** Seeds that are easily said and written down. */
const MOST_SEEDS = 100_000;

export class Play {
  now = $state.raw<MatchNow | undefined>(undefined);
  timeline = $state.raw<Timeline | undefined>(undefined);
  /** The event one has stepped back to; undefined while one looks at how it stands. */
  at = $state<number | undefined>(undefined);
  moment = $state.raw<DevMoment | undefined>(undefined);
  /** What saving the rules did to the match. */
  reloaded = $state.raw<Reload | undefined>(undefined);
  isBusy = $state(false);
  /** Why the last thing that was tried is not allowed, and which rule failed, if one did. */
  refused = $state.raw<Refusal | undefined>(undefined);
  /** Grows whenever the match is another one, or has gone back: questions may have the same numbers again. */
  epoch = $state(0);
  /** The hash of the rules whose words the tables know. */
  #shownWith = '';
  #wanted = 0;

  get eventCount(): number {
    return this.now?.eventCount ?? 0;
  }

  /** The view that is shown to the all-knowing. */
  get seen() {
    return this.at === undefined ? this.now : this.moment;
  }

  /** Begins a match; with another seed each time, unless one is wished for. */
  async begin(wish: NewMatch): Promise<void> {
    this.reloaded = undefined;
    const seed = Math.floor(Math.random() * MOST_SEEDS);
    await this.#anew(() => dev.begin({ seed, ...wish }));
  }

  /** Begins again as it was set up. */
  async again(): Promise<void> {
    const before = this.now;
    if (before) await this.begin({ ...before.setup, bots: before.bots });
  }

  /** Looks at how it stands, if there is a match. */
  async refresh(): Promise<void> {
    await this.#take(() => dev.match());
  }

  async send(input: SeatInput): Promise<void> {
    await this.#take(() => dev.send(input));
  }

  answer(seat: number, inputId: number, answers: Value): Promise<void> {
    return this.send({ kind: 'answer', seat, inputId, answers });
  }

  async setBot(seat: number, bot: Bot): Promise<void> {
    const bots = this.now?.bots.with(seat, bot);
    if (bots) await this.#take(() => dev.bots(bots));
  }

  async setDice(rolls: Roll[]): Promise<void> {
    await this.#take(() => dev.dice(rolls));
  }

  async back(inputs: number): Promise<void> {
    await this.#anew(() => dev.back(inputs));
  }

  async branch(number: number): Promise<void> {
    await this.#anew(() => dev.branch(number));
  }

  /** The rules were saved and the inputs taken again. */
  async changedRules(reload: Reload): Promise<void> {
    this.reloaded = reload;
    if (reload.playable && this.now) await this.#anew(() => dev.match());
  }

  /** Steps to an event; past the last one is how it stands. */
  async step(at: number): Promise<void> {
    const wanted = (this.#wanted += 1);
    if (at >= this.eventCount) {
      this.at = undefined;
      this.moment = undefined;
      return;
    }
    const to = Math.max(0, at);
    const moment = await dev.moment(to);
    if (wanted !== this.#wanted) return;
    this.at = to;
    this.moment = moment;
  }

  async #anew(act: () => Promise<MatchNow>): Promise<void> {
    await this.#take(act);
    this.epoch += 1;
  }

  async #take(act: () => Promise<MatchNow>): Promise<void> {
    this.isBusy = true;
    this.refused = undefined;
    try {
      const now = await act();
      if (now.ruleset.hash !== this.#shownWith) {
        knowRules(await dev.words());
        this.#shownWith = now.ruleset.hash;
      }
      this.now = now;
      this.#wanted += 1;
      this.at = undefined;
      this.moment = undefined;
      this.timeline = await dev.timeline();
    } catch (error) {
      this.refused = refusal(error);
    } finally {
      this.isBusy = false;
    }
  }
}
