/** Form fields for the options of a ruleset, derived from its JSON Schema. */
import type { Value } from '@intermezzo/sdk';

export interface Schema {
  type?: string | string[];
  enum?: Value[];
  minimum?: number;
  maximum?: number;
  description?: string;
  default?: Value;
  $ref?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
}

export type FieldKind = 'switch' | 'number' | 'seconds' | 'choice' | 'data';

export interface Field {
  name: string;
  label: string;
  description: string;
  kind: FieldKind;
  default: Value;
  min?: number | undefined;
  max?: number | undefined;
  choices: Value[];
  mayBeNull: boolean;
}

/** Returns the fields in the order of the schema. */
export function fieldsOf(schema: { $defs?: Record<string, Schema> }): Field[] {
  const options = schema.$defs?.['options']?.properties ?? {};
  return Object.entries(options).map(([name, option]) => fieldOf(name, option, schema.$defs ?? {}));
}

function fieldOf(name: string, option: Schema, defs: Record<string, Schema>): Field {
  const variants = (option.anyOf ?? [option]).map((variant) => resolveRef(variant, defs));
  const types = variants.flatMap((variant) => variant.type ?? []);
  const choices = variants.flatMap((variant) => variant.enum ?? []).filter((choice) => choice !== null);
  const isMs = name.endsWith('_ms') && types.includes('integer');
  return {
    name,
    label: labelOf(name),
    description: descriptionOf(option.description ?? '', isMs),
    kind: kindOf(types, choices, isMs),
    default: option.default ?? null,
    min: fieldBound(option.minimum, isMs),
    max: fieldBound(option.maximum, isMs),
    choices,
    mayBeNull: types.includes('null') || variants.some((variant) => variant.enum?.includes(null)),
  };
}

function resolveRef(schema: Schema, defs: Record<string, Schema>): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : { ...defs[name], ...schema };
}

function kindOf(types: string[], choices: Value[], isMs: boolean): FieldKind {
  if (choices.length > 0) return 'choice';
  if (types.includes('boolean')) return 'switch';
  if (isMs) return 'seconds';
  return types.includes('integer') || types.includes('number') ? 'number' : 'data';
}

function fieldBound(bound: number | undefined, isMs: boolean): number | undefined {
  return bound === undefined || !isMs ? bound : bound / 1000;
}

function labelOf(name: string): string {
  const words = name.replace(/_ms$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Adapts a description to the form, where times are in seconds and null is an empty field. */
function descriptionOf(text: string, isMs: boolean): string {
  const words = text.replaceAll(/\bnull\b/g, 'empty');
  return isMs ? words.replace(/\bMilliseconds\b/, 'Seconds').replace(/\bmilliseconds\b/, 'seconds') : words;
}

/** Returns the text that a field shows for a value. */
export function fieldText(field: Field, value: Value): string | boolean {
  if (field.kind === 'switch') return value === true;
  if (value === null) return '';
  if (field.kind === 'seconds') return String(Number(value) / 1000);
  return field.kind === 'data' ? JSON.stringify(value) : String(value);
}

/** Parses the text of a field; throws if it is invalid. */
export function parseField(field: Field, text: string | boolean): Value {
  if (field.kind === 'switch') return text === true;
  const words = String(text).trim();
  if (words === '' && field.mayBeNull) return null;
  if (field.kind === 'choice') return field.choices.find((choice) => String(choice) === words) ?? words;
  if (field.kind === 'data') return parseData(field, words);
  const number = Number(words);
  if (words === '' || !Number.isFinite(number)) throw new Error(`${field.label}: enter a number`);
  return field.kind === 'seconds' ? Math.round(number * 1000) : number;
}

function parseData(field: Field, words: string): Value {
  try {
    return JSON.parse(words) as Value;
  } catch {
    throw new Error(`${field.label}: invalid JSON`);
  }
}

/** Returns the options that differ from their defaults. */
export function changedOptions(fields: Field[], texts: Record<string, string | boolean>): Record<string, Value> {
  const values = fields.map((field) => [field, parseField(field, texts[field.name] ?? '')] as const);
  const changed = values.filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(field.default));
  return Object.fromEntries(changed.map(([field, value]) => [field.name, value]));
}
