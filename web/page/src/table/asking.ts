/** What a question offers to do at the table: which things can be pressed, and what that leads to. */
import type { Branch, Option, Prompt, Value } from '@intermezzo/sdk';

import { optionWord, titled, word } from '../lib/words.ts';
import { isSquare, squareOf, type Grid } from './grid.ts';
import type { Thing } from './things.ts';

/** One whole way to answer that begins with a thing and goes on with what it is aimed at. */
export interface Way {
  answer: Value;
  /** The thing that does it; null if it belongs to none. */
  host: Thing | null;
  /** Tells kinds of doing apart. */
  action: string;
  title: string;
  text: string | undefined;
  hint: string | undefined;
  costs: string;
  icon: string | undefined;
  /** What it is aimed at, one after the other. */
  targets: Target[];
}

export interface Target {
  name: string;
  /** The thing it is, if it lies on the table. */
  thing: Thing | undefined;
  key: string;
  label: string;
}

/** How a question is answered. */
export type Manner = 'ways' | 'pick' | 'order' | 'slots' | 'path' | 'tree';

export function mannerOf(prompt: Prompt): Manner {
  if (prompt.path) return 'path';
  if (prompt.slots !== null) return 'slots';
  // Where not everything has to be put in order, picking one after the other is the order.
  if (prompt.kind === 'order_select' && prompt.min === prompt.options.length) return 'order';
  if (prompt.branches.length > 0) return prompt.max === 1 && prompt.branches.every(isPlain) ? 'ways' : 'tree';
  return prompt.kind === 'action' ? 'ways' : 'pick';
}

/** Whether a branch asks for one thing at most, however deep. */
function isPlain(branch: Branch): boolean {
  return branch.max <= 1 && (branch.branches ?? []).every(isPlain);
}

/** Whether picking one is the whole answer. */
export const isSingle = (prompt: Prompt): boolean => prompt.min <= 1 && prompt.max === 1;

/** What to send for an option: its number, and that it is one. */
export const pickOf = ({ n }: Option): Value => ({ n });

/** The same for several by their numbers; null is an empty slot. */
export function picksOf(options: Option[], numbers: (number | null)[]): Value[] {
  return numbers.map((n) => {
    const option = options.find((one) => one.n === n);
    return option === undefined ? null : pickOf(option);
  });
}

/** The thing an option stands for. */
export function thingOf(value: Value, shown: Set<Thing>, grid: Grid | undefined): Thing | undefined {
  if (typeof value === 'string') return shown.has(value) ? value : undefined;
  return isSquare(grid, value) ? squareOf(grid, value) : undefined;
}

/** All ways to answer a question of actions, or of alternatives of which one is taken. */
export function waysOf(
  prompt: Prompt,
  shown: Set<Thing>,
  grid: Grid | undefined,
  name: (thing: Thing) => string,
): Way[] {
  const see = (value: Value) => thingOf(value, shown, grid);
  if (prompt.branches.length > 0) {
    return prompt.branches.flatMap((branch) =>
      branchWays(branch, [], see).map((way) => ({ ...way, answer: [way.answer] })),
    );
  }
  return prompt.options.map((option) => offerWay(option, see, name));
}

function offerWay(option: Option, see: (value: Value) => Thing | undefined, name: (thing: Thing) => string): Way {
  const {
    action = '',
    host = null,
    targets = {},
  } = option.value as { action?: string; host?: string | null; targets?: Record<string, Value> };
  return {
    answer: [pickOf(option)],
    host: host === null ? null : (see(host) ?? null),
    action,
    title: option.title ?? optionWord(option),
    text: option.text,
    hint: option.hint,
    costs: costWords(option.costs ?? []),
    icon: iconOf(option.ui),
    targets: Object.entries(targets).map(([key, value]) => {
      const thing = see(value);
      return { name: key, thing, key: JSON.stringify(value), label: thing === undefined ? word(value) : name(thing) };
    }),
  };
}

function branchWays(branch: Branch, above: string[], see: (value: Value) => Thing | undefined): Way[] {
  const path = [...above, branch.id];
  const common = {
    action: path.join('.'),
    title: branch.title,
    text: undefined,
    hint: undefined,
    costs: '',
    icon: undefined,
  };
  const inner = branch.branches ?? [];
  if (inner.length > 0) {
    return inner.flatMap((deeper) =>
      branchWays(deeper, path, see).map((way) => ({
        ...way,
        title: `${branch.title}: ${way.title}`,
        answer: { id: branch.id, selection: [way.answer] },
      })),
    );
  }
  const bare: Way = { ...common, host: null, targets: [], answer: { id: branch.id, selection: [] } };
  const picks = branch.options.map((option): Way => {
    const thing = see(option.value);
    const target = { name: branch.id, thing: undefined, key: String(option.n), label: optionWord(option) };
    return {
      ...common,
      host: thing ?? null,
      targets: thing === undefined ? [target] : [],
      answer: { id: branch.id, selection: [pickOf(option)] },
    };
  });
  return branch.min === 0 ? [bare, ...picks] : picks;
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

/** Costs as people read them: `2 mana`, `use action`. */
export function costWords(costs: { op: string; [key: string]: Value }[]): string {
  return costs.flatMap(costWord).join(', ');
}

function costWord({ op, ...rest }: { op: string; [key: string]: Value }): string[] {
  const { resource, amount } = rest;
  if (resource !== undefined && amount !== undefined) return amount === 0 ? [] : [`${word(amount)} ${word(resource)}`];
  // Where a card goes when it is played goes without saying.
  if (op === 'move') return [];
  const said = Object.values(rest).filter((value) => typeof value === 'number');
  return [[titled(op), ...said.map(word)].join(' ').toLowerCase()];
}

// --- going a way -------------------------------------------------------------------------

/** How far a player has come with what they mean to do. */
export interface Begun {
  host: Thing | null | undefined;
  action: string | undefined;
  /** Keys of the targets so far. */
  targets: string[];
}

export const NOTHING_BEGUN: Begun = { host: undefined, action: undefined, targets: [] };

/** What can come next. */
export interface Stage {
  /** Ways that are still possible. */
  left: Way[];
  /** Things that can be pressed now, with what pressing them means. */
  spots: Map<Thing, Begun>;
  /** What is not on the table, as buttons. */
  words: Choice[];
  /** What is being asked for, if it is a target. */
  asks: string | undefined;
}

/** Something that can be pressed beside the table. */
export interface Choice {
  key: string;
  label: string;
  detail: string;
  costs: string;
  icon: string | undefined;
  next: Begun;
  /** Set if pressing it is the whole answer. */
  done: Way | undefined;
}

export function stageOf(ways: Way[], begun: Begun): Stage {
  const left = ways.filter((way) => fits(way, begun));
  const stage: Stage = { left, spots: new Map(), words: [], asks: undefined };
  if (begun.host === undefined) {
    for (const way of left) if (way.host !== null) stage.spots.set(way.host, { ...NOTHING_BEGUN, host: way.host });
    stage.words = actionChoices(
      left.filter((way) => way.host === null),
      null,
    );
  } else if (begun.action === undefined) {
    for (const way of ways) if (way.host !== null) stage.spots.set(way.host, { ...NOTHING_BEGUN, host: way.host });
    stage.words = actionChoices(left, begun.host);
  } else {
    const at = begun.targets.length;
    for (const way of left) {
      const target = way.targets[at];
      if (!target) continue;
      stage.asks = target.name;
      const next = { ...begun, targets: [...begun.targets, target.key] };
      if (target.thing !== undefined) stage.spots.set(target.thing, next);
      else if (!stage.words.some((choice) => choice.key === target.key)) {
        const done = way.targets.length === at + 1 ? way : undefined;
        stage.words.push({ key: target.key, label: target.label, detail: '', costs: '', icon: undefined, next, done });
      }
    }
  }
  return stage;
}

/** The way that is gone to its end, if it is. */
export function arrived(ways: Way[], begun: Begun): Way | undefined {
  if (begun.action === undefined) return undefined;
  return ways.find((way) => fits(way, begun) && way.targets.length === begun.targets.length);
}

/** Goes on by itself where there is only one kind of doing, and it has to be aimed. */
export function hurried(ways: Way[], begun: Begun): Begun {
  if (begun.host === undefined || begun.action !== undefined) return begun;
  const left = ways.filter((way) => fits(way, begun));
  const [first] = left;
  const isOne = first && left.every((way) => way.action === first.action);
  return isOne && first.targets.length > 0 ? { ...begun, action: first.action } : begun;
}

function fits(way: Way, begun: Begun): boolean {
  if (begun.host !== undefined && way.host !== begun.host) return false;
  if (begun.action !== undefined && way.action !== begun.action) return false;
  return begun.targets.every((key, at) => way.targets[at]?.key === key);
}

function actionChoices(ways: Way[], host: Thing | null): Choice[] {
  const found = new Map<string, Choice>();
  for (const way of ways) {
    if (found.has(way.action)) continue;
    const next = { host, action: way.action, targets: [] };
    found.set(way.action, {
      key: way.action,
      label: way.title,
      detail: way.text ?? '',
      costs: way.costs,
      icon: way.icon,
      next,
      done: way.targets.length === 0 ? way : undefined,
    });
  }
  return [...found.values()];
}

/** The ways that dragging `what` onto `onto` may mean. */
export function dragged(ways: Way[], what: Thing, onto: Thing): Way[] {
  return ways.filter((way) => way.host === what && way.targets[0]?.thing === onto);
}
