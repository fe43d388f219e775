/** Where everything in a view is, by its name: things (`#3`), players (`p0`), zones (`p0.hand`) and squares (`x2y3`). */
import type { Entity, Name, Player, Value, View, Zone } from '@intermezzo/sdk';

/** Something that can be pointed at. */
export type Thing = string;

export class Things {
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

  /** The zone something is in. */
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
      const whole = prefix + name;
      this.#zones.set(whole, zone);
      for (const entity of zone.items ?? []) {
        if (!entity) continue;
        this.#entities.set(entity.id, { entity, zone: whole });
        this.#add(`${entity.id}.`, entity.zones);
      }
    }
  }
}

/** The name of a square. */
export const square = (x: number, y: number): Thing => `x${x}y${y}`;

/** Every thing a value names, in order. */
export function thingsIn(value: Value | undefined, things: Things): Thing[] {
  if (typeof value === 'string') return things.has(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((inner) => thingsIn(inner, things));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...thingsIn(key, things), ...thingsIn(inner, things)]);
}
