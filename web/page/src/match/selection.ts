/** Turns a prompt into candidate answers, and narrows them down click by click: source entity, action, targets. */
import type { Branch, Option, Prompt, Value } from '@intermezzo/sdk';

import { optionText, sentenceCase, valueText } from '../lib/text.ts';
import { isSquare, squareOf, type Grid } from './grid.ts';
import type { ObjectId } from './view-index.ts';

/** A complete answer: an action of a source entity with all its targets. */
export interface Candidate {
  answer: Value;
  /** Entity that performs the action; null if the action belongs to none. */
  host: ObjectId | null;
  action: string;
  title: string;
  text: string | undefined;
  hint: string | undefined;
  costs: string;
  icon: string | undefined;
  targets: Target[];
}

export interface Target {
  name: string;
  /** The object on the board, if the target is one. */
  object: ObjectId | undefined;
  key: string;
  label: string;
}

/** The kind of input a prompt needs. */
export type PromptMode = 'actions' | 'pick' | 'order' | 'slots' | 'path' | 'tree';

export function promptMode(prompt: Prompt): PromptMode {
  if (prompt.path) return 'path';
  if (prompt.slots !== null) return 'slots';
  // If only some options are ordered, the order of picking them is the answer.
  if (prompt.kind === 'order_select' && prompt.min === prompt.options.length) return 'order';
  if (prompt.branches.length > 0) return prompt.max === 1 && prompt.branches.every(isSingleBranch) ? 'actions' : 'tree';
  return prompt.kind === 'action' ? 'actions' : 'pick';
}

/** Returns whether a branch and everything nested in it allow at most one pick. */
function isSingleBranch(branch: Branch): boolean {
  return branch.max <= 1 && (branch.branches ?? []).every(isSingleBranch);
}

/** Returns whether one pick is the complete answer. */
export const isSinglePick = (prompt: Prompt): boolean => prompt.min <= 1 && prompt.max === 1;

export const optionAnswer = ({ n }: Option): Value => ({ n });

/** Returns the answer for several options by their numbers; null is an empty slot. */
export function optionAnswers(options: Option[], numbers: (number | null)[]): Value[] {
  return numbers.map((n) => {
    const option = options.find((one) => one.n === n);
    return option === undefined ? null : optionAnswer(option);
  });
}

/** Returns the object on the board that an option stands for. */
export function objectOf(value: Value, shown: Set<ObjectId>, grid: Grid | undefined): ObjectId | undefined {
  if (typeof value === 'string') return shown.has(value) ? value : undefined;
  return isSquare(grid, value) ? squareOf(grid, value) : undefined;
}

/** Returns all candidates of a prompt in `actions` mode. */
export function candidatesOf(
  prompt: Prompt,
  shown: Set<ObjectId>,
  grid: Grid | undefined,
  nameOf: (object: ObjectId) => string,
): Candidate[] {
  const toObject = (value: Value) => objectOf(value, shown, grid);
  if (prompt.branches.length > 0) {
    return prompt.branches.flatMap((branch) =>
      branchCandidates(branch, [], toObject).map((candidate) => ({ ...candidate, answer: [candidate.answer] })),
    );
  }
  return prompt.options.map((option) => actionCandidate(option, toObject, nameOf));
}

function actionCandidate(
  option: Option,
  toObject: (value: Value) => ObjectId | undefined,
  nameOf: (object: ObjectId) => string,
): Candidate {
  const {
    action = '',
    host = null,
    targets = {},
  } = option.value as { action?: string; host?: string | null; targets?: Record<string, Value> };
  return {
    answer: [optionAnswer(option)],
    host: host === null ? null : (toObject(host) ?? null),
    action,
    title: option.title ?? optionText(option),
    text: option.text,
    hint: option.hint,
    costs: costText(option.costs ?? []),
    icon: iconOf(option.ui),
    targets: Object.entries(targets).map(([name, value]) => {
      const object = toObject(value);
      return {
        name,
        object,
        key: JSON.stringify(value),
        label: object === undefined ? valueText(value) : nameOf(object),
      };
    }),
  };
}

function branchCandidates(
  branch: Branch,
  parents: string[],
  toObject: (value: Value) => ObjectId | undefined,
): Candidate[] {
  const path = [...parents, branch.id];
  const common = {
    action: path.join('.'),
    title: branch.title,
    text: undefined,
    hint: undefined,
    costs: '',
    icon: undefined,
  };
  const nested = branch.branches ?? [];
  if (nested.length > 0) {
    return nested.flatMap((inner) =>
      branchCandidates(inner, path, toObject).map((candidate) => ({
        ...candidate,
        title: `${branch.title}: ${candidate.title}`,
        answer: { id: branch.id, selection: [candidate.answer] },
      })),
    );
  }
  const withoutPick: Candidate = { ...common, host: null, targets: [], answer: { id: branch.id, selection: [] } };
  const picks = branch.options.map((option): Candidate => {
    const object = toObject(option.value);
    const target = { name: branch.id, object: undefined, key: String(option.n), label: optionText(option) };
    return {
      ...common,
      host: object ?? null,
      targets: object === undefined ? [target] : [],
      answer: { id: branch.id, selection: [optionAnswer(option)] },
    };
  });
  return branch.min === 0 ? [withoutPick, ...picks] : picks;
}

function iconOf(ui: string | undefined): string | undefined {
  if (ui === undefined) return undefined;
  try {
    const { icon } = JSON.parse(ui) as { icon?: unknown };
    return typeof icon === 'string' ? icon : undefined;
  } catch {
    return undefined;
  }
}

/** Formats costs: `2 mana, use action`. */
export function costText(costs: { op: string; [key: string]: Value }[]): string {
  return costs.flatMap(oneCostText).join(', ');
}

function oneCostText({ op, ...rest }: { op: string; [key: string]: Value }): string[] {
  const { resource, amount } = rest;
  if (resource !== undefined && amount !== undefined)
    return amount === 0 ? [] : [`${valueText(amount)} ${valueText(resource)}`];
  // Moving the played card is part of playing it, not a price.
  if (op === 'move') return [];
  const numbers = Object.values(rest).filter((value) => typeof value === 'number');
  return [[sentenceCase(op), ...numbers.map(valueText)].join(' ').toLowerCase()];
}

// --- selection ---------------------------------------------------------------------------

/** The part of an answer that the player has selected. */
export interface Selection {
  host: ObjectId | null | undefined;
  action: string | undefined;
  /** Keys of the selected targets. */
  targets: string[];
}

export const EMPTY_SELECTION: Selection = { host: undefined, action: undefined, targets: [] };

/** The possible next steps of a selection. */
export interface SelectionStage {
  /** Candidates that still match. */
  remaining: Candidate[];
  /** Objects on the board that can be clicked, with the resulting selection. */
  objects: Map<ObjectId, Selection>;
  /** Choices that are not on the board, shown as buttons. */
  buttons: Choice[];
  /** Name of the target to choose next, if any. */
  nextTarget: string | undefined;
}

export interface Choice {
  key: string;
  label: string;
  detail: string;
  costs: string;
  icon: string | undefined;
  next: Selection;
  /** Set if the choice completes the answer. */
  completes: Candidate | undefined;
}

export function selectionStage(candidates: Candidate[], selection: Selection): SelectionStage {
  const remaining = candidates.filter((candidate) => matches(candidate, selection));
  const stage: SelectionStage = { remaining, objects: new Map(), buttons: [], nextTarget: undefined };
  if (selection.host === undefined) {
    addHosts(stage, remaining);
    stage.buttons = actionChoices(
      remaining.filter((candidate) => candidate.host === null),
      null,
    );
  } else if (selection.action === undefined) {
    // Another host can still be selected instead.
    addHosts(stage, candidates);
    stage.buttons = actionChoices(remaining, selection.host);
  } else {
    addTargets(stage, selection);
  }
  return stage;
}

function addHosts(stage: SelectionStage, candidates: Candidate[]): void {
  for (const { host } of candidates) if (host !== null) stage.objects.set(host, { ...EMPTY_SELECTION, host });
}

function addTargets(stage: SelectionStage, selection: Selection): void {
  const index = selection.targets.length;
  for (const candidate of stage.remaining) {
    const target = candidate.targets[index];
    if (!target) continue;
    stage.nextTarget = target.name;
    const next = { ...selection, targets: [...selection.targets, target.key] };
    if (target.object !== undefined) stage.objects.set(target.object, next);
    else if (!stage.buttons.some((choice) => choice.key === target.key)) {
      const completes = completedCandidate(stage.remaining, next);
      const { key, label } = target;
      stage.buttons.push({ key, label, detail: '', costs: '', icon: undefined, next, completes });
    }
  }
}

/** Returns the candidate that a selection completes, if any: it has no more targets, or they are the only legal ones. */
export function completedCandidate(candidates: Candidate[], selection: Selection): Candidate | undefined {
  if (selection.action === undefined) return undefined;
  const remaining = candidates.filter((candidate) => matches(candidate, selection));
  if (remaining.length === 1) return remaining[0];
  return remaining.find((candidate) => candidate.targets.length === selection.targets.length);
}

/** Selects the action of a host if it has only one and that one needs targets. */
export function autoAdvance(candidates: Candidate[], selection: Selection): Selection {
  if (selection.host === undefined || selection.action !== undefined) return selection;
  const remaining = candidates.filter((candidate) => matches(candidate, selection));
  const [first] = remaining;
  const isOnlyAction = first && remaining.every((candidate) => candidate.action === first.action);
  return isOnlyAction && first.targets.length > 0 ? { ...selection, action: first.action } : selection;
}

function matches(candidate: Candidate, selection: Selection): boolean {
  if (selection.host !== undefined && candidate.host !== selection.host) return false;
  if (selection.action !== undefined && candidate.action !== selection.action) return false;
  return selection.targets.every((key, index) => candidate.targets[index]?.key === key);
}

function actionChoices(candidates: Candidate[], host: ObjectId | null): Choice[] {
  const found = new Map<string, Choice>();
  for (const candidate of candidates) {
    if (found.has(candidate.action)) continue;
    const next = { host, action: candidate.action, targets: [] };
    const completes = completedCandidate(candidates, next);
    const targets = completes?.targets.map(({ label }) => label) ?? [];
    found.set(candidate.action, {
      key: candidate.action,
      label: targets.length > 0 ? `${candidate.title} → ${targets.join(', ')}` : candidate.title,
      detail: candidate.text ?? '',
      costs: candidate.costs,
      icon: candidate.icon,
      next,
      completes,
    });
  }
  return [...found.values()];
}

/** Returns the candidates that dragging `source` onto `target` can mean. */
export function dragCandidates(candidates: Candidate[], source: ObjectId, target: ObjectId): Candidate[] {
  return candidates.filter((candidate) => candidate.host === source && candidate.targets[0]?.object === target);
}
