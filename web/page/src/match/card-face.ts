/** The contents of a card, as chosen by `ui.card` and `ui.label`. */
import type { Entity, Value } from '@intermezzo/sdk';

import { humanize, sentenceCase, valueText } from '../lib/text.ts';
import { pictureOf, type Picture } from '../art/pictures.ts';
import { printFor, printHue, type PrintChoice } from '../art/prints.ts';
import { changeOf, type Change } from './modified-values.ts';
import { uiHint, uiHintText, type RulesetDisplay } from './ruleset-display.ts';

/** A property shown on a card or next to a player. */
export interface Chip {
  name: string;
  text: string;
  /** Symbols that icons can replace. */
  symbols?: string[];
  number?: number;
  change?: Change | undefined;
}

export interface Face {
  title: string;
  text: string | null;
  cost: Value | undefined;
  /** Power, toughness and damage, if the ruleset declares properties for them. */
  strength: { power: number; toughness: number; damage: number } | undefined;
  /** Directions in which modifiers have changed these values. */
  changes: { cost?: Change | undefined; power?: Change | undefined; toughness?: Change | undefined };
  chips: Chip[];
  /** Turned sideways, e.g. because it was used this turn. */
  isTurned: boolean;
  /** Hue of the picture in degrees: the declared one, or one derived from the name. */
  hue: number;
  isGrey: boolean;
  picture: PrintChoice;
  /** Titles of its traits. */
  keywords: string[];
}

const COLOURS: Record<string, number> = {
  red: 6,
  rose: 342,
  pink: 330,
  amber: 38,
  orange: 26,
  yellow: 48,
  gold: 44,
  lime: 90,
  green: 140,
  jade: 158,
  teal: 175,
  cyan: 190,
  azure: 208,
  blue: 215,
  indigo: 240,
  violet: 270,
  purple: 285,
  magenta: 310,
};
const GREYS = new Set(['ivory', 'white', 'silver', 'grey', 'gray', 'black']);

/** Returns the display name of an entity. */
export function titleOf(display: RulesetDisplay, entity: Entity): string {
  const label = uiHintText(display, 'label');
  const named = label === undefined ? undefined : entity.props[label];
  return typeof named === 'string' ? sentenceCase(named) : (entity.title ?? sentenceCase(entity.def ?? entity.kind));
}

/** Returns the name of the property that the ruleset shows in a place of the card. */
export const cardProp = (display: RulesetDisplay, key: string): string | undefined => uiHintText(display, 'card', key);

export function faceOf(display: RulesetDisplay, entity: Entity): Face {
  const change = (key: string) => changeOf(entity, cardProp(display, key));
  const prop = (key: string) => {
    const name = cardProp(display, key);
    return name === undefined ? undefined : entity.props[name];
  };
  const picture = entityPicture(display, entity);
  return {
    title: picture.name ?? titleOf(display, entity),
    text: entity.text ?? picture.text ?? null,
    cost: prop('cost') ?? undefined,
    strength: strengthOf(prop('power'), prop('toughness'), prop('damage')),
    changes: { cost: change('cost'), power: change('power'), toughness: change('toughness') },
    chips: shownProps(display, entity).flatMap((name) => chipsOf(entity, name)),
    isTurned: prop('turned') === true,
    ...pictureColour(display, entity, picture),
    picture,
    keywords: entity.traits.map((trait) => sentenceCase(trait.title ?? trait.def)),
  };
}

/** Returns the picture of an entity. */
export function entityPicture(display: RulesetDisplay, entity: Entity): Picture {
  const title = titleOf(display, entity);
  const name = uiHintText(display, 'label') === undefined ? `${entity.def ?? entity.kind} ${title}` : title;
  return pictureOf(display, { def: entity.def, props: entity.props, name });
}

/** Returns the face of a card of which only the name is known: the value of the property that names cards. */
export function namedFace(name: string, display?: RulesetDisplay): Face {
  const label = display && uiHintText(display, 'label');
  const props = label === undefined ? {} : { [label]: name };
  const picture = display ? pictureOf(display, { def: null, props, name }) : undefined;
  const title = picture?.name ?? sentenceCase(name);
  const none = { cost: undefined, strength: undefined, changes: {}, chips: [], keywords: [], isTurned: false };
  const hue = picture?.hue ?? printHue(title);
  return { ...none, title, text: picture?.text ?? null, hue, isGrey: false, picture: picture ?? printFor(title) };
}

function strengthOf(
  power: Value | undefined,
  toughness: Value | undefined,
  damage: Value | undefined,
): Face['strength'] {
  if (typeof power !== 'number' || typeof toughness !== 'number') return undefined;
  // Cards that do not fight have the default values; showing them would only distract.
  if (power === 0 && toughness <= 1) return undefined;
  return { power, toughness, damage: typeof damage === 'number' ? damage : 0 };
}

/** Returns the names of the properties shown on the card. */
function shownProps(display: RulesetDisplay, entity: Entity): string[] {
  const shows = uiHint(display, 'card', 'shows');
  if (Array.isArray(shows)) return shows.map(String).filter((name) => name in entity.props);
  if (uiHint(display, 'card') !== undefined) return [];
  return Object.keys(entity.props)
    .filter((name) => name !== uiHintText(display, 'label'))
    .slice(0, 4);
}

/** Returns the chip of a property, or none if it is empty. */
export function chipOf(name: string, value: Value | undefined): Chip[] {
  if (value === null || value === undefined || value === false || value === '') return [];
  if (Array.isArray(value) && value.length === 0) return [];
  const chip: Chip = { name: humanize(name), text: value === true ? humanize(name) : valueText(value) };
  if (typeof value === 'number') chip.number = value;
  if (typeof value === 'string') chip.symbols = [value];
  if (Array.isArray(value) && value.every((inner) => typeof inner === 'string')) chip.symbols = value as string[];
  return [chip];
}

/** Returns the chip of a property of an entity or a player, marked if modifiers have changed it. */
export function chipsOf(of: Pick<Entity, 'props' | 'modified'>, name: string): Chip[] {
  const change = changeOf(of, name);
  return chipOf(name, of.props[name]).map((chip) => (change === undefined ? chip : { ...chip, change }));
}

/** Places of a card that `ui.card` fills with a property. */
const CARD_PLACES = ['cost', 'power', 'toughness', 'damage'];

/** Returns the chips for the tooltip: what the card shows and its resources, but no bookkeeping of the rules. */
export function tooltipChips(display: RulesetDisplay, entity: Entity): Chip[] {
  const resources = new Set(display.kinds[entity.kind]?.resources ?? []);
  const onCard = new Set([...shownProps(display, entity), ...CARD_PLACES.map((place) => cardProp(display, place))]);
  const isDeclared = uiHint(display, 'card') !== undefined;
  const isWorthShowing = ([name, value]: [string, Value]) =>
    resources.has(name) || (value !== 0 && (isDeclared ? onCard.has(name) : typeof value !== 'number' || value > 0));
  return Object.entries(entity.props)
    .filter(isWorthShowing)
    .flatMap(([name]) => chipsOf(entity, name));
}

function pictureColour(display: RulesetDisplay, entity: Entity, picture: Picture): Pick<Face, 'hue' | 'isGrey'> {
  const wanted = uiHintText(display, 'card', 'tone');
  const names = wanted === undefined ? shownProps(display, entity) : [wanted];
  const found = names.map((name) => entity.props[name]).find((value) => typeof value === 'string' && isColour(value));
  const isGrey = typeof found === 'string' && GREYS.has(found);
  if (picture.hue !== undefined) return { hue: picture.hue, isGrey };
  const name = `${entity.def ?? entity.kind} ${entity.title ?? ''}`;
  return { hue: typeof found === 'string' ? (COLOURS[found] ?? 40) : printHue(name), isGrey };
}

export const isColour = (name: string): boolean => name in COLOURS || GREYS.has(name);

/** Returns a CSS colour for the name of one. */
export function colour(name: string): string {
  const hue = COLOURS[name];
  return hue === undefined ? 'hsl(40 8% 60%)' : `hsl(${hue} 60% 50%)`;
}
