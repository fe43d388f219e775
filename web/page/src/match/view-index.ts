/** Finds everything in a view by name: entities (`#3`), players (`p0`), zones (`p0.hand`) and squares (`x2y3`). */
import type { Entity, Name, Player, Value, View, Zone } from '@intermezzo/sdk';

/** Name of an entity, player, zone or square: anything on the board that can be clicked or highlighted. */
export type ObjectId = string;

export class ViewIndex {
  readonly #entities = new Map<Name, { entity: Entity; zone: Name }>();
  readonly #zones = new Map<Name, Zone>();
  readonly #players = new Map<Name, Player>();

  constructor(view: View | undefined) {
    if (!view) return;
    this.#add('', view.zones);
    for (const player of view.players) {
      this.#players.set(player.id, player);
      this.#add(`${player.id}.`, player.zones);
    }
  }

  entity(name: Name): Entity | undefined {
    return this.#entities.get(name)?.entity;
  }

  /** Returns the name of the zone an entity is in. */
  zoneOf(name: Name): Name | undefined {
    return this.#entities.get(name)?.zone;
  }

  zone(name: Name): Zone | undefined {
    return this.#zones.get(name);
  }

  player(name: Name): Player | undefined {
    return this.#players.get(name);
  }

  has(name: Name): boolean {
    return this.#entities.has(name) || this.#players.has(name) || this.#zones.has(name);
  }

  entities(): Iterable<Entity> {
    return [...this.#entities.values()].map(({ entity }) => entity);
  }

  #add(prefix: string, zones: Record<string, Zone>): void {
    for (const [name, zone] of Object.entries(zones)) {
      const fullName = prefix + name;
      this.#zones.set(fullName, zone);
      for (const entity of zone.items ?? []) {
        if (!entity) continue;
        this.#entities.set(entity.id, { entity, zone: fullName });
        this.#add(`${entity.id}.`, entity.zones);
      }
    }
  }
}

/** Returns the name of a square. */
export const square = (x: number, y: number): ObjectId => `x${x}y${y}`;

/** Returns every object that a value names, in order. */
export function objectsIn(value: Value | undefined, index: ViewIndex): ObjectId[] {
  if (typeof value === 'string') return index.has(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((inner) => objectsIn(inner, index));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...objectsIn(key, index), ...objectsIn(inner, index)]);
}
