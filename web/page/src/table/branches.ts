/** Alternatives within alternatives: what was taken, and whether it is enough. */
import type { Branch, Value } from '@intermezzo/sdk';

import { picksOf } from './asking.ts';

/** What was taken of the alternatives of one level. */
export interface Taken {
  [id: string]: { inner: Taken; picks: number[] };
}

export const isTaken = (taken: Taken, branch: Branch): boolean => branch.id in taken;

/** Takes an alternative or lets go of it; an exclusive one goes with no other, and the oldest makes room. */
export function takenWith(taken: Taken, branch: Branch, siblings: Branch[], max: number): Taken {
  if (isTaken(taken, branch)) return Object.fromEntries(Object.entries(taken).filter(([id]) => id !== branch.id));
  const isAlone = (id: string) => siblings.find((one) => one.id === id)?.exclusive ?? false;
  const kept = branch.exclusive ? [] : Object.entries(taken).filter(([id]) => !isAlone(id));
  return Object.fromEntries([...kept.slice(Math.max(0, kept.length + 1 - max)), [branch.id, { inner: {}, picks: [] }]]);
}

/** The answer as the server takes it. */
export function branchAnswer(taken: Taken, branches: Branch[]): Value {
  return branches
    .filter((branch) => isTaken(taken, branch))
    .map((branch) => {
      const { inner, picks } = taken[branch.id]!;
      return {
        id: branch.id,
        selection: branch.branches?.length ? branchAnswer(inner, branch.branches) : picksOf(branch.options, picks),
      };
    });
}

/** Whether so many were taken on every level as have to be. */
export function isComplete(taken: Taken, branches: Branch[], min: number, max: number): boolean {
  const own = branches.filter((branch) => isTaken(taken, branch));
  if (own.length < min || own.length > max) return false;
  return own.every((branch) => {
    const { inner, picks } = taken[branch.id]!;
    if (branch.branches?.length) return isComplete(inner, branch.branches, branch.min, branch.max);
    return picks.length >= branch.min && picks.length <= branch.max;
  });
}
