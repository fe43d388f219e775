/** Answers as the server takes them. */
import type { Branch, Option, Prompt, Value } from './game.ts';

/**
 * An answer in which numbers are those of options, as prompts have them, written so that the server cannot take them for
 * anything else: where options are numbers themselves, it would rather believe that their values are meant.
 */
export function unmistakable(prompt: Prompt | undefined, answers: Value): Value {
  if (!prompt || prompt.path || !Array.isArray(answers)) return answers;
  if (prompt.branches.length > 0) return answers.map((taken) => inBranch(prompt.branches, taken));
  return answers.map((item) => valued(prompt.options, item));
}

function inBranch(branches: readonly Branch[], taken: Value): Value {
  if (typeof taken !== 'object' || taken === null || Array.isArray(taken)) return taken;
  const branch = branches.find(({ id }) => id === taken['id']);
  const selection = taken['selection'];
  if (!branch || !Array.isArray(selection)) return taken;
  const inner = branch.branches ?? [];
  const items = selection.map((item) => (inner.length > 0 ? inBranch(inner, item) : valued(branch.options, item)));
  return { ...taken, selection: items };
}

/** The value of an option that is a number, in place of the option's number. */
function valued(options: readonly Option[], item: Value): Value {
  const option = typeof item === 'number' ? options.find(({ n }) => n === item) : undefined;
  return option && options.some(({ value }) => typeof value === 'number') ? option.value : item;
}
