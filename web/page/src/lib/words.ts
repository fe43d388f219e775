/** Values as people read them. */
import type { Option, Value } from '@intermezzo/sdk';

/** What a value is called where nothing better is known. */
export function word(value: Value | undefined): string {
  if (value === null || value === undefined) return 'nothing';
  if (value === true) return 'Yes';
  if (value === false) return 'No';
  if (Array.isArray(value)) return value.map(word).join(', ') || 'nothing';
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, inner]) => `${spaced(key)} ${word(inner)}`)
      .join(', ');
  return typeof value === 'string' ? spaced(value) : String(value);
}

/** What an option is called. */
export function optionWord(option: Option): string {
  return word(option.label ?? option.value);
}

/** A name of a program as words: `max_hand` is `max hand`. */
export function spaced(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, one: string, other: string) => `${one} ${other.toLowerCase()}`);
}

/** The same with a capital letter. */
export function titled(name: string): string {
  const words = spaced(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What to tell people of an error. */
export function errorWord(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** So many of something: `1 input`, `2 inputs`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
