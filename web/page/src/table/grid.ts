/** The field of squares that `ui.grid` makes of some zones. */
import type { Entity, Value, View, Zone } from '@intermezzo/sdk';

import { hint, type Rules } from './rules.ts';
import { square, type Thing } from './things.ts';

export interface Grid {
  /** The names of its zones, from the top down. */
  zones: string[];
  x: string;
  y: string;
  hp: string | undefined;
  max: string | undefined;
  width: number;
  height: number;
}

/** Something on a square. */
export interface Standing {
  entity: Entity;
  square: Thing;
  glyph: string;
}

/** The grid of a match, if its ruleset has one. */
export function gridOf(rules: Rules, view: View): Grid | undefined {
  const text = (key: string) => {
    const found = hint(rules, 'grid', key);
    return typeof found === 'string' ? found : undefined;
  };
  const size = (key: string) => {
    const found = hint(rules, 'grid', key);
    const value = typeof found === 'string' ? view.options[found] : found;
    return typeof value === 'number' ? value : 0;
  };
  const zones = hint(rules, 'grid', 'zones');
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

/** The square a record tells, or the properties of a thing. */
export function squareOf(grid: Grid | undefined, value: Value | undefined): Thing | undefined {
  if (!grid || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [x, y] = [value[grid.x], value[grid.y]];
  return typeof x === 'number' && typeof y === 'number' ? square(x, y) : undefined;
}

/** Whether a value is a square and nothing besides. */
export function isSquare(grid: Grid | undefined, value: Value | undefined): boolean {
  return squareOf(grid, value) !== undefined && Object.keys(value as object).length === 2;
}

/** What people call a square: `x: 2, y: 3` is c4. */
export function squareName(thing: Thing): string | undefined {
  const found = /^x(\d+)y(\d+)$/.exec(thing);
  return found ? `${columnName(Number(found[1]))}${Number(found[2]) + 1}` : undefined;
}

/** Columns are a, b, c …, and aa after z. */
export function columnName(x: number): string {
  const letter = String.fromCharCode(97 + (x % 26));
  return x < 26 ? letter : columnName(Math.floor(x / 26) - 1) + letter;
}

/** Everything on the grid by its square, what lies on top first. */
export function standing(grid: Grid, rules: Rules, view: View): Map<Thing, Standing[]> {
  const found = new Map<Thing, Standing[]>();
  for (const name of grid.zones) {
    for (const zone of [view.zones[name], ...view.players.map((player) => player.zones[name])]) {
      for (const entity of inSight(zone)) {
        const at = squareOf(grid, entity.props);
        if (at) found.set(at, [...(found.get(at) ?? []), { entity, square: at, glyph: glyphOf(rules, entity) }]);
      }
    }
  }
  return found;
}

export function inSight(zone: Zone | undefined): Entity[] {
  return (zone?.items ?? []).filter((item): item is Entity => item !== null);
}

/** The character that stands for a thing. */
export function glyphOf(rules: Rules, entity: Entity): string {
  const own = (ui: unknown) => {
    const glyph = (ui as { glyph?: unknown } | null | undefined)?.glyph;
    return typeof glyph === 'string' ? glyph : undefined;
  };
  const def = entity.def === null ? undefined : own(rules.defs[entity.def]?.ui);
  return (def ?? own(rules.kinds[entity.kind]?.ui) ?? entity.title ?? '?').slice(0, 1);
}
