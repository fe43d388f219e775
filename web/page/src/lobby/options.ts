/** The form of a ruleset's options, made from its JSON Schema. */
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

/** How an option is asked for. */
export type Kind = 'switch' | 'number' | 'seconds' | 'choice' | 'data';

export interface Field {
  name: string;
  label: string;
  about: string;
  kind: Kind;
  /** The value if nothing is said. */
  usual: Value;
  min?: number | undefined;
  max?: number | undefined;
  choices: Value[];
  /** Whether it may be left empty. */
  mayBeNull: boolean;
}

/** The fields of a ruleset's schema, in its order. */
export function fieldsOf(schema: { $defs?: Record<string, Schema> }): Field[] {
  const options = schema.$defs?.['options']?.properties ?? {};
  return Object.entries(options).map(([name, option]) => fieldOf(name, option, schema.$defs ?? {}));
}

function fieldOf(name: string, option: Schema, defs: Record<string, Schema>): Field {
  const ways = (option.anyOf ?? [option]).map((way) => resolved(way, defs));
  const types = ways.flatMap((way) => way.type ?? []);
  const choices = ways.flatMap((way) => way.enum ?? []).filter((choice) => choice !== null);
  const isMs = name.endsWith('_ms') && types.includes('integer');
  return {
    name,
    label: labelOf(name),
    about: aboutOf(option.description ?? '', isMs),
    kind: kindOf(types, choices, isMs),
    usual: option.default ?? null,
    min: bound(option.minimum, isMs),
    max: bound(option.maximum, isMs),
    choices,
    mayBeNull: types.includes('null') || ways.some((way) => way.enum?.includes(null)),
  };
}

function resolved(schema: Schema, defs: Record<string, Schema>): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : { ...defs[name], ...schema };
}

function kindOf(types: string[], choices: Value[], isMs: boolean): Kind {
  if (choices.length > 0) return 'choice';
  if (types.includes('boolean')) return 'switch';
  if (isMs) return 'seconds';
  return types.includes('integer') || types.includes('number') ? 'number' : 'data';
}

function bound(bound: number | undefined, isMs: boolean): number | undefined {
  return bound === undefined || !isMs ? bound : bound / 1000;
}

function labelOf(name: string): string {
  const words = name.replace(/_ms$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** In the words of the form, where time is in seconds and nothing is an empty field. */
function aboutOf(text: string, isMs: boolean): string {
  const words = text.replaceAll(/\bnull\b/g, 'empty');
  return isMs ? words.replace(/\bMilliseconds\b/, 'Seconds').replace(/\bmilliseconds\b/, 'seconds') : words;
}

/** What a field shows of a value. */
export function shown(field: Field, value: Value): string | boolean {
  if (field.kind === 'switch') return value === true;
  if (value === null) return '';
  if (field.kind === 'seconds') return String(Number(value) / 1000);
  return field.kind === 'data' ? JSON.stringify(value) : String(value);
}

/** The value of what was typed; throws if it cannot be read. */
export function typed(field: Field, text: string | boolean): Value {
  if (field.kind === 'switch') return text === true;
  const words = String(text).trim();
  if (words === '' && field.mayBeNull) return null;
  if (field.kind === 'choice') return field.choices.find((choice) => String(choice) === words) ?? words;
  if (field.kind === 'data') return readData(field, words);
  const number = Number(words);
  if (words === '' || !Number.isFinite(number)) throw new Error(`${field.label}: a number is needed`);
  return field.kind === 'seconds' ? Math.round(number * 1000) : number;
}

function readData(field: Field, words: string): Value {
  try {
    return JSON.parse(words) as Value;
  } catch {
    throw new Error(`${field.label}: this is no JSON`);
  }
}

/** Only what differs from what is usual is sent. */
export function changed(fields: Field[], texts: Record<string, string | boolean>): Record<string, Value> {
  const values = fields.map((field) => [field, typed(field, texts[field.name] ?? '')] as const);
  const differ = values.filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(field.usual));
  return Object.fromEntries(differ.map(([field, value]) => [field.name, value]));
}
