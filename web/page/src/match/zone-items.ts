/** The entities of a zone as they lie on the table: containers whose contents are visible are opened. */
import type { Entity, Zone } from '@intermezzo/sdk';

import { visibleEntities } from './grid.ts';

export interface ZoneItem {
  entity: Entity;
  /** The open container it lies in, and the name of its zone there. */
  container: { entity: Entity; zone: string } | undefined;
}

export function zoneItems(zone: Zone): ZoneItem[] {
  return visibleEntities(zone).flatMap((entity): ZoneItem[] => {
    const contents = Object.entries(entity.zones).flatMap(([name, inner]) =>
      visibleEntities(inner).map((contained) => ({ entity: contained, container: { entity, zone: name } })),
    );
    return contents.length > 0 ? contents : [{ entity, container: undefined }];
  });
}

/** Returns the number of places a zone needs on the table. */
export const itemCount = (zone: Zone): number =>
  zoneItems(zone).length + (zone.count > visibleEntities(zone).length ? 1 : 0);

/** Equal entities as one, with their number. */
export interface ItemGroup {
  entity: Entity;
  count: number;
}

/** Returns the items one by one, or equal ones together. Entities that differ in anything a player sees stay apart. */
export function mergedItems(items: ZoneItem[], isMerged: boolean): ItemGroup[] {
  if (!isMerged) return items.map(({ entity }) => ({ entity, count: 1 }));
  const groups = new Map<string, ItemGroup>();
  for (const { entity } of items) {
    const { def, props, traits, owner } = entity;
    const key = JSON.stringify([def, owner, { ...props, arrived: 0 }, traits]);
    const known = groups.get(key);
    if (known) known.count += 1;
    else groups.set(key, { entity, count: 1 });
  }
  return [...groups.values()];
}
