/** Layout of the table: areas with zones, derived only from what the ruleset declares. */
import type { Entity, Name, Player, View, Zone } from '@intermezzo/sdk';

import { sentenceCase } from '../lib/text.ts';
import { gridOf, visibleEntities, type Grid } from './grid.ts';
import { uiHint, uiHintText, type RulesetDisplay, type ZoneDisplay } from './ruleset-display.ts';
import { hasBareTeams } from './teams.ts';
import { middleSlots, playerZoneLook, sharedZoneLook, type ZoneLook, type ZoneStyle } from './look.ts';
import type { ObjectId } from './view-index.ts';

export interface ZoneLayout {
  /** Full name: `p0.hand`. */
  key: Name;
  title: string;
  zone: Zone;
  style: ZoneStyle;
  /** What the ruleset says about it. */
  look: ZoneLook | undefined;
  /** Hidden from all players. */
  isHidden: boolean;
}

export interface Area {
  player: Player;
  zones: ZoneLayout[];
}

export interface Layout {
  /** The viewer's own area; undefined for spectators. */
  own: Area | undefined;
  /** Areas of the other players, clockwise from the viewer. */
  others: Area[];
  /** Zones without an owner. */
  shared: ZoneLayout[];
  stack: Zone | undefined;
  grid: Grid | undefined;
  /** All objects that are visible somewhere on the table. */
  shown: Set<ObjectId>;
}

export function layoutOf(display: RulesetDisplay, view: View): Layout {
  const grid = gridOf(display, view);
  const shownZones = display.zones.filter(
    (zone) =>
      zone.name !== 'stack' && !isOmitted(display, zone.name, grid) && !(zone.name === 'teams' && hasBareTeams(view)),
  );
  const hand = handOf(display);
  const isDuel = view.players.length <= 2;
  const closed = (zone: Zone | undefined) => (view.you === null ? closedZone(zone, display) : zone);
  // Spectators see the table from the side of the first player.
  const near = view.you ?? (view.players.length > 1 ? view.players[0]?.id : undefined);
  const areas = view.players.map((player) => {
    const isOwn = player.id === near;
    const zones = shownZones.filter((zone) => zone.of === 'player');
    return {
      player,
      zones: zones.flatMap((zone) =>
        layoutZone(
          display,
          zone,
          `${player.id}.${zone.name}`,
          isOwn ? player.zones[zone.name] : closed(player.zones[zone.name]),
          {
            isOwn,
            hand,
            isDuel,
          },
        ),
      ),
    };
  });
  const viewerIndex = Math.max(
    0,
    view.players.findIndex((player) => player.id === view.you),
  );
  const clockwise = [...areas.slice(viewerIndex), ...areas.slice(0, viewerIndex)];
  const own = view.you === null ? undefined : clockwise.shift();
  const shared = shownZones
    .filter((zone) => zone.of === null)
    .flatMap((zone) =>
      layoutZone(display, zone, zone.name, closed(view.zones[zone.name]), { isOwn: false, hand, isDuel }),
    );
  for (const area of clockwise) area.zones.sort(byPlace);
  own?.zones.sort(byPlace);
  shared.sort(byPlace);
  const layout = { own, others: clockwise, shared, stack: view.zones['stack'], grid, shown: new Set<ObjectId>() };
  collectShown(layout, view);
  return layout;
}

/** Returns the zone with its containers closed, unless everybody sees into them: a spectator who sees all needs no list of all. */
function closedZone(zone: Zone | undefined, display: RulesetDisplay): Zone | undefined {
  if (!zone?.items) return zone;
  const isPublic = (name: string) => display.zones.some((one) => one.name === name && one.visible === 'all');
  const closed = (entity: Entity): Entity => ({
    ...entity,
    zones: Object.fromEntries(
      Object.entries(entity.zones).map(([name, inner]) => [name, isPublic(name) ? inner : { count: inner.count }]),
    ),
  });
  return { ...zone, items: zone.items.map((item) => item && closed(item)) };
}

/** Zones lie in the order in which the ruleset names them. */
const byPlace = (one: ZoneLayout, other: ZoneLayout): number => (one.look?.at ?? 0) - (other.look?.at ?? 0);

/** Returns the zone that is shown as a hand: the first one that only its owner sees. */
function handOf(display: RulesetDisplay): string | undefined {
  return display.zones.find((zone) => zone.of === 'player' && zone.visible === 'owner')?.name;
}

function isOmitted(display: RulesetDisplay, name: string, grid: Grid | undefined): boolean {
  return uiHint(display, 'zones', name, 'hide') === true || (grid?.zones.includes(name) ?? false);
}

function layoutZone(
  display: RulesetDisplay,
  declared: ZoneDisplay,
  key: Name,
  zone: Zone | undefined,
  { isOwn, hand, isDuel }: { isOwn: boolean; hand: string | undefined; isDuel: boolean },
): ZoneLayout[] {
  if (!zone) return [];
  const isHidden = declared.visible === 'none';
  const look =
    declared.of === null ? sharedZoneLook(display, declared.name) : playerZoneLook(display, declared.name, isOwn);
  const style = look?.style ?? zoneStyle(display, declared, zone, isOwn, isDuel, hand);
  // Empty discard piles are omitted. An empty deck matters, and so does the row where others will play; the viewer's row
  // is a place to drop cards.
  const isPlace = isOwn || (style === 'row' && declared.active);
  if (zone.count === 0 && !isHidden && (style === 'pile' || style === 'hand' || !isPlace)) return [];
  const title = uiHintText(display, 'zones', declared.name, 'name') ?? sentenceCase(declared.name);
  // Revealed cards in the hand of the only other player are shown openly; with more players, or with places in the middle
  // of the table, the pile shows and lists them.
  const isRevealed =
    style === 'pile' &&
    declared.visible === 'owner' &&
    !isOwn &&
    isDuel &&
    visibleEntities(zone).length > 0 &&
    middleSlots(display) === undefined;
  return [{ key, title, zone, style: isRevealed ? 'row' : style, look, isHidden }];
}

function zoneStyle(
  display: RulesetDisplay,
  declared: ZoneDisplay,
  zone: Zone,
  isOwn: boolean,
  isDuel: boolean,
  hand: string | undefined,
): ZoneStyle {
  if (declared.name === hand) return isOwn ? 'hand' : isDuel && visibleEntities(zone).length > 0 ? 'row' : 'pile';
  if (declared.visible === 'none') return 'pile';
  if (uiHint(display, 'zones', declared.name, 'row') === true || declared.active) return 'row';
  // Entities that contain visible entities need room to show them.
  const isOpen = visibleEntities(zone).some((entity) =>
    Object.values(entity.zones).some((inner) => visibleEntities(inner).length > 0),
  );
  return isOpen ? 'row' : 'pile';
}

/** Collects all objects that are visible on the table. */
function collectShown(layout: Layout, view: View): void {
  const add = (zone: Zone | undefined) => {
    for (const entity of visibleEntities(zone)) {
      layout.shown.add(entity.id);
      Object.values(entity.zones).forEach(add);
    }
  };
  view.players.forEach((player) => layout.shown.add(player.id));
  for (const area of [...layout.others, ...(layout.own ? [layout.own] : [])])
    area.zones.forEach(({ zone }) => add(zone));
  layout.shared.forEach(({ zone }) => add(zone));
  layout.grid?.zones.forEach((name) => add(view.zones[name]));
  add(layout.stack);
  // An item on the stack represents the card it comes from.
  for (const item of visibleEntities(layout.stack)) {
    if (typeof item.props['host'] === 'string') layout.shown.add(item.props['host']);
  }
}
