/** What a reaction asks: who, what for, its cost and the numbers, from what the viewer sees. */
import type { Prompt, Value } from '@intermezzo/sdk';

import { upperFirst, valueText } from '../lib/text.ts';
import type { DisplayNames } from './display-names.ts';
import { symbolText } from './event-text.ts';
import { evaluate, fillPlaceholders, type Lookup } from './placeholders.ts';
import type { RulesetDisplay } from './ruleset-display.ts';
import type { ViewIndex } from './view-index.ts';

export interface ReactionWords {
  /** The question. */
  title: string;
  /** The entity that would react, and the name of what it has. */
  who: string;
  /** Name of the def or trait that reacts. */
  name: string;
  text: string;
  cost: string;
  /** The answers. */
  yes: string | undefined;
  no: string | undefined;
  /** A number that depends on the answer. */
  preview: { name: string; before: number; yes: number; no: number } | undefined;
}

export function reactionWords(
  prompt: Prompt,
  display: RulesetDisplay,
  names: DisplayNames,
  index: ViewIndex,
): ReactionWords | undefined {
  const hints = prompt.rule && display.reactions[prompt.rule.id];
  if (!hints) return undefined;
  const lookup: Lookup = (name, prop) => {
    const value = prompt.about?.payload[name];
    if (prop === undefined) return value;
    if (typeof value !== 'string') return undefined;
    return (index.entity(value) ?? index.player(value))?.props[prop];
  };
  const words = (value: Value) => {
    if (typeof value !== 'string') return valueText(value);
    if (!names.isObject(value)) return symbolText(value, names);
    if (names.isYou(value)) return 'you';
    const { owner } = index.entity(value) ?? {};
    return owner != null && names.isYou(owner) ? `your ${names.of(value)}` : names.of(value);
  };
  const filled = (text: string | null | undefined) =>
    text == null ? undefined : fillPlaceholders(text, lookup, words);
  const host = prompt.rule?.host === undefined ? '' : names.of(prompt.rule.host);
  return {
    title: upperFirst(filled(hints.title) ?? prompt.title),
    who: [host, hints.of === host ? '' : (hints.of ?? '')].filter(Boolean).join(': '),
    name: hints.of ?? '',
    text: hints.text ?? '',
    cost: hints.cost ?? '',
    yes: filled(hints.yes),
    no: filled(hints.no),
    preview: previewOf(hints.preview, lookup, words),
  };
}

function previewOf(
  hint: RulesetDisplay['reactions'][string]['preview'],
  lookup: Lookup,
  words: (value: Value) => string,
): ReactionWords['preview'] {
  if (!hint) return undefined;
  const [entity, before] = [lookup(hint.of, undefined), lookup(hint.of, hint.prop)];
  const change = (value: unknown) => (typeof value === 'number' ? value : evaluate(String(value), lookup));
  const [yes, no] = [change(hint.yes), change(hint.no)];
  if (entity == null || typeof before !== 'number' || typeof yes !== 'number' || typeof no !== 'number')
    return undefined;
  return { name: upperFirst(words(entity)), before, yes: before + yes, no: before + no };
}
