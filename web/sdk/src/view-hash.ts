/**
 * The hash of a view: the sum of the hashes of its parts. Parts that a patch does not touch keep their identity, so their
 * hashes are remembered and only what has changed is hashed again.
 */
import { blake3, utf8ToBytes } from './blake3.ts';
import type { Entity, View, Zone } from './view.ts';

/** A player or an entity: everything with an id and zones. */
interface Owner {
  id: string;
  zones?: Record<string, Zone>;
}

/** Hashes of players, entities, zones and other entries, with everything in them. */
const known = new WeakMap<object, bigint>();

/** Returns the hash of a view as the server computes it: 16 hexadecimal digits. */
export function viewHash(view: View): string {
  const { players, zones, ...entries } = view;
  let sum = players.reduce((all, player) => all + ownerHash(player), zonesHash('', zones));
  for (const [name, value] of Object.entries(entries)) sum += entryHash(name, value);
  return BigInt.asUintN(64, sum).toString(16).padStart(16, '0');
}

function entryHash(name: string, value: unknown): bigint {
  const hash = () => partHash(`/${name}`, value);
  return typeof value === 'object' && value !== null ? remember(value, hash) : hash();
}

function ownerHash(owner: Owner): bigint {
  return remember(owner, () => {
    const { zones, ...own } = owner;
    return partHash(owner.id, own) + zonesHash(`${owner.id}.`, zones ?? {});
  });
}

function zonesHash(prefix: string, zones: Record<string, Zone>): bigint {
  return Object.entries(zones).reduce((sum, [name, zone]) => sum + zoneHash(prefix + name, zone), 0n);
}

function zoneHash(label: string, zone: Zone): bigint {
  return remember(zone, () => {
    const { count, items } = zone;
    const names = items?.map((item) => item?.id ?? null);
    const inside = (items ?? []).filter((item): item is Entity => item !== null);
    return inside.reduce(
      (sum, item) => sum + ownerHash(item),
      partHash(label, names ? { count, items: names } : { count }),
    );
  });
}

/** Returns the first 8 bytes of the BLAKE3 hash of label and text. */
function partHash(label: string, value: unknown): bigint {
  const bytes = blake3(utf8ToBytes(`${label}\n${JSON.stringify(value)}`));
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
}

function remember(part: object, hash: () => bigint): bigint {
  let found = known.get(part);
  if (found === undefined) {
    found = hash();
    known.set(part, found);
  }
  return found;
}
