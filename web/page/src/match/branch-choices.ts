/** Answers to prompts with nested branches of which several can be chosen. */
import type { Branch, Value } from '@intermezzo/sdk';

import { optionAnswers } from './selection.ts';

/** The chosen branches of one level, by id. */
export interface BranchChoices {
  [id: string]: { nested: BranchChoices; picks: number[] };
}

export const isChosen = (choices: BranchChoices, branch: Branch): boolean => branch.id in choices;

/** Adds or removes a branch. An exclusive branch replaces all others; beyond `max` the oldest choice is dropped. */
export function toggleBranch(choices: BranchChoices, branch: Branch, siblings: Branch[], max: number): BranchChoices {
  if (isChosen(choices, branch)) return Object.fromEntries(Object.entries(choices).filter(([id]) => id !== branch.id));
  const isExclusive = (id: string) => siblings.find((one) => one.id === id)?.exclusive ?? false;
  const kept = branch.exclusive ? [] : Object.entries(choices).filter(([id]) => !isExclusive(id));
  return Object.fromEntries([
    ...kept.slice(Math.max(0, kept.length + 1 - max)),
    [branch.id, { nested: {}, picks: [] }],
  ]);
}

/** Returns the answer in the server's format. */
export function branchAnswer(choices: BranchChoices, branches: Branch[]): Value {
  return branches
    .filter((branch) => isChosen(choices, branch))
    .map((branch) => {
      const { nested, picks } = choices[branch.id]!;
      return {
        id: branch.id,
        selection: branch.branches?.length
          ? branchAnswer(nested, branch.branches)
          : optionAnswers(branch.options, picks),
      };
    });
}

/** Returns whether every level has an allowed number of choices. */
export function isComplete(choices: BranchChoices, branches: Branch[], min: number, max: number): boolean {
  const chosen = branches.filter((branch) => isChosen(choices, branch));
  if (chosen.length < min || chosen.length > max) return false;
  return chosen.every((branch) => {
    const { nested, picks } = choices[branch.id]!;
    if (branch.branches?.length) return isComplete(nested, branch.branches, branch.min, branch.max);
    return picks.length >= branch.min && picks.length <= branch.max;
  });
}
