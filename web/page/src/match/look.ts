/** What `ui.layout` says: where zones lie, how they are shown, and what panels show. */
import type { Value, View } from '@intermezzo/sdk';

import { uiHint, uiHintText, type RulesetDisplay } from './ruleset-display.ts';

export type ZoneStyle = 'hand' | 'row' | 'pile' | 'piles' | 'slots' | 'chips' | 'track';
export type PanelStyle = 'number' | 'pips' | 'hearts' | 'bar' | 'icons';

/** What a player has of what an entity needs. */
export interface Track {
  /** The property of the player. */
  of: string;
  /** The property of the entity that names the entry of a map. */
  key: string | undefined;
  /** The property of the entity that says how much is needed. */
  max: string;
}

/** How a zone is shown. */
export interface ZoneLook {
  style: ZoneStyle;
  by?: string | undefined;
  max?: Value | undefined;
  names?: string[] | undefined;
  /** The phase in which only the edges of the cards are shown. */
  peek?: string | undefined;
  tracks?: Track[] | undefined;
  area?: 'band' | 'middle';
  /** Place among the zones of its area. */
  at?: number;
}

type Hint = Record<string, Value>;
const isHint = (value: unknown): value is Hint => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: Value | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const texts = (value: Value | undefined): string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;

/** Returns the places of an area, each with the name of its zone or question. */
function places(display: RulesetDisplay, area: string): Hint[] {
  const found = uiHint(display, 'layout', area);
  const list = Array.isArray(found) ? found : found === undefined ? [] : [found];
  return list.flatMap((place): Hint[] =>
    typeof place === 'string' ? [{ zone: place }] : isHint(place) ? [place] : [],
  );
}

function lookAt(place: Hint): ZoneLook {
  const as = text(place['as']) ?? 'row';
  const tracks = Array.isArray(place['tracks']) ? place['tracks'].filter(isHint) : [];
  return {
    style: as === 'fan' ? 'hand' : (as as ZoneStyle),
    by: text(place['by']),
    max: place['max'],
    names: texts(place['names']),
    peek: text(place['peek']),
    tracks: tracks.map((track) => ({ of: String(track['of']), key: text(track['key']), max: String(track['max']) })),
  };
}

const findPlace = (display: RulesetDisplay, area: string, zone: string): ZoneLook | undefined => {
  const all = places(display, area);
  const place = all.find((one) => one['zone'] === zone);
  return place && { ...lookAt(place), at: all.indexOf(place) };
};

/** Returns how a zone of a player is shown, if the ruleset says it. */
export function playerZoneLook(display: RulesetDisplay, zone: string, isOwn: boolean): ZoneLook | undefined {
  const mine = findPlace(display, 'mine', zone);
  if (isOwn && mine) return mine;
  const other = isOwn ? undefined : findPlace(display, 'others', zone);
  if (other) return other;
  const piles = uiHint(display, 'layout', 'piles');
  if (Array.isArray(piles) && piles.includes(zone)) return { style: 'pile' };
  return mine && { ...mine, style: mine.style === 'hand' ? 'pile' : mine.style };
}

/** Returns whether players have a hand. It keeps its place while it is empty. */
export const hasHand = (display: RulesetDisplay): boolean =>
  display.zones.some(
    ({ of, visible, name }) =>
      of === 'player' && visible === 'owner' && (playerZoneLook(display, name, true)?.style ?? 'hand') === 'hand',
  );

/** Returns how a zone without an owner is shown, if the ruleset says it. */
export function sharedZoneLook(display: RulesetDisplay, zone: string): ZoneLook | undefined {
  for (const area of ['band', 'middle'] as const) {
    const found = findPlace(display, area, zone);
    if (found) return { ...found, area };
  }
  return undefined;
}

/** Returns the names of the slots of a question that lie in the middle of the table. */
export function middleSlots(display: RulesetDisplay): { question: string; names: string[] } | undefined {
  const place = places(display, 'middle').find((one) => typeof one['question'] === 'string');
  return place && { question: String(place['question']), names: texts(place['names']) ?? [] };
}

/** A property in the panel of a player. */
export interface PanelItem {
  prop: string;
  style: PanelStyle;
  max: Value | undefined;
  name: string | undefined;
}

/** Returns what the panel of a player shows; undefined if the ruleset does not say it. */
export function panelOf(display: RulesetDisplay): PanelItem[] | undefined {
  const panel = uiHint(display, 'layout', 'panel');
  if (!isHint(panel)) return undefined;
  return Object.entries(panel).map(([prop, value]) => {
    const given = isHint(value) ? value : {};
    const style = (text(value) ?? text(given['as']) ?? 'number') as PanelStyle;
    return { prop, style, max: given['max'], name: text(given['name']) };
  });
}

/** Returns a greatest value: a number, an option, or a property. */
export function maxOf(max: Value | undefined, view: View, props: Record<string, Value>): number | undefined {
  if (typeof max === 'number') return max;
  if (typeof max !== 'string') return undefined;
  const found = props[max] ?? view.options[max];
  return typeof found === 'number' ? found : undefined;
}

/** The entities of a zone in the order of their turns. */
export interface TurnOrder {
  zone: string;
  by: string[];
}

export function turnOrder(display: RulesetDisplay): TurnOrder | undefined {
  const zone = uiHintText(display, 'layout', 'order', 'zone');
  return zone === undefined ? undefined : { zone, by: texts(uiHint(display, 'layout', 'order', 'by')) ?? [] };
}

/** Returns the properties shown with the tiles of actions; undefined if there are no tiles. */
export function tileProps(display: RulesetDisplay): string[] | undefined {
  const tiles = uiHint(display, 'layout', 'tiles');
  return isHint(tiles) ? (texts(tiles['shows']) ?? []) : undefined;
}

/** Returns the values of a property in the order in which `ui.art` names them. */
export function knownValues(display: RulesetDisplay, prop: string): string[] {
  for (const part of ['hues', 'values']) {
    const values = uiHint(display, 'art', part, prop);
    if (isHint(values)) return Object.keys(values);
  }
  return [];
}
