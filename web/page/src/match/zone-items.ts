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
