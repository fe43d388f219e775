/** Decides which properties and zones the inspector's state view shows. */
import type { Value, Zone } from '@intermezzo/sdk';

import { valueText } from '../lib/text.ts';

/** Returns up to `max` properties that are set; lists, records and empty values are left out. */
export function summaryProps(props: Record<string, Value>, max = 4): [string, string][] {
  const set = Object.entries(props).filter(([, value]) => {
    if (value === null || value === false || value === 0 || value === '') return false;
    return typeof value !== 'object';
  });
  return set.slice(0, max).map(([name, value]) => [name, value === true ? '' : valueText(value)]);
}

/** Zones with more visible entities than this are collapsed. */
export const MAX_EXPANDED = 12;

/** Returns the zones that are not empty: short visible ones first, then long ones, then hidden ones. */
export function nonEmptyZones(zones: Record<string, Zone>): [string, Zone][] {
  const rank = ({ count, items }: Zone) => (items ? (count > MAX_EXPANDED ? 1 : 0) : 2);
  return Object.entries(zones)
    .filter(([, zone]) => zone.count > 0)
    .sort(([, one], [, other]) => rank(one) - rank(other));
}
