/**
 * One player's hands at the table: what the match is now, what is asked, how far an answer has come, and what pressing
 * or dragging a thing means. Components ask `mark` and call `press`; who only looks on extends it.
 */
import { getContext, setContext, untrack } from 'svelte';
import { need, type Actions, type Match, type MatchState, type Prompt, type Step, type Value } from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';
import { tell } from '../lib/toasts.svelte.ts';
import {
  arrived,
  dragged,
  hurried,
  isSingle,
  mannerOf,
  NOTHING_BEGUN,
  picksOf,
  stageOf,
  thingOf,
  waysOf,
  type Begun,
  type Choice,
  type Stage,
  type Way,
} from './asking.ts';
import { Names } from './names.ts';
import { moved, placed, shortage, slotted, toggled, type Slots } from './picking.ts';
import { planOf, type Plan } from './plan.ts';
import { rulesOf } from './learning.ts';
import type { Rules } from './rules.ts';
import { tellStep, type Told } from './sentences.ts';
import { Things, type Thing } from './things.ts';
import { Walk } from './walk.svelte.ts';

/** What can be seen of a thing besides itself. */
export interface Mark {
  /** Pressing it does something. */
  can: boolean;
  /** It is picked, as this one of several. */
  picked?: number | true;
  /** It is what something is being done with. */
  isSource?: boolean;
  /** Somebody points at it. */
  isLit?: boolean;
  /** A lesson is about it. */
  isTaught?: boolean;
}

const NO_MARK: Mark = { can: false };
const MOST_TOLD = 400;
const MOST_RECALLED = 40;

export class Desk {
  readonly match: Match;
  now = $state.raw<MatchState>()!;
  rules = $state.raw<Rules | undefined>(undefined);
  told = $state.raw<Told[]>([]);
  /** What the last step brought that people are told of. */
  latest = $state.raw<Told[]>([]);
  /** Things that somebody points at, in the log or on the stack. */
  lit = $state.raw<Thing[]>([]);
  /** What is looked at closely. */
  seen = $state.raw<{ thing: Thing; at: DOMRect } | undefined>(undefined);
  /** What is being dragged. */
  carried = $state.raw<Thing | undefined>(undefined);
  actions = $state.raw<Actions | undefined>(undefined);
  begun = $state.raw<Begun>(NOTHING_BEGUN);
  picked = $state.raw<number[]>([]);
  slots = $state.raw<Slots>([]);
  walk = $state.raw<Walk | undefined>(undefined);
  isSending = $state(false);
  #which = $state<number | undefined>(undefined);
  #shownId = 0;
  #hash = '';
  #depths = new Map<number, number>();
  #names: Names | undefined;

  things = $derived(new Things(this.now.view));
  plan = $derived.by((): Plan | undefined =>
    this.rules && this.now.view ? planOf(this.rules, this.now.view) : undefined,
  );
  prompt = $derived.by((): Prompt | undefined => {
    const { prompts } = this.now;
    return prompts.find((prompt) => prompt.inputId === this.#which) ?? prompts[0];
  });
  manner = $derived(this.prompt && mannerOf(this.prompt));
  ways = $derived.by((): Way[] => {
    if (!this.prompt || !this.plan || this.manner !== 'ways') return [];
    return waysOf(this.prompt, this.plan.shown, this.plan.grid, (thing) => this.name(thing));
  });
  stage = $derived.by((): Stage | undefined => (this.manner === 'ways' ? stageOf(this.ways, this.begun) : undefined));
  /** Options of a plain question that lie on the table. */
  spots = $derived.by(() => {
    const found = new Map<Thing, number>();
    if (!this.prompt || !this.plan) return found;
    for (const option of this.prompt.options) {
      const thing = thingOf(option.value, this.plan.shown, this.plan.grid);
      if (thing !== undefined) found.set(thing, option.n);
    }
    return found;
  });
  marks = $derived.by(() => this.#marks());

  constructor(match: Match) {
    this.match = match;
    this.now = match.get();
  }

  /** Follows the match until the returned function is called. What it reads meanwhile is no reason for an effect to begin anew. */
  follow(): () => void {
    return untrack(() => this.#follow());
  }

  #follow(): () => void {
    const stop = this.match.subscribe((now) => {
      if (now.view !== this.now.view) this.names?.learn(now.view);
      this.now = now;
      if (now.ruleset && now.view && now.ruleset.hash !== this.#hash) void this.#learnRules(now.ruleset.hash);
      this.#turnToPrompt();
    });
    const forget = this.match.onStep((step, before, after) => {
      const names = this.names;
      if (!names) return;
      names.recall(step.events);
      names.learn(before);
      names.learn(after);
      const fresh = tellStep(step, names, after, this.#depths);
      this.told = [...this.told, ...fresh].slice(-MOST_TOLD);
      if (fresh.some((told) => !told.isMinor && !told.isHeading)) this.latest = fresh;
    });
    return () => {
      stop();
      forget();
      this.walk?.stop();
    };
  }

  get names(): Names | undefined {
    if (!this.#names && this.rules && this.now.view && this.now.seats.length > 0) {
      this.#names = new Names(this.rules, this.now.seats, this.now.view?.you ?? null);
      this.#names.learn(this.now.view);
    }
    return this.#names;
  }

  name(thing: Thing): string {
    return this.names?.of(thing) ?? thing;
  }

  get isSeated(): boolean {
    return this.now.seat !== null;
  }

  mark(thing: Thing): Mark {
    return this.marks.get(thing) ?? NO_MARK;
  }

  /** Turns to another of several questions. */
  turnTo(inputId: number): void {
    this.#which = inputId;
    this.#turnToPrompt();
  }

  // --- pressing ------------------------------------------------------------------------

  /** Does what pressing a thing means; looks at it if that is nothing. */
  press(thing: Thing): void {
    const { prompt, manner } = this;
    if (!prompt) return this.#inspect(thing);
    if (manner === 'ways') return this.#pressWay(thing);
    if (manner === 'path') return void this.walk?.press(thing);
    const n = this.spots.get(thing);
    if (n === undefined) return this.#inspect(thing);
    this.pick(n);
  }

  /** Picks an option of a plain question by its number. */
  pick(n: number): void {
    const { prompt, manner } = this;
    if (!prompt) return;
    if (manner === 'slots') return this.setSlots(slotted(this.slots, n));
    if (manner === 'pick' && isSingle(prompt)) return void this.send(picksOf(prompt.options, [n]));
    this.picked = toggled(this.picked, n, prompt.max);
    this.#keepDraft(this.picked);
  }

  /** Takes a choice that stands beside the table. */
  choose(choice: Choice): void {
    if (choice.done) return void this.send(choice.done.answer);
    this.begun = choice.next;
  }

  #pressWay(thing: Thing): void {
    const next = this.stage?.spots.get(thing);
    if (!next) return this.#inspect(thing);
    const before = this.begun;
    // Pressed again, a thing that can do only one thing does it.
    if (before.host === thing && before.action === undefined) {
      const [only, ...more] = this.stage?.words ?? [];
      if (only?.done && more.length === 0) return void this.send(only.done.answer);
      this.begun = NOTHING_BEGUN;
      return;
    }
    const done = arrived(this.ways, next);
    if (done) return void this.send(done.answer);
    this.begun = hurried(this.ways, next);
  }

  /** One's own thing that can do nothing now says why. */
  #inspect(thing: Thing): void {
    if (this.manner !== 'ways') return;
    this.begun =
      this.begun.host === thing || !this.reasons(thing).length ? this.#fresh() : { ...NOTHING_BEGUN, host: thing };
  }

  /** Why a thing cannot do what it could do at other times. */
  reasons(host: Thing): Actions['unavailable'] {
    return this.actions?.unavailable.filter((one) => one.host === host) ?? [];
  }

  // --- slots, order ----------------------------------------------------------------------

  place(n: number, at: number): void {
    this.setSlots(placed(this.slots, n, at));
  }

  setSlots(slots: Slots): void {
    this.slots = slots;
    this.#keepDraft(slots);
  }

  shift(from: number, to: number): void {
    this.picked = moved(this.picked, from, to);
    this.#keepDraft(this.picked);
  }

  /** What still keeps the answer from being sent. */
  get missing(): string | undefined {
    const { prompt, manner } = this;
    if (!prompt) return 'Nothing is asked';
    if (manner === 'path') return this.walk?.isEnough ? undefined : 'Go on';
    return manner === 'pick' ? shortage(this.picked.length, prompt.min, prompt.max) : undefined;
  }

  confirm(): void {
    if (!this.prompt || this.missing !== undefined) return;
    if (this.manner === 'path') return void this.send(this.walk!.answer);
    void this.send(picksOf(this.prompt.options, this.manner === 'slots' ? this.slots : this.picked));
  }

  pass(): void {
    if (this.prompt?.pass) void this.send('pass');
  }

  /** One step back in what was begun. */
  back(): void {
    if (this.seen) this.seen = undefined;
    else if (this.manner === 'path' && this.walk?.squares.length) this.walk.back();
    else if (this.begun.targets.length > 0) this.begun = { ...this.begun, targets: this.begun.targets.slice(0, -1) };
    else if (this.begun.host !== undefined || this.begun.action !== undefined) this.begun = this.#fresh();
    else if (this.picked.length > 0 && this.manner === 'pick') this.picked = [];
  }

  get hasBegun(): boolean {
    if (this.manner === 'path') return (this.walk?.squares.length ?? 0) > 0;
    if (this.manner === 'pick') return this.picked.length > 0;
    const fresh = this.#fresh();
    return this.begun.host !== fresh.host || this.begun.action !== fresh.action || this.begun.targets.length > 0;
  }

  async send(answer: Value): Promise<void> {
    const { prompt } = this;
    if (!prompt || this.isSending) return;
    this.isSending = true;
    this.seen = undefined;
    try {
      await this.match.answer(prompt.inputId, answer);
    } catch (error) {
      tell(error);
      this.begun = this.#fresh();
    } finally {
      this.isSending = false;
    }
  }

  // --- dragging --------------------------------------------------------------------------

  /** Whether a thing can be taken up. */
  canCarry(thing: Thing): boolean {
    if (this.manner === 'slots') return this.spots.has(thing);
    return this.manner === 'ways' && this.ways.some((way) => way.host === thing);
  }

  /** Whether what is carried may be put there. */
  canDrop(onto: Thing): boolean {
    return this.carried !== undefined && dragged(this.ways, this.carried, onto).length > 0;
  }

  /** Puts what is carried onto a thing, a zone or a slot. */
  drop(onto: { thing?: Thing | undefined; zone?: string | undefined; slot?: number | undefined }): void {
    const what = this.carried;
    this.carried = undefined;
    if (what === undefined) return;
    if (this.manner === 'slots') {
      const n = this.spots.get(what);
      if (n === undefined) return;
      if (onto.slot !== undefined) this.place(n, onto.slot);
      else if (this.slots.includes(n)) this.setSlots(slotted(this.slots, n));
      return;
    }
    const meant = onto.thing === undefined ? [] : dragged(this.ways, what, onto.thing);
    const [only, ...more] = meant;
    if (only && more.length === 0 && only.targets.length === 1) return void this.send(only.answer);
    if (only) {
      const isOneAction = more.every((way) => way.action === only.action);
      this.begun = {
        host: what,
        action: isOneAction ? only.action : undefined,
        targets: isOneAction ? [only.targets[0]!.key] : [],
      };
      return;
    }
    const zone = onto.zone;
    if (zone !== undefined && zone !== this.things.zoneOf(what)) this.match.drag(what, zone).catch(tell);
  }

  // --- inside ------------------------------------------------------------------------------

  async #learnRules(hash: string): Promise<void> {
    this.#hash = hash;
    try {
      this.rules = await rulesOf(hash);
      this.begun = this.#fresh();
      await this.#recall();
    } catch (error) {
      tell(error);
    }
  }

  /** Tells what happened before one came, as far as that can still be told. */
  async #recall(): Promise<void> {
    const { id, version, seat, view } = this.now;
    const names = this.names;
    if (!names || !view || version === 0) return;
    const query = { since: Math.max(0, version - MOST_RECALLED), ...(seat === null ? { spectate: true } : { seat }) };
    const past = (await need(client.http.GET('/matches/{id}/events', { params: { path: { id }, query } }))) as {
      items: Omit<Step, 'notices'>[];
    };
    const steps = past.items.filter((step) => step.version <= version);
    for (const step of steps) names.recall(step.events);
    const told = steps.flatMap((step) => tellStep({ notices: [], ...step }, names, view, this.#depths));
    this.told = [...told, ...this.told].slice(-MOST_TOLD);
  }

  /** Begins anew whenever another question is shown. */
  #turnToPrompt(): void {
    const id = this.prompt?.inputId ?? 0;
    if (id === this.#shownId) return;
    this.#shownId = id;
    const { prompt } = this;
    this.walk?.stop();
    this.walk = prompt?.path ? new Walk(this.match, prompt, () => this.plan?.grid) : undefined;
    this.picked = prompt && mannerOf(prompt) === 'order' ? this.#drafted(prompt) : [];
    this.slots = prompt?.slots == null ? [] : this.#draftedSlots(prompt, prompt.slots);
    if (prompt && mannerOf(prompt) === 'pick' && !isSingle(prompt)) this.picked = this.#numbers(prompt, prompt.draft);
    this.begun = this.#fresh();
    this.seen = undefined;
    this.actions = undefined;
    if (prompt?.kind === 'action') this.match.actions().then((found) => (this.actions = found), tell);
  }

  /** Where there is only one that can act, it is the one. */
  #fresh(): Begun {
    const hosts = new Set(this.ways.map((way) => way.host));
    const [only] = hosts;
    const isSubject = this.now.view?.phases.some((phase) => phase.subject === only);
    return hosts.size === 1 && only != null && isSubject ? { ...NOTHING_BEGUN, host: only } : NOTHING_BEGUN;
  }

  /** The options a value means. */
  #numbers(prompt: Prompt, value: Value): number[] {
    if (!Array.isArray(value)) return [];
    const keys = prompt.options.map((option) => JSON.stringify(option.value));
    return value
      .map((inner) => keys.indexOf(JSON.stringify(inner)))
      .filter((at) => at >= 0)
      .map((at) => prompt.options[at]!.n);
  }

  #drafted(prompt: Prompt): number[] {
    const draft = this.#numbers(prompt, prompt.draft);
    return draft.length === prompt.options.length ? draft : prompt.options.map((option) => option.n);
  }

  #draftedSlots(prompt: Prompt, count: number): Slots {
    const keys = prompt.options.map((option) => JSON.stringify(option.value));
    const draft = Array.isArray(prompt.draft) ? prompt.draft : [];
    return Array.from({ length: count }, (_, at) => {
      const found = keys.indexOf(JSON.stringify(draft[at] ?? null));
      return found < 0 ? null : prompt.options[found]!.n;
    });
  }

  #keepDraft(numbers: Slots): void {
    const { prompt } = this;
    // A draft that is not legal yet is refused, and that is no news: the next one will be.
    if (prompt?.drafts) this.match.draft(prompt.inputId, picksOf(prompt.options, numbers)).catch(() => undefined);
  }

  #marks(): Map<Thing, Mark> {
    const marks = new Map<Thing, Mark>();
    const add = (thing: Thing, mark: Partial<Mark>) => marks.set(thing, { ...NO_MARK, ...marks.get(thing), ...mark });
    const { prompt, manner, stage } = this;
    if (prompt && manner === 'ways') stage?.spots.forEach((_, thing) => add(thing, { can: true }));
    if (manner === 'pick' || manner === 'slots' || manner === 'order') {
      for (const [thing, n] of this.spots) {
        const at = manner === 'slots' ? this.slots.indexOf(n) : this.picked.indexOf(n);
        add(thing, {
          can: true,
          ...(at >= 0 ? { picked: manner === 'pick' && prompt?.kind !== 'order_select' ? true : at + 1 } : {}),
        });
      }
    }
    this.walk?.reach.forEach((thing) => add(thing, { can: true }));
    this.walk?.squares.forEach((thing, at) => add(thing, { can: true, picked: at + 1 }));
    if (this.begun.host) add(this.begun.host, { isSource: true });
    this.lit.forEach((thing) => add(thing, { isLit: true }));
    prompt?.lesson?.highlight.forEach((thing) => add(thing, { isTaught: true }));
    return marks;
  }
}

const KEY = Symbol('desk');
export const provideDesk = (desk: Desk): Desk => setContext(KEY, desk);
export const useDesk = (): Desk => getContext<Desk>(KEY);
