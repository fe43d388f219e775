/** The match of the playground: its state, its timeline, and stepping through its events. */
import { ProblemError, type Value } from '@intermezzo/sdk';

import { errorText } from '../lib/text.ts';
import { cacheDisplay } from '../match/display-cache.ts';
import {
  dev,
  type Bot,
  type DevMoment,
  type MatchSettings,
  type PlaygroundState,
  type Reload,
  type Roll,
  type SeatInput,
  type Timeline,
} from './api.ts';

/** A rejected input, with the rule that failed, if any. */
export interface RejectedInput {
  text: string;
  file?: string;
  line?: number;
}

function rejectedInput(error: unknown): RejectedInput {
  const text = errorText(error);
  if (!(error instanceof ProblemError)) return { text };
  const { file, line } = error.problem as { file?: unknown; line?: unknown };
  return typeof file === 'string' && typeof line === 'number' ? { text, file, line } : { text };
}

/** Random seeds stay short, so that they are easy to write down. */
const MAX_SEED = 100_000;

export class PlaygroundMatch {
  state = $state.raw<PlaygroundState | undefined>(undefined);
  timeline = $state.raw<Timeline | undefined>(undefined);
  /** The event that is shown; undefined for the current state. */
  at = $state<number | undefined>(undefined);
  moment = $state.raw<DevMoment | undefined>(undefined);
  /** Result of the last change of the rules. */
  reload = $state.raw<Reload | undefined>(undefined);
  isBusy = $state(false);
  rejected = $state.raw<RejectedInput | undefined>(undefined);
  /** Changes when the match is replaced or rewound, because prompt numbers may then repeat. */
  epoch = $state(0);
  /** Hash of the ruleset whose display data is cached. */
  #displayHash = '';
  #stepRequests = 0;

  get eventCount(): number {
    return this.state?.eventCount ?? 0;
  }

  /** The state or moment with all hidden information. */
  get inspected() {
    return this.at === undefined ? this.state : this.moment;
  }

  /** Starts a match, with a random seed by default. */
  async start(settings: MatchSettings): Promise<void> {
    this.reload = undefined;
    const seed = Math.floor(Math.random() * MAX_SEED);
    await this.#replace(() => dev.start({ seed, ...settings }));
  }

  /** Starts a match with the same settings and seed. */
  async restart(): Promise<void> {
    const before = this.state;
    if (before) await this.start({ ...before.setup, bots: before.bots });
  }

  async refresh(): Promise<void> {
    await this.#update(() => dev.match());
  }

  async send(input: SeatInput): Promise<void> {
    await this.#update(() => dev.send(input));
  }

  answer(seat: number, inputId: number, answers: Value): Promise<void> {
    return this.send({ kind: 'answer', seat, inputId, answers });
  }

  async setBot(seat: number, bot: Bot): Promise<void> {
    const bots = this.state?.bots.with(seat, bot);
    if (bots) await this.#update(() => dev.bots(bots));
  }

  async setDice(rolls: Roll[]): Promise<void> {
    await this.#update(() => dev.dice(rolls));
  }

  /** Rewinds to the state after a number of inputs. */
  async rewind(inputs: number): Promise<void> {
    await this.#replace(() => dev.back(inputs));
  }

  /** Continues an abandoned branch. */
  async switchBranch(number: number): Promise<void> {
    await this.#replace(() => dev.branch(number));
  }

  /** Handles saved rules: the server has replayed the inputs. */
  async onReload(reload: Reload): Promise<void> {
    this.reload = reload;
    if (reload.playable && this.state) await this.#replace(() => dev.match());
  }

  /** Shows the state after an event; the last one is the current state. */
  async step(at: number): Promise<void> {
    const request = (this.#stepRequests += 1);
    if (at >= this.eventCount) {
      this.at = undefined;
      this.moment = undefined;
      return;
    }
    const target = Math.max(0, at);
    const moment = await dev.moment(target);
    if (request !== this.#stepRequests) return;
    this.at = target;
    this.moment = moment;
  }

  async #replace(request: () => Promise<PlaygroundState>): Promise<void> {
    await this.#update(request);
    this.epoch += 1;
  }

  async #update(request: () => Promise<PlaygroundState>): Promise<void> {
    this.isBusy = true;
    this.rejected = undefined;
    try {
      const state = await request();
      if (state.ruleset.hash !== this.#displayHash) {
        cacheDisplay(await dev.display());
        this.#displayHash = state.ruleset.hash;
      }
      this.state = state;
      this.#stepRequests += 1;
      this.at = undefined;
      this.moment = undefined;
      this.timeline = await dev.timeline();
    } catch (error) {
      this.rejected = rejectedInput(error);
    } finally {
      this.isBusy = false;
    }
  }
}
