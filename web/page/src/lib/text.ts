/** Values, names and errors as display text. */
import type { Option, Value } from '@intermezzo/sdk';

/** Formats a value that has no display name of its own. */
export function valueText(value: Value | undefined): string {
  if (value === null || value === undefined) return 'none';
  if (value === true) return 'Yes';
  if (value === false) return 'No';
  if (Array.isArray(value)) return value.map(valueText).join(', ') || 'none';
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, inner]) => `${humanize(key)} ${valueText(inner)}`)
      .join(', ');
  return typeof value === 'string' ? humanize(value) : String(value);
}

export function optionText(option: Option): string {
  return valueText(option.label ?? option.value);
}

/** Turns an identifier into words: `max_hand` becomes `max hand`. */
export function humanize(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, last: string, first: string) => `${last} ${first.toLowerCase()}`);
}

/** Turns an identifier into words with a capital first letter: `max_hand` becomes `Max hand`. */
export function sentenceCase(name: string): string {
  return upperFirst(humanize(name));
}

export function upperFirst(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return upperFirst(message);
}

/** Formats a number with its noun: `1 input`, `2 inputs`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
