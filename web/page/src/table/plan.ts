/** Where things lie on the table: a view becomes areas with zones, by what the ruleset declares and nothing else. */
import type { Name, Player, View, Zone } from '@intermezzo/sdk';

import { titled } from '../lib/words.ts';
import { gridOf, inSight, type Grid } from './grid.ts';
import { hint, hintText, type Rules, type ZoneWords } from './rules.ts';
import type { Thing } from './things.ts';

/** How a zone is shown: cards in a hand, in a row, or on a pile. */
export type Look = 'hand' | 'row' | 'pile';

export interface ZonePlan {
  /** Its whole name: `p0.hand`. */
  key: Name;
  title: string;
  zone: Zone;
  look: Look;
  /** Nobody at all sees what is in it. */
  isHidden: boolean;
}

export interface Area {
  player: Player;
  zones: ZonePlan[];
}

export interface Plan {
  /** The viewer's own, if they have a seat. */
  own: Area | undefined;
  /** The others clockwise from the viewer. */
  others: Area[];
  /** What belongs to nobody. */
  shared: ZonePlan[];
  stack: Zone | undefined;
  grid: Grid | undefined;
  /** Everything that can be seen somewhere. */
  shown: Set<Thing>;
}

export function planOf(rules: Rules, view: View): Plan {
  const grid = gridOf(rules, view);
  const onTable = rules.zones.filter((zone) => zone.name !== 'stack' && !isLeftOut(rules, zone.name, grid));
  const hand = handOf(rules);
  const areas = view.players.map((player) => {
    const isOwn = player.id === view.you;
    const zones = onTable.filter((zone) => zone.of === 'player');
    return {
      player,
      zones: zones.flatMap((zone) =>
        planZone(rules, zone, `${player.id}.${zone.name}`, player.zones[zone.name], isOwn, hand),
      ),
    };
  });
  const at = Math.max(
    0,
    view.players.findIndex((player) => player.id === view.you),
  );
  const round = [...areas.slice(at), ...areas.slice(0, at)];
  const own = view.you === null ? undefined : round.shift();
  const shared = onTable
    .filter((zone) => zone.of === null)
    .flatMap((zone) => planZone(rules, zone, zone.name, view.zones[zone.name], false, hand));
  const plan = { own, others: round, shared, stack: view.zones['stack'], grid, shown: new Set<Thing>() };
  collect(plan, view);
  return plan;
}

/** The zone whose cards one holds: the first that only its owner sees. */
function handOf(rules: Rules): string | undefined {
  return rules.zones.find((zone) => zone.of === 'player' && zone.visible === 'owner')?.name;
}

function isLeftOut(rules: Rules, name: string, grid: Grid | undefined): boolean {
  return hint(rules, 'zones', name, 'hide') === true || (grid?.zones.includes(name) ?? false);
}

function planZone(
  rules: Rules,
  words: ZoneWords,
  key: Name,
  zone: Zone | undefined,
  isOwn: boolean,
  hand: string | undefined,
): ZonePlan[] {
  if (!zone) return [];
  const isHidden = words.visible === 'none';
  const look = lookOf(rules, words, zone, isOwn, hand);
  // An empty pile of things that went by is no news; an empty deck is, and so is one's own place to put things.
  if (zone.count === 0 && !isHidden && (look !== 'row' || !isOwn)) return [];
  const title = hintText(rules, 'zones', words.name, 'name') ?? titled(words.name);
  return [{ key, title, zone, look, isHidden }];
}

function lookOf(rules: Rules, words: ZoneWords, zone: Zone, isOwn: boolean, hand: string | undefined): Look {
  // Cards of another's hand that one sees are worth seeing.
  if (words.name === hand) return isOwn ? 'hand' : inSight(zone).length > 0 ? 'row' : 'pile';
  if (words.visible === 'none') return 'pile';
  if (hint(rules, 'zones', words.name, 'row') === true || words.active) return 'row';
  // What holds something itself wants room to show it.
  const isOpen = inSight(zone).some((entity) => Object.values(entity.zones).some((inner) => inSight(inner).length > 0));
  return isOpen ? 'row' : 'pile';
}

/** Notes everything a viewer can find on the table. */
function collect(plan: Plan, view: View): void {
  const add = (zone: Zone | undefined) => {
    for (const entity of inSight(zone)) {
      plan.shown.add(entity.id);
      Object.values(entity.zones).forEach(add);
    }
  };
  view.players.forEach((player) => plan.shown.add(player.id));
  for (const area of [...plan.others, ...(plan.own ? [plan.own] : [])]) area.zones.forEach(({ zone }) => add(zone));
  plan.shared.forEach(({ zone }) => add(zone));
  plan.grid?.zones.forEach((name) => add(view.zones[name]));
  add(plan.stack);
  // What lies on the stack stands for the card it came from.
  for (const item of inSight(plan.stack)) {
    if (typeof item.props['host'] === 'string') plan.shown.add(item.props['host']);
  }
}
