/** What is printed on a card: chosen by `ui.card` and `ui.label`, or everything plain if they say nothing. */
import type { Entity, Value } from '@intermezzo/sdk';

import { spaced, titled, word } from '../lib/words.ts';
import { numberOf } from './hash.ts';
import { changeOf, type Change } from './modified.ts';
import { hint, hintText, type Rules } from './rules.ts';

/** A value on a card, or beside a name. */
export interface Chip {
  name: string;
  text: string;
  /** A symbol by itself, or each of several, if icons may stand for them. */
  symbols?: string[];
  number?: number;
  change?: Change | undefined;
}

export interface Face {
  title: string;
  text: string | null;
  cost: Value | undefined;
  /** Power and toughness, or what the ruleset calls so. */
  strength: { power: number; toughness: number; damage: number } | undefined;
  /** Which of these something has changed. */
  changes: { cost?: Change | undefined; power?: Change | undefined; toughness?: Change | undefined };
  chips: Chip[];
  isTurned: boolean;
  /** The colour it is said to have, or else one of its own. */
  tone: string;
  /** What its picture is drawn from. */
  seed: string;
}

const COLOURS: Record<string, number> = {
  red: 25,
  rose: 5,
  pink: 350,
  amber: 75,
  orange: 55,
  yellow: 95,
  gold: 85,
  lime: 125,
  green: 150,
  jade: 165,
  teal: 190,
  cyan: 210,
  azure: 240,
  blue: 255,
  indigo: 275,
  violet: 295,
  purple: 305,
  magenta: 330,
};
const GREYS = new Set(['ivory', 'white', 'silver', 'grey', 'gray', 'black']);

/** What people call a thing. */
export function titleOf(rules: Rules, entity: Entity): string {
  const label = hintText(rules, 'label');
  const named = label === undefined ? undefined : entity.props[label];
  return typeof named === 'string' ? titled(named) : (entity.title ?? titled(entity.def ?? entity.kind));
}

/** The property a ruleset shows in that place of a card. */
export const shownAs = (rules: Rules, key: string): string | undefined => hintText(rules, 'card', key);

export function faceOf(rules: Rules, entity: Entity): Face {
  const change = (key: string) => changeOf(entity, shownAs(rules, key));
  const prop = (key: string) => {
    const name = shownAs(rules, key);
    return name === undefined ? undefined : entity.props[name];
  };
  const title = titleOf(rules, entity);
  const seed = hintText(rules, 'label') === undefined ? (entity.def ?? entity.kind) : title;
  return {
    title,
    text: entity.text,
    cost: prop('cost') ?? undefined,
    strength: strengthOf(prop('power'), prop('toughness'), prop('damage')),
    changes: { cost: change('cost'), power: change('power'), toughness: change('toughness') },
    chips: shownNames(rules, entity).flatMap((name) => chipsOf(entity, name)),
    isTurned: prop('turned') === true,
    tone: toneOf(rules, entity, seed),
    seed,
  };
}

function strengthOf(
  power: Value | undefined,
  toughness: Value | undefined,
  damage: Value | undefined,
): Face['strength'] {
  if (typeof power !== 'number' || typeof toughness !== 'number') return undefined;
  // What does not fight has these all the same: nobody wants to read them.
  if (power === 0 && toughness <= 1) return undefined;
  return { power, toughness, damage: typeof damage === 'number' ? damage : 0 };
}

/** The properties that are shown on the card itself. */
function shownNames(rules: Rules, entity: Entity): string[] {
  const shows = hint(rules, 'card', 'shows');
  if (Array.isArray(shows)) return shows.map(String).filter((name) => name in entity.props);
  if (hint(rules, 'card') !== undefined) return [];
  return Object.keys(entity.props)
    .filter((name) => name !== hintText(rules, 'label'))
    .slice(0, 4);
}

/** A property as people read it; nothing if there is nothing to read. */
export function chipOf(name: string, value: Value | undefined): Chip[] {
  if (value === null || value === undefined || value === false || value === '') return [];
  if (Array.isArray(value) && value.length === 0) return [];
  const chip: Chip = { name: spaced(name), text: value === true ? spaced(name) : word(value) };
  if (typeof value === 'number') chip.number = value;
  if (typeof value === 'string') chip.symbols = [value];
  if (Array.isArray(value) && value.every((inner) => typeof inner === 'string')) chip.symbols = value as string[];
  return [chip];
}

/** The same of a thing or player, with a mark if something has changed it. */
export function chipsOf(of: Pick<Entity, 'props' | 'modified'>, name: string): Chip[] {
  const change = changeOf(of, name);
  return chipOf(name, of.props[name]).map((chip) => (change === undefined ? chip : { ...chip, change }));
}

/** Everything one can know of a thing, for those who look closely. */
export function allChips(rules: Rules, entity: Entity): Chip[] {
  const resources = new Set(rules.kinds[entity.kind]?.resources ?? []);
  const isTold = ([name, value]: [string, Value]) => value !== 0 || resources.has(name);
  return Object.entries(entity.props)
    .filter(isTold)
    .flatMap(([name]) => chipsOf(entity, name));
}

/** A colour that can be drawn. */
function toneOf(rules: Rules, entity: Entity, seed: string): string {
  const wanted = hintText(rules, 'card', 'tone');
  const names = wanted === undefined ? shownNames(rules, entity) : [wanted];
  const found = names.map((name) => entity.props[name]).find((value) => typeof value === 'string' && isColour(value));
  return typeof found === 'string'
    ? colour(found)
    : `oklch(var(--tone-l) calc(var(--tone-c) * 0.6) ${numberOf(seed) % 360})`;
}

export const isColour = (name: string): boolean => name in COLOURS || GREYS.has(name);

/** The colour of a name, of a lightness that goes with the theme. */
export function colour(name: string): string {
  const hue = COLOURS[name];
  return hue === undefined ? 'oklch(var(--tone-l) 0.012 85)' : `oklch(var(--tone-l) var(--tone-c) ${hue})`;
}
