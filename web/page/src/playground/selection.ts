/** What somebody has picked so far of what a question offers, and the answer it makes. */
import type { Branch, Prompt, Value } from '@intermezzo/sdk';

/** Numbers of options; null is an empty slot. */
export type Picks = (number | null)[];

/** Whether a single click is an answer. */
export function isDirect(prompt: Prompt): boolean {
  return prompt.slots === null && prompt.max === 1 && prompt.min <= 1 && !prompt.path && prompt.branches.length === 0;
}

/** Nothing picked: slots are all empty. */
export function nothing(prompt: Prompt): Picks {
  return Array.from({ length: prompt.slots ?? 0 }, () => null);
}

/** Picks an option, or puts it back. Slots are filled from the left; beyond the most, the first picked goes. */
export function toggled(prompt: Prompt, picks: Picks, n: number): Picks {
  if (prompt.slots !== null) {
    const at = picks.indexOf(n);
    if (at >= 0) return picks.with(at, null);
    const free = picks.indexOf(null);
    return free >= 0 ? picks.with(free, n) : picks;
  }
  if (picks.includes(n)) return picks.filter((known) => known !== n);
  return [...picks, n].slice(-Math.max(1, prompt.max));
}

/** Whether it is as many as are asked for. Slots that may not stay empty are the server's to refuse. */
export function isEnough(prompt: Prompt, picks: Picks): boolean {
  if (prompt.slots !== null) return picks.length === prompt.slots;
  return picks.length >= prompt.min && picks.length <= prompt.max;
}

/** What is taken of alternatives: numbers of options by the way to the alternative (`give/card`). */
export type Taken = Record<string, number[]>;

/** The way to an alternative. */
export function wayTo(parents: readonly string[], branch: Branch): string {
  return [...parents, branch.id].join('/');
}

/** Takes an alternative, or leaves it with all that is inside. Exclusive ones push their neighbours out. */
export function takenBranch(branches: readonly Branch[], parents: readonly string[], branch: Branch, taken: Taken): Taken {
  const way = wayTo(parents, branch);
  const without = (gone: string, from: Taken): Taken =>
    Object.fromEntries(Object.entries(from).filter(([key]) => key !== gone && !key.startsWith(`${gone}/`)));
  if (way in taken) return without(way, taken);
  let next = taken;
  for (const other of branches) {
    if (other !== branch && (branch.exclusive || other.exclusive)) next = without(wayTo(parents, other), next);
  }
  return { ...next, [way]: [] };
}

/** The answer that takes these alternatives. */
export function branchAnswer(branches: readonly Branch[], taken: Taken, parents: readonly string[] = []): Value[] {
  return branches
    .filter((branch) => wayTo(parents, branch) in taken)
    .map((branch) => {
      const way = wayTo(parents, branch);
      const inner = branch.branches ?? [];
      const selection = inner.length > 0 ? branchAnswer(inner, taken, [...parents, branch.id]) : (taken[way] ?? []);
      return { id: branch.id, selection };
    });
}
