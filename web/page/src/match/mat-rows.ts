/** Which zones get a row on the mat, and how much of its height. */
import type { Zone } from '@intermezzo/sdk';

import type { Area, Layout, ZoneLayout } from './layout.ts';
import { middleSlots } from './look.ts';
import type { RulesetDisplay } from './ruleset-display.ts';
import { itemCount } from './zone-items.ts';

/** Cards that one line of a row shows well; more need a higher row. */
const COMFORTABLE = 7;

export const pileZones = (area: Area): ZoneLayout[] => area.zones.filter((zone) => zone.style === 'pile');

/** Returns the open rows of a player. Empty ones give way to others; the last one stays as a place to drop cards. */
export function cardRows(area: Area): ZoneLayout[] {
  const rows = area.zones.filter((zone) => zone.style !== 'pile' && zone.style !== 'hand');
  const slots = rows.filter((zone) => zone.style === 'slots');
  // Empty places are shown, but only once.
  const places = slots.some((zone) => zone.zone.count > 0) ? undefined : slots.at(-1);
  const filled = rows.filter((zone) => zone.zone.count > 0 || zone.style === 'piles' || zone === places);
  return filled.length > 0 ? filled : rows.slice(0, 1);
}

/** Returns the share of the height that a row gets, relative to a row with a few cards. */
export function rowWeight(zone: Zone): number {
  const count = itemCount(zone);
  if (count === 0) return 0.45;
  return count <= COMFORTABLE ? 1 : Math.min(2, count / COMFORTABLE);
}

/** Returns true if the shared zones are all there is on the table besides hands and piles. */
function isSharedMain({ grid, own, others }: Layout): boolean {
  return grid === undefined && [own, ...others].every((area) => !area || cardRows(area).length === 0);
}

/** Returns the shared zones that get rows of their own. */
export const sharedRows = (layout: Layout): ZoneLayout[] =>
  layout.shared.filter(({ look }) => (look?.area === undefined ? isSharedMain(layout) : look.area === 'middle'));

/** Returns the shared zones that lie in a narrow band between the players. */
export const bandZones = (layout: Layout): ZoneLayout[] => {
  const others = [...sharedRows(layout), ...gridPiles(layout)];
  return layout.shared.filter((zone) => !others.includes(zone));
};

/** Returns the shared piles beside a grid, which needs the height. They lie where the players are. */
export const gridPiles = (layout: Layout): ZoneLayout[] =>
  layout.grid === undefined
    ? []
    : layout.shared.filter(({ style, look }) => style === 'pile' && look?.area === undefined);

/** Returns true if the table holds nothing but the players. */
export const isBare = ({ grid, own, others, shared }: Layout): boolean =>
  grid === undefined && shared.length === 0 && [own, ...others].every((area) => !area || area.zones.length === 0);

/** Returns true if the phases lie between two players who face each other. Elsewhere the bar above the table shows them. */
export const hasPhaseBand = (display: RulesetDisplay, { grid, own, others }: Layout): boolean =>
  grid === undefined && middleSlots(display) === undefined && others.length === (own ? 1 : 2);
