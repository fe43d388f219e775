/** Titles of questions with placeholders, such as `{claimant} has the {character}?`. */
import type { Branch, Prompt, Value } from '@intermezzo/sdk';

import { upperFirst, valueText } from '../lib/text.ts';
import type { DisplayNames } from './display-names.ts';

type Names = Pick<DisplayNames, 'isObject' | 'isYou' | 'of'>;

/** Returns the prompt with the names that the viewer knows in its titles. */
export function withNames(prompt: Prompt, names: Names): Prompt {
  const { values, template, passTemplate } = prompt;
  if (values === undefined) return prompt;
  const words = (value: Value): string => {
    if (value === null) return 'something';
    if (Array.isArray(value)) return value.map(words).join(', ');
    if (typeof value !== 'string' || !names.isObject(value)) return valueText(value);
    return names.isYou(value) ? 'you' : names.of(value);
  };
  const fill = (text: string) =>
    upperFirst(text.replaceAll(/\{([\w.]+)\}/g, (all, name: string) => (name in values ? words(values[name]!) : all)));
  const branch = (one: Branch): Branch => ({
    ...one,
    ...(one.template === undefined ? {} : { title: fill(one.template) }),
    ...(one.branches === undefined ? {} : { branches: one.branches.map(branch) }),
  });
  return {
    ...prompt,
    branches: prompt.branches.map(branch),
    ...(template === undefined ? {} : { title: fill(template) }),
    ...(passTemplate === undefined ? {} : { passTitle: fill(passTemplate) }),
  };
}
