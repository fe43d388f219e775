/**
 * The state of one match table: the match, the open prompt, the partial answer, and the effect of clicking or
 * dragging an object. Components read `mark` and call `press`; read-only tables override it.
 */
import { getContext, setContext, untrack } from 'svelte';
import {
  unwrap,
  type Actions,
  type Match,
  type MatchState,
  type Prompt,
  type Step,
  type Value,
  type View,
} from '@intermezzo/sdk';

import { client } from '../lib/session.svelte.ts';
import { showError } from '../lib/toasts.svelte.ts';
import { loadDisplay } from './display-cache.ts';
import { DisplayNames } from './display-names.ts';
import { stepLines, type LogLine } from './event-text.ts';
import { gridOf } from './grid.ts';
import { layoutOf, type Layout } from './layout.ts';
import { isMotionReduced } from './animation.ts';
import { beatsOf, condense, isTold, type Beat, type NumberChange } from './beats.ts';
import { beatMs, TOO_MANY, type Speed } from './pace.ts';
import { PathPicker } from './path-picker.svelte.ts';
import { moveItem, pickCountProblem, placeInSlot, togglePick, toggleSlot, type Slots } from './picks.ts';
import { withNames } from './prompt-texts.ts';
import { areTeammates } from './teams.ts';
import { skipDelay, skipReason, type SkipReason, type SkipSettings } from './auto-skip.ts';
import type { RulesetDisplay } from './ruleset-display.ts';
import {
  autoAdvance,
  candidatesOf,
  completedCandidate,
  dragCandidates,
  EMPTY_SELECTION,
  isSinglePick,
  objectOf,
  optionAnswers,
  promptMode,
  selectionStage,
  type Candidate,
  type Choice,
  type Selection,
  type SelectionStage,
} from './selection.ts';
import { ViewIndex, type ObjectId } from './view-index.ts';

/** Markings of an object on the table. */
export interface Mark {
  isSelectable: boolean;
  /** Set while a target is chosen: whether the object is the viewer's or another player's. */
  side?: 'friend' | 'foe' | undefined;
  /** Position among several picks, or true if the order does not matter. */
  picked?: number | true;
  /** Source of the action that is being selected. */
  isSource?: boolean;
  isHighlighted?: boolean;
  /** Highlighted by a tutorial hint. */
  isTutorial?: boolean;
}

const NO_MARK: Mark = { isSelectable: false };
const MAX_LOG_LINES = 400;
const MAX_HISTORY_VERSIONS = 40;

/**
 * Called right before the table shows a beat, or a state after all beats, so that positions can still be measured.
 */
export type ShowListener = (beat: Beat | undefined, before: View | undefined, ms: number | undefined) => void;

/** A beat to show, or a state that is complete once everything before it has been shown. */
type Waiting = { beat: Beat } | { state: MatchState };

export class Interaction {
  readonly match: Match;
  state = $state.raw<MatchState>()!;
  display = $state.raw<RulesetDisplay | undefined>(undefined);
  log = $state.raw<LogLine[]>([]);
  /** Lines of the last beat that had any to show. */
  latestLines = $state.raw<LogLine[]>([]);
  /** Lines with the cards that were revealed since the viewer's last answer. */
  reveals = $state.raw<LogLine[]>([]);
  /** For each of them, the numbers that rose or fell after it. */
  outcomes = $state.raw<NumberChange[][]>([]);
  /** Objects highlighted by pointing at the log or the stack. */
  highlighted = $state.raw<ObjectId[]>([]);
  /** Object with a tooltip. */
  inspected = $state.raw<{ object: ObjectId; rect: DOMRect } | undefined>(undefined);
  dragged = $state.raw<ObjectId | undefined>(undefined);
  actions = $state.raw<Actions | undefined>(undefined);
  selection = $state.raw<Selection>(EMPTY_SELECTION);
  picked = $state.raw<number[]>([]);
  slots = $state.raw<Slots>([]);
  path = $state.raw<PathPicker | undefined>(undefined);
  isSending = $state(false);
  isTutorialOn = $state(false);
  /** When the viewer last answered. */
  answeredAt = 0;
  /** Version that the viewer's last answer led to. */
  #answeredVersion = $state<number | undefined>(undefined);
  #selectedPromptId = $state<number | undefined>(undefined);
  #shownPromptId = 0;
  #rulesetHash = '';
  #eventDepths = new Map<number, number>();
  #names: DisplayNames | undefined;
  /** Beats and states that have arrived but are not shown yet. */
  #waiting: Waiting[] = [];
  /** The last state that has arrived. */
  #arrived: MatchState;
  #current = $state.raw<Beat | undefined>(undefined);
  #beatTimer: ReturnType<typeof setTimeout> | undefined;
  /** When the queue began to be shown. */
  #queueStart: number | undefined;
  /** True if the next reveal begins a new row of revealed cards. */
  #areRevealsOld = false;
  #answeredInput: number | undefined;
  #showListeners = new Set<ShowListener>();
  speed = $state<Speed>('none');
  skip = $state.raw<SkipSettings>({ isOn: false, asksAboutOwn: true, stops: {} });
  /** Why the open prompt is about to be passed. */
  skipping = $state<SkipReason | undefined>(undefined);
  #skipTimer: ReturnType<typeof setTimeout> | undefined;
  /** The prompt that the timer is about to pass. */
  #keptInput: number | undefined;
  /** A prompt that the player wants to answer after all. */
  #heldInput: number | undefined;

  index = $derived(new ViewIndex(this.state.view));
  layout = $derived.by((): Layout | undefined =>
    this.display && this.state.view ? layoutOf(this.display, this.state.view) : undefined,
  );
  prompt = $derived.by((): Prompt | undefined => {
    const { prompts } = this.state;
    const prompt = prompts.find((prompt) => prompt.inputId === this.#selectedPromptId) ?? prompts[0];
    return prompt && this.names ? withNames(prompt, this.names) : prompt;
  });
  mode = $derived(this.prompt && promptMode(this.prompt));
  candidates = $derived.by((): Candidate[] => {
    if (!this.prompt || !this.layout || this.mode !== 'actions') return [];
    return candidatesOf(this.prompt, this.layout.shown, this.layout.grid, (object) => this.name(object));
  });
  stage = $derived.by((): SelectionStage | undefined =>
    this.mode === 'actions' ? selectionStage(this.candidates, this.selection) : undefined,
  );
  /** Objects on the table that are options of the prompt, with their option numbers. */
  optionObjects = $derived.by(() => {
    const found = new Map<ObjectId, number>();
    if (!this.prompt || !this.layout) return found;
    for (const option of this.prompt.options) {
      const object = objectOf(option.value, this.layout.shown, this.layout.grid);
      if (object !== undefined) found.set(object, option.n);
    }
    return found;
  });
  marks = $derived.by(() => this.#marks());

  /** Beats are shown at the speed; read-only tables show everything at once. */
  constructor(match: Match, speed: Speed = 'none') {
    this.match = match;
    this.state = match.get();
    this.#arrived = this.state;
    this.speed = speed;
  }

  /** Follows the match until the returned function is called. Untracked, so that an effect calling it does not rerun. */
  follow(): () => void {
    return untrack(() => this.#follow());
  }

  #follow(): () => void {
    const unsubscribe = this.match.subscribe((state) => this.#enqueue(state));
    return () => {
      unsubscribe();
      clearTimeout(this.#beatTimer);
      clearTimeout(this.#skipTimer);
      this.path?.stop();
    };
  }

  /** True while beats are shown one after the other. */
  get isPlaying(): boolean {
    return this.#current !== undefined;
  }

  /** True while revealed cards turn, before anything else is shown. */
  get isRevealing(): boolean {
    return this.#current?.kind === 'reveal';
  }

  /** Calls `listener` before each beat is shown, until the returned function is called. */
  onShow(listener: ShowListener): () => void {
    this.#showListeners.add(listener);
    return () => void this.#showListeners.delete(listener);
  }

  /** Ends the current beat and shows the next one. */
  showNext(): void {
    if (!this.isPlaying) return;
    clearTimeout(this.#beatTimer);
    this.#endBeat();
    this.#advance();
  }

  /** Shows everything that waits at once. */
  showRest(): void {
    if (!this.isPlaying) return;
    clearTimeout(this.#beatTimer);
    this.#endBeat();
    this.#advance('none');
  }

  /** Splits a state that has arrived into beats. Nothing is told before it is seen: all wait for their turn. */
  #enqueue(state: MatchState): void {
    const before = this.#arrived;
    this.#arrived = state;
    const steps = before.version > 0 ? state.steps.filter((step) => step.version > before.version) : [];
    if (steps.length > 0)
      this.#waiting.push(...this.#newBeats(steps, before.view, state.view).map((beat) => ({ beat })));
    this.#waiting.push({ state });
    const beats = this.#waitingBeats();
    if (beats.length > TOO_MANY) {
      const states = this.#waiting.flatMap((one) => ('state' in one ? [one] : []));
      this.#waiting = [...condense(beats).map((beat) => ({ beat })), ...states.slice(-1)];
    }
    // The connection and who is there are not part of the game.
    if (this.isPlaying) {
      const { status, problem, connected, paused, clockAhead } = state;
      const prompts = this.#openPrompts();
      this.#announceChange(undefined);
      this.state = { ...this.state, status, problem, connected, paused, clockAhead, prompts };
      this.#resetForPrompt();
    } else this.#advance();
  }

  #waitingBeats(): Beat[] {
    return this.#waiting.flatMap((one) => ('beat' in one ? [one.beat] : []));
  }

  #newBeats(steps: Step[], before: View | undefined, after: View | undefined): Beat[] {
    const { names, display } = this;
    if (!names || !display || !before || !after) return [];
    const lines = steps.flatMap((step) => {
      names.rememberView(before);
      names.rememberEvents(step.events);
      names.rememberView(after);
      return stepLines(step, names, after, this.#eventDepths);
    });
    const events = steps.flatMap((step) => step.events);
    return beatsOf(before, events, after, lines, display, gridOf(display, after));
  }

  /** Shows what waits, as long as nothing takes time. */
  #advance(speed = document.hidden ? 'none' : this.speed): void {
    while (!this.isPlaying && this.#waiting.length > 0) {
      const [next] = this.#waiting;
      if (next && 'beat' in next) this.#startBeat(next.beat, speed);
      else this.#showState((this.#waiting.shift() as { state: MatchState }).state);
    }
    if (!this.isPlaying) this.#queueStart = undefined;
  }

  #startBeat(beat: Beat, speed: Speed): void {
    const beats = this.#waitingBeats() as [Beat, ...Beat[]];
    this.#waiting.shift();
    this.#queueStart ??= performance.now();
    const elapsedMs = performance.now() - this.#queueStart;
    const ms = beatMs(beats, { speed, isStill: isMotionReduced(), elapsedMs });
    this.#announceChange(beat, ms);
    const revealed = beat.lines.filter((line) => line.reveals.length > 0);
    if (revealed.length > 0) {
      const [reveals, outcomes] = this.#areRevealsOld ? [[], []] : [this.reveals, this.outcomes];
      this.reveals = [...reveals, ...revealed];
      this.outcomes = [...outcomes, ...revealed.map(() => [])];
      this.#areRevealsOld = false;
    } else {
      const last = this.outcomes.at(-1);
      if (last && beat.numbers.length > 0) this.outcomes = [...this.outcomes.slice(0, -1), [...last, ...beat.numbers]];
      this.#tell(beat);
    }
    this.names?.rememberView(beat.view);
    // The result comes after everything that led to it.
    const view = { ...beat.view, ending: this.state.view?.ending ?? null };
    this.state = { ...this.state, view, prompts: this.#openPrompts() };
    this.#resetForPrompt();
    this.#current = beat;
    if (ms === 0) this.#endBeat();
    else
      this.#beatTimer = setTimeout(() => {
        this.#endBeat();
        this.#advance();
      }, ms);
  }

  /** Tells listeners what the table is about to show, and for how long at least. */
  #announceChange(beat: Beat | undefined, ms?: number): void {
    this.#showListeners.forEach((listener) => listener(beat, this.state.view, ms));
  }

  /** Cards are seen before their line is told. */
  #endBeat(): void {
    if (this.#current?.lines.some((line) => line.reveals.length > 0)) this.#tell(this.#current);
    this.#current = undefined;
  }

  #tell({ lines }: Beat): void {
    if (lines.length === 0) return;
    this.log = [...this.log, ...lines].slice(-MAX_LOG_LINES);
    if (lines.some((line) => isTold(line) || line.dice)) this.latestLines = lines;
  }

  /** Returns the shown prompts that are still open. */
  #openPrompts(prompts = this.state.prompts): Prompt[] {
    const open = new Set(this.match.get().prompts.map(({ inputId }) => inputId));
    return prompts.filter(({ inputId }) => open.has(inputId) && inputId !== this.#answeredInput);
  }

  #showState(state: MatchState): void {
    this.#announceChange(undefined);
    if (state.view !== this.state.view) this.names?.rememberView(state.view);
    this.state = { ...state, prompts: this.#openPrompts(state.prompts) };
    if (state.ruleset && state.view && state.ruleset.hash !== this.#rulesetHash)
      void this.#loadDisplay(state.ruleset.hash);
    if (this.state.prompts.length > 0) this.#areRevealsOld = true;
    this.#resetForPrompt();
    this.#considerSkip();
  }

  // --- questions that need no press ----------------------------------------------------------

  setSkip(settings: SkipSettings): void {
    this.skip = settings;
    this.#considerSkip();
  }

  /** Passes the prompt after a moment if it needs no press. */
  #considerSkip(): void {
    const { prompt, display } = this;
    const { view, paused } = this.state;
    const isKnown = prompt !== undefined && view !== undefined && display !== undefined && !paused;
    const reason = isKnown ? skipReason(prompt, view, display, this.skip) : undefined;
    const isHeld = prompt !== undefined && this.#heldInput === prompt.inputId;
    const isUnderWay = this.#skipTimer !== undefined && this.#keptInput === prompt?.inputId;
    if (reason !== undefined && isUnderWay && !isHeld) return;
    clearTimeout(this.#skipTimer);
    this.#skipTimer = undefined;
    this.skipping = undefined;
    if (reason === undefined || isHeld) return;
    this.#keptInput = prompt!.inputId;
    this.skipping = reason;
    this.#skipTimer = setTimeout(() => {
      this.#skipTimer = undefined;
      // The question stays as it is until the answer has arrived.
      if (this.prompt?.inputId === this.#keptInput) this.pass();
      else this.skipping = undefined;
    }, skipDelay());
  }

  /** Keeps the open prompt from being passed. */
  hold(): void {
    if (this.skipping === undefined) return;
    this.#heldInput = this.prompt?.inputId;
    this.#considerSkip();
  }

  get names(): DisplayNames | undefined {
    if (!this.#names && this.display && this.state.view && this.state.seats.length > 0) {
      this.#names = new DisplayNames(this.display, this.state.seats, this.state.view?.you ?? null);
      this.#names.rememberView(this.state.view);
    }
    return this.#names;
  }

  name(object: ObjectId): string {
    return this.names?.of(object) ?? object;
  }

  /** Turns the hints of the rules on. */
  async startTutorial(): Promise<void> {
    await this.match.control({ kind: 'teach' });
    this.isTutorialOn = true;
  }

  get isSeated(): boolean {
    return this.state.seat !== null;
  }

  mark(object: ObjectId): Mark {
    return this.marks.get(object) ?? NO_MARK;
  }

  /** Shows one of several open prompts. */
  selectPrompt(inputId: number): void {
    this.#selectedPromptId = inputId;
    this.#resetForPrompt();
  }

  // --- clicking ------------------------------------------------------------------------

  /** Applies a click on an object. Objects that cannot be selected explain why. */
  press(object: ObjectId): void {
    this.hold();
    const { prompt, mode } = this;
    if (!prompt) return this.#explain(object);
    if (mode === 'actions') return this.#pressCandidate(object);
    if (mode === 'path') return void this.path?.press(object);
    const n = this.optionObjects.get(object);
    if (n === undefined) return this.#explain(object);
    this.pick(n);
  }

  /** Picks an option by its number. */
  pick(n: number): void {
    const { prompt, mode } = this;
    if (!prompt) return;
    if (mode === 'slots') return this.setSlots(toggleSlot(this.slots, n));
    if (mode === 'pick' && isSinglePick(prompt)) return void this.send(optionAnswers(prompt.options, [n]));
    this.picked = togglePick(this.picked, n, prompt.max);
    this.#saveDraft(this.picked);
  }

  /** Applies a choice that is shown as a button. */
  choose(choice: Choice): void {
    if (choice.completes) return void this.send(choice.completes.answer);
    this.selection = choice.next;
  }

  #pressCandidate(object: ObjectId): void {
    const next = this.stage?.objects.get(object);
    if (!next) return this.#explain(object);
    const before = this.selection;
    // A second click on an object with a single action performs it.
    if (before.host === object && before.action === undefined) {
      const [only, ...more] = this.stage?.buttons ?? [];
      if (only?.completes && more.length === 0) return void this.send(only.completes.answer);
      this.selection = EMPTY_SELECTION;
      return;
    }
    const selection = autoAdvance(this.candidates, next);
    const completed = completedCandidate(this.candidates, selection);
    if (completed) return void this.send(completed.answer);
    this.selection = selection;
  }

  /** Selects an object that cannot act, so that the prompt panel lists the reasons. */
  #explain(object: ObjectId): void {
    if (this.mode !== 'actions') return;
    this.selection =
      this.selection.host === object || !this.unavailableReasons(object).length
        ? this.#initialSelection()
        : { ...EMPTY_SELECTION, host: object };
  }

  unavailableReasons(host: ObjectId): Actions['unavailable'] {
    return this.actions?.unavailable.filter((one) => one.host === host) ?? [];
  }

  // --- slots and order -------------------------------------------------------------------

  setSlots(slots: Slots): void {
    this.slots = slots;
    this.#saveDraft(slots);
  }

  moveItem(from: number, to: number): void {
    this.picked = moveItem(this.picked, from, to);
    this.#saveDraft(this.picked);
  }

  /** The reason why the answer cannot be sent yet; undefined if it can. */
  get incompleteReason(): string | undefined {
    const { prompt, mode } = this;
    if (!prompt) return 'No open prompt';
    if (mode === 'path') return this.path?.isComplete ? undefined : 'Select more steps';
    return mode === 'pick' ? pickCountProblem(this.picked.length, prompt.min, prompt.max) : undefined;
  }

  confirm(): void {
    if (!this.prompt || this.incompleteReason !== undefined) return;
    if (this.mode === 'path') return void this.send(this.path!.answer);
    void this.send(optionAnswers(this.prompt.options, this.mode === 'slots' ? this.slots : this.picked));
  }

  pass(): void {
    if (this.prompt?.pass) void this.send('pass');
  }

  /** Undoes the last step of the selection. */
  back(): void {
    const { selection } = this;
    if (this.inspected) this.inspected = undefined;
    else if (this.mode === 'path' && this.path?.squares.length) this.path.back();
    else if (this.isFollowUp) void this.match.undo().catch(showError);
    else if (selection.targets.length > 0) this.selection = { ...selection, targets: selection.targets.slice(0, -1) };
    else if (selection.host !== undefined || selection.action !== undefined) this.selection = this.#initialSelection();
    else if (this.picked.length > 0 && this.mode === 'pick') this.picked = [];
  }

  /** True if the prompt asks for the way of an action just chosen: going back takes the action back. */
  get isFollowUp(): boolean {
    return this.mode === 'path' && this.#answeredVersion === this.state.version;
  }

  get hasSelection(): boolean {
    if (this.mode === 'path') return this.isFollowUp || (this.path?.squares.length ?? 0) > 0;
    if (this.mode === 'pick') return this.picked.length > 0;
    const { selection } = this;
    const initial = this.#initialSelection();
    return selection.host !== initial.host || selection.action !== initial.action || selection.targets.length > 0;
  }

  async send(answer: Value): Promise<void> {
    const { prompt } = this;
    if (!prompt || this.isSending) return;
    this.isSending = true;
    this.inspected = undefined;
    this.#answeredInput = prompt.inputId;
    this.answeredAt = performance.now();
    try {
      this.#answeredVersion = await this.match.answer(prompt.inputId, answer);
    } catch (error) {
      this.#answeredInput = undefined;
      this.state = { ...this.state, prompts: this.#openPrompts(this.#arrived.prompts) };
      showError(error);
      this.selection = this.#initialSelection();
    } finally {
      this.isSending = false;
    }
  }

  // --- dragging --------------------------------------------------------------------------

  canDrag(object: ObjectId): boolean {
    if (this.mode === 'slots') return this.optionObjects.has(object);
    return this.mode === 'actions' && this.candidates.some((candidate) => candidate.host === object);
  }

  /** Returns whether the dragged object can be dropped onto another. */
  canDrop(target: ObjectId): boolean {
    return this.dragged !== undefined && dragCandidates(this.candidates, this.dragged, target).length > 0;
  }

  /** Returns whether the dragged object can be dropped into a zone. */
  canDropInto(zone: string): boolean {
    return this.dragged !== undefined && this.#zoneCandidates(this.dragged, zone).length > 0;
  }

  /** Returns the actions without target that dragging a card out of a hand or pile into a zone of the viewer can mean. */
  #zoneCandidates(source: ObjectId, zone: string): Candidate[] {
    const zones = this.layout?.own?.zones ?? [];
    const target = zones.find(({ key }) => key === zone);
    const from = zones.find(({ key }) => key === this.index.zoneOf(source));
    if (!target || !from || target === from || target.style === 'pile' || from.style === 'row') return [];
    return this.candidates.filter((candidate) => candidate.host === source && candidate.targets.length === 0);
  }

  /** Drops the dragged object onto an object, a zone or a slot. */
  drop(target: { object?: ObjectId | undefined; zone?: string | undefined; slot?: number | undefined }): void {
    const source = this.dragged;
    this.dragged = undefined;
    if (source === undefined) return;
    if (this.mode === 'slots') return this.#dropIntoSlot(source, target.slot);
    const onto = target.object === undefined ? [] : dragCandidates(this.candidates, source, target.object);
    const into = onto.length > 0 || target.zone === undefined ? [] : this.#zoneCandidates(source, target.zone);
    const [only, ...more] = [...onto, ...into];
    if (!only) return;
    if (more.length === 0 && only.targets.length <= 1) return void this.send(only.answer);
    const isOneAction = more.every((candidate) => candidate.action === only.action);
    this.selection = {
      host: source,
      action: isOneAction ? only.action : undefined,
      targets: isOneAction ? only.targets.slice(0, 1).map(({ key }) => key) : [],
    };
  }

  #dropIntoSlot(source: ObjectId, slot: number | undefined): void {
    const n = this.optionObjects.get(source);
    if (n === undefined) return;
    if (slot !== undefined) this.setSlots(placeInSlot(this.slots, n, slot));
    else if (this.slots.includes(n)) this.setSlots(toggleSlot(this.slots, n));
  }

  // --- internals ---------------------------------------------------------------------------

  async #loadDisplay(rulesetHash: string): Promise<void> {
    this.#rulesetHash = rulesetHash;
    try {
      this.display = await loadDisplay(rulesetHash);
      this.#considerSkip();
      this.selection = this.#initialSelection();
      await this.#loadHistory();
    } catch (error) {
      showError(error);
    }
  }

  /** Fills the log with recent events from before the match was followed. */
  async #loadHistory(): Promise<void> {
    const { id, version, seat, view } = this.state;
    const names = this.names;
    if (!names || !view || version === 0) return;
    const since = Math.max(0, version - MAX_HISTORY_VERSIONS);
    const query = { since, ...(seat === null ? { spectate: true } : { seat }) };
    const history = (await unwrap(client.http.GET('/matches/{id}/events', { params: { path: { id }, query } }))) as {
      items: Omit<Step, 'notices'>[];
    };
    const steps = history.items.filter((step) => step.version <= version);
    for (const step of steps) names.rememberEvents(step.events);
    const lines = steps.flatMap((step) => stepLines({ notices: [], ...step }, names, view, this.#eventDepths));
    this.log = [...lines, ...this.log].slice(-MAX_LOG_LINES);
  }

  /** Clears the selection when another prompt is shown, and restores its draft. */
  #resetForPrompt(): void {
    const id = this.prompt?.inputId ?? 0;
    if (id === this.#shownPromptId) return;
    this.#shownPromptId = id;
    const { prompt } = this;
    this.path?.stop();
    this.path = prompt?.path ? new PathPicker(this.match, prompt, () => this.layout?.grid) : undefined;
    this.picked = prompt && promptMode(prompt) === 'order' ? this.#draftOrder(prompt) : [];
    this.slots = prompt?.slots == null ? [] : this.#draftSlots(prompt, prompt.slots);
    if (prompt && promptMode(prompt) === 'pick' && !isSinglePick(prompt))
      this.picked = this.#optionNumbers(prompt, prompt.draft);
    this.selection = this.#initialSelection();
    this.inspected = undefined;
    this.actions = undefined;
    if (prompt?.kind === 'action') this.match.actions().then((found) => this.#setActions(found), showError);
  }

  #setActions(actions: Actions): void {
    this.#announceChange(undefined);
    this.actions = actions;
  }

  /** Preselects the host if it is the only one that can act and the current phase is about it. */
  #initialSelection(): Selection {
    const hosts = new Set(this.candidates.map((candidate) => candidate.host));
    const [only] = hosts;
    const isSubject = this.state.view?.phases.some((phase) => phase.subject === only);
    return hosts.size === 1 && only != null && isSubject ? { ...EMPTY_SELECTION, host: only } : EMPTY_SELECTION;
  }

  /** Returns the numbers of the options whose values a list contains. */
  #optionNumbers(prompt: Prompt, value: Value): number[] {
    if (!Array.isArray(value)) return [];
    const keys = prompt.options.map((option) => JSON.stringify(option.value));
    return value
      .map((inner) => keys.indexOf(JSON.stringify(inner)))
      .filter((index) => index >= 0)
      .map((index) => prompt.options[index]!.n);
  }

  #draftOrder(prompt: Prompt): number[] {
    const draft = this.#optionNumbers(prompt, prompt.draft);
    return draft.length === prompt.options.length ? draft : prompt.options.map((option) => option.n);
  }

  #draftSlots(prompt: Prompt, count: number): Slots {
    const keys = prompt.options.map((option) => JSON.stringify(option.value));
    const draft = Array.isArray(prompt.draft) ? prompt.draft : [];
    return Array.from({ length: count }, (_, slot) => {
      const index = keys.indexOf(JSON.stringify(draft[slot] ?? null));
      return index < 0 ? null : prompt.options[index]!.n;
    });
  }

  #saveDraft(numbers: Slots): void {
    const { prompt } = this;
    if (!prompt?.drafts) return;
    // The server rejects incomplete drafts; that is expected while the player is still choosing.
    this.match.draft(prompt.inputId, optionAnswers(prompt.options, numbers)).catch(() => undefined);
  }

  /** True while the targets of an action are chosen. */
  get isTargeting(): boolean {
    return this.mode === 'actions' && this.selection.action !== undefined;
  }

  /** Returns whose an object is, if that matters: what is chosen from one's own hand is no target. */
  #sideOf(object: ObjectId): Mark['side'] {
    const you = this.state.view?.you;
    if (you == null || !(this.isTargeting || this.mode === 'pick')) return undefined;
    const owner = this.index.player(object)?.id ?? this.index.entity(object)?.owner;
    if (owner == null || !/^p\d+$/.test(owner)) return undefined;
    const hand = this.layout?.own?.zones.find(({ style }) => style === 'hand')?.key;
    if (hand !== undefined && this.index.zoneOf(object) === hand) return undefined;
    return owner === you || areTeammates(this.state.view, you, owner) ? 'friend' : 'foe';
  }

  /** The targets chosen so far. */
  #chosenTargets(): Candidate['targets'] {
    const { targets } = this.selection;
    return this.stage?.remaining[0]?.targets.slice(0, targets.length) ?? [];
  }

  #marks(): Map<ObjectId, Mark> {
    const marks = new Map<ObjectId, Mark>();
    const add = (object: ObjectId, mark: Partial<Mark>) =>
      marks.set(object, { ...NO_MARK, ...marks.get(object), ...mark });
    const { prompt, mode, stage } = this;
    if (prompt && mode === 'actions')
      stage?.objects.forEach((_, object) => add(object, { isSelectable: true, side: this.#sideOf(object) }));
    if (mode === 'pick' || mode === 'slots' || mode === 'order') {
      for (const [object, n] of this.optionObjects) {
        const index = mode === 'slots' ? this.slots.indexOf(n) : this.picked.indexOf(n);
        const isUnordered = mode === 'pick' && prompt?.kind !== 'order_select';
        const side = mode === 'pick' ? this.#sideOf(object) : undefined;
        add(object, { isSelectable: true, side, ...(index >= 0 ? { picked: isUnordered ? true : index + 1 } : {}) });
      }
    }
    this.path?.reachable.forEach((object) => add(object, { isSelectable: true }));
    this.path?.squares.forEach((object, index) => add(object, { isSelectable: true, picked: index + 1 }));
    if (mode === 'actions') for (const { object } of this.#chosenTargets()) if (object) add(object, { picked: true });
    if (this.selection.host) add(this.selection.host, { isSource: true });
    this.highlighted.forEach((object) => add(object, { isHighlighted: true }));
    prompt?.lesson?.highlight.forEach((object) => add(object, { isTutorial: true }));
    return marks;
  }
}

const CONTEXT_KEY = Symbol('interaction');
export const provideInteraction = (interaction: Interaction): Interaction => setContext(CONTEXT_KEY, interaction);
export const useInteraction = (): Interaction => getContext<Interaction>(CONTEXT_KEY);
