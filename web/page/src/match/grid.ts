/** The board of squares that `ui.grid` defines for some zones. */
import type { Entity, Value, View, Zone } from '@intermezzo/sdk';

import { uiHint, type RulesetDisplay } from './ruleset-display.ts';
import { square, type ObjectId } from './view-index.ts';

export interface Grid {
  /** Names of the zones on the grid, topmost first. */
  zones: string[];
  x: string;
  y: string;
  hp: string | undefined;
  max: string | undefined;
  width: number;
  height: number;
}

/** An entity on a square. */
export interface GridEntity {
  entity: Entity;
  square: ObjectId;
  glyph: string;
}

export function gridOf(display: RulesetDisplay, view: View): Grid | undefined {
  const text = (key: string) => {
    const found = uiHint(display, 'grid', key);
    return typeof found === 'string' ? found : undefined;
  };
  const size = (key: string) => {
    const found = uiHint(display, 'grid', key);
    const value = typeof found === 'string' ? view.options[found] : found;
    return typeof value === 'number' ? value : 0;
  };
  const zones = uiHint(display, 'grid', 'zones');
  const [x, y] = [text('x'), text('y')];
  if (!Array.isArray(zones) || x === undefined || y === undefined) return undefined;
  return {
    zones: zones.map(String),
    x,
    y,
    hp: text('hp'),
    max: text('max'),
    width: size('width'),
    height: size('height'),
  };
}

/** Returns the square named by a record, such as the properties of an entity. */
export function squareOf(grid: Grid | undefined, value: Value | undefined): ObjectId | undefined {
  if (!grid || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [x, y] = [value[grid.x], value[grid.y]];
  return typeof x === 'number' && typeof y === 'number' ? square(x, y) : undefined;
}

/** Returns whether a value is a record of coordinates only. */
export function isSquare(grid: Grid | undefined, value: Value | undefined): boolean {
  return squareOf(grid, value) !== undefined && Object.keys(value as object).length === 2;
}

/** Returns the display name of a square: `x: 2, y: 3` is c4. */
export function squareName(object: ObjectId): string | undefined {
  const found = /^x(\d+)y(\d+)$/.exec(object);
  return found ? `${columnName(Number(found[1]))}${Number(found[2]) + 1}` : undefined;
}

/** Columns are named a, b, c, …, z, aa, ab, … */
export function columnName(x: number): string {
  const letter = String.fromCharCode(97 + (x % 26));
  return x < 26 ? letter : columnName(Math.floor(x / 26) - 1) + letter;
}

/** Returns the visible entities by square, topmost first. */
export function entitiesBySquare(grid: Grid, display: RulesetDisplay, view: View): Map<ObjectId, GridEntity[]> {
  const found = new Map<ObjectId, GridEntity[]>();
  for (const name of grid.zones) {
    for (const zone of [view.zones[name], ...view.players.map((player) => player.zones[name])]) {
      for (const entity of visibleEntities(zone)) {
        const at = squareOf(grid, entity.props);
        if (at) found.set(at, [...(found.get(at) ?? []), { entity, square: at, glyph: glyphOf(display, entity) }]);
      }
    }
  }
  return found;
}

/** Returns the entities of a zone that the viewer can see. */
export function visibleEntities(zone: Zone | undefined): Entity[] {
  return (zone?.items ?? []).filter((item): item is Entity => item !== null);
}

/** Returns the character that represents an entity. */
export function glyphOf(display: RulesetDisplay, entity: Entity): string {
  const own = (ui: unknown) => {
    const glyph = (ui as { glyph?: unknown } | null | undefined)?.glyph;
    return typeof glyph === 'string' ? glyph : undefined;
  };
  const def = entity.def === null ? undefined : own(display.defs[entity.def]?.ui);
  return (def ?? own(display.kinds[entity.kind]?.ui) ?? entity.title ?? '?').slice(0, 1);
}
