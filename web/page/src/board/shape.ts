/** What a plain board shows of a view, and what is called how on it. */
import type { Entity, Name, Player, Value, View, Zone } from '@intermezzo/sdk';

import { word } from '../lib/words.ts';

/** A thing with the place where it lies. */
export interface Found {
  entity: Entity;
  zone: string;
  player: Player | undefined;
}

/** All things of a view that can be seen, by name. */
export function things(view: View): Map<Name, Found> {
  const found = new Map<Name, Found>();
  const walk = (zones: Record<string, Zone>, player: Player | undefined) => {
    for (const [zone, { items }] of Object.entries(zones)) {
      for (const entity of items ?? []) {
        if (!entity) continue;
        found.set(entity.id, { entity, zone, player });
        walk(entity.zones, player);
      }
    }
  };
  walk(view.zones, undefined);
  for (const player of view.players) walk(player.zones, player);
  return found;
}

/** What people call a thing. */
export function thingName(entity: Entity): string {
  return entity.title ?? word(entity.def ?? entity.kind);
}

/** Every thing and player a value speaks of. */
export function mentioned(value: Value | undefined): Set<Name> {
  const found = new Set<Name>();
  const walk = (inner: Value | undefined) => {
    if (typeof inner === 'string') {
      if (/^(#\d+|p\d+)$/.test(inner)) found.add(inner);
    } else if (Array.isArray(inner)) {
      inner.forEach(walk);
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [key, own] of Object.entries(inner)) {
        walk(key);
        walk(own);
      }
    }
  };
  walk(value);
  return found;
}

/** Properties that tell something at a glance: no blanks, no lists, and not too many. */
export function glance(props: Record<string, Value>, most = 4): [string, string][] {
  const telling = Object.entries(props).filter(([, value]) => {
    if (value === null || value === false || value === 0 || value === '') return false;
    return typeof value !== 'object';
  });
  return telling.slice(0, most).map(([name, value]) => [name, value === true ? '' : word(value)]);
}

/** Zones with more things in sight than that are shown when somebody wants to see them. */
export const MOST_OPEN = 12;

/** Zones with anything in them: what lies open first, then long ones, then what is only counted. */
export function shownZones(zones: Record<string, Zone>): [string, Zone][] {
  const rank = ({ count, items }: Zone) => (items ? (count > MOST_OPEN ? 1 : 0) : 2);
  return Object.entries(zones)
    .filter(([, zone]) => zone.count > 0)
    .sort(([, one], [, other]) => rank(one) - rank(other));
}

/** Things that are new, gone elsewhere or different in the second of two views. */
export function changed(before: View | undefined, after: View): Set<Name> {
  const found = new Set<Name>();
  if (!before) return found;
  const was = things(before);
  for (const [name, { entity, zone, player }] of things(after)) {
    const old = was.get(name);
    if (!old || old.zone !== zone || old.player?.id !== player?.id) found.add(name);
    else if (JSON.stringify(old.entity) !== JSON.stringify(entity)) found.add(name);
  }
  for (const player of after.players) {
    const old = before.players.find(({ id }) => id === player.id);
    if (old && JSON.stringify(old.props) !== JSON.stringify(player.props)) found.add(player.id);
  }
  return found;
}
