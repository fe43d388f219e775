/** Finds entities in views, and the differences between two views. */
import type { Entity, Name, Player, Value, View, Zone } from '@intermezzo/sdk';

import { valueText } from './text.ts';

/** An entity and where it is. */
export interface LocatedEntity {
  entity: Entity;
  zone: string;
  player: Player | undefined;
}

/** Returns all visible entities of a view by name, including nested ones. */
export function locatedEntities(view: View): Map<Name, LocatedEntity> {
  const found = new Map<Name, LocatedEntity>();
  const visit = (zones: Record<string, Zone>, player: Player | undefined) => {
    for (const [zone, { items }] of Object.entries(zones)) {
      for (const entity of items ?? []) {
        if (!entity) continue;
        found.set(entity.id, { entity, zone, player });
        visit(entity.zones, player);
      }
    }
  };
  visit(view.zones, undefined);
  for (const player of view.players) visit(player.zones, player);
  return found;
}

export function entityName(entity: Entity): string {
  return entity.title ?? valueText(entity.def ?? entity.kind);
}

/** Returns the names of all entities and players in a value. */
export function referencedNames(value: Value | undefined): Set<Name> {
  const found = new Set<Name>();
  const visit = (inner: Value | undefined) => {
    if (typeof inner === 'string') {
      if (/^(#\d+|p\d+)$/.test(inner)) found.add(inner);
    } else if (Array.isArray(inner)) {
      inner.forEach(visit);
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [key, nested] of Object.entries(inner)) {
        visit(key);
        visit(nested);
      }
    }
  };
  visit(value);
  return found;
}

/** Returns the entities and players that are new, moved or changed in the second view. */
export function changedNames(before: View | undefined, after: View): Set<Name> {
  const found = new Set<Name>();
  if (!before) return found;
  const previous = locatedEntities(before);
  for (const [name, { entity, zone, player }] of locatedEntities(after)) {
    const old = previous.get(name);
    if (!old || old.zone !== zone || old.player?.id !== player?.id) found.add(name);
    else if (JSON.stringify(old.entity) !== JSON.stringify(entity)) found.add(name);
  }
  for (const player of after.players) {
    const old = before.players.find(({ id }) => id === player.id);
    if (old && JSON.stringify(old.props) !== JSON.stringify(player.props)) found.add(player.id);
  }
  return found;
}
