/**
 * Views between two versions. The server sends the events of a version and the view after all of them; this derives what
 * the table looks like after each single event, so that events can be shown one by one.
 *
 * Derived views are for showing only: the last one is always the server's own.
 */
import type { Entity, GameEvent, Name, Value, View, Zone } from '@intermezzo/sdk';

import { squareOf, type Grid } from './grid.ts';
import { uiHintText, type RulesetDisplay } from './ruleset-display.ts';
import { ViewIndex } from './view-index.ts';

/** A change of a property that no `Changed` event reports, attributed to another event. */
interface Attributed {
  object: Name;
  prop: string;
  add?: number;
  set?: Value;
}

/** Returns the view after each event. */
export function viewsBetween(
  before: View,
  events: readonly GameEvent[],
  after: View,
  display: RulesetDisplay,
  grid: Grid | undefined,
): View[] {
  if (events.length === 0) return [];
  const plain = replay(before, events, after, display, new Map());
  const attributed = attribute(plain.at(-1)!, events, after, display, grid);
  const views = attributed.size === 0 ? plain : replay(before, events, after, display, attributed);
  return [...views.slice(0, -1), after];
}

function replay(
  before: View,
  events: readonly GameEvent[],
  after: View,
  display: RulesetDisplay,
  attributed: ReadonlyMap<number, Attributed[]>,
): View[] {
  const source = new EntitySource(events, after, display);
  let view = before;
  return events.map((event, at) => {
    view = applyEvent(view, event, at, source);
    for (const { object, prop, add, set } of attributed.get(at) ?? [])
      view = changeProps(view, object, (props) => {
        const now = props[prop];
        return { ...props, [prop]: add === undefined ? (set ?? null) : (typeof now === 'number' ? now : 0) + add };
      });
    return view;
  });
}

function applyEvent(view: View, { event, payload, status }: GameEvent, at: number, source: EntitySource): View {
  if (status != null) return view;
  const entity = text(payload['entity']);
  const [from, to] = [text(payload['from']), text(payload['to'])];
  const index = typeof payload['index'] === 'number' ? payload['index'] : undefined;
  switch (event) {
    case 'Moved': {
      const moved = entity === undefined ? null : source.find(entity, view, at);
      return insert(removeFrom(view, entity, from), to, moved, index, source);
    }
    case 'Created': {
      if (entity === undefined || payload['host'] != null) return view;
      const created = source.create(entity, payload, at);
      return to === undefined ? view : insert(view, to, created, index, source);
    }
    case 'Removed':
      return entity === undefined ? view : removeFrom(view, entity, new ViewIndex(view).zoneOf(entity));
    case 'Changed': {
      const prop = text(payload['prop']);
      if (entity === undefined || prop === undefined) return view;
      return changeProps(view, entity, (props) => ({ ...props, [prop]: payload['to'] ?? null }));
    }
    case 'PhaseStarted': {
      const phase = { phase: String(payload['phase']), player: text(payload['player']) ?? null };
      return { ...view, phases: [...view.phases, { ...phase, subject: text(payload['subject']) ?? null }] };
    }
    case 'PhaseEnded': {
      const last = view.phases.findLastIndex((one) => one.phase === payload['phase']);
      return last < 0 ? view : { ...view, phases: view.phases.slice(0, last) };
    }
    default:
      return view;
  }
}

const text = (value: Value | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** Finds entities that are not visible yet, as they will be when they first appear. */
class EntitySource {
  readonly #events: readonly GameEvent[];
  readonly #after: ViewIndex;
  readonly #display: RulesetDisplay;
  /** Entities that were created outside of all zones. */
  readonly #created = new Map<Name, Entity>();

  constructor(events: readonly GameEvent[], after: View, display: RulesetDisplay) {
    this.#events = events;
    this.#after = new ViewIndex(after);
    this.#display = display;
  }

  find(id: Name, view: View, at: number): Entity | null {
    return new ViewIndex(view).entity(id) ?? this.#rewound(id, at) ?? this.#created.get(id) ?? null;
  }

  create(id: Name, payload: GameEvent['payload'], at: number): Entity {
    const found = this.#rewound(id, at) ?? this.#blank(id, payload);
    this.#created.set(id, found);
    return found;
  }

  /** Returns whether a zone shows its items. A zone without any does not tell. */
  isOpen(zone: Name): boolean {
    const own = zone.split('.').at(-1);
    const isPublic =
      own === 'stack' || this.#display.zones.some(({ name, visible }) => name === own && visible === 'all');
    return isPublic || this.#after.zone(zone)?.items !== undefined;
  }

  /** Returns the entity as it is in the end, without the changes that are still to come. */
  #rewound(id: Name, at: number): Entity | undefined {
    const found = this.#after.entity(id);
    if (!found) return undefined;
    const props = { ...found.props };
    for (const { event, payload } of this.#events.slice(at + 1).reverse())
      if (event === 'Changed' && payload['entity'] === id) props[String(payload['prop'])] = payload['from'] ?? null;
    return { ...found, props };
  }

  #blank(id: Name, payload: GameEvent['payload']): Entity {
    const def = text(payload['def']) ?? null;
    const rule = /^(?:action|reaction) (.*)$/.exec(def ?? '')?.[1];
    const title = rule === undefined ? this.#display.defs[def ?? '']?.title : this.#display.rules[rule];
    const props = (payload['with'] ?? {}) as Record<string, Value>;
    const kind = rule === undefined ? '' : def!;
    const owner = text(payload['owner']) ?? null;
    return { id, kind, def, title: title ?? null, text: null, owner, props, traits: [], zones: {} };
  }
}

function removeFrom(view: View, entity: Name | undefined, zone: Name | undefined): View {
  if (zone === undefined) return view;
  return changeZone(view, zone, ({ count, items }) => {
    const left = Math.max(0, count - 1);
    if (!items) return { count: left };
    const at = items.findIndex((item) => (entity === undefined ? item === null : item?.id === entity));
    return { count: left, items: at < 0 ? items : items.filter((_, place) => place !== at) };
  });
}

function insert(
  view: View,
  zone: Name | undefined,
  entity: Entity | null,
  index: number | undefined,
  source: EntitySource,
): View {
  if (zone === undefined) return view;
  return changeZone(view, zone, ({ count, items }) => {
    const isOpen = items !== undefined || source.isOpen(zone);
    if (!isOpen) return { count: count + 1 };
    const shown = [...(items ?? Array<Entity | null>(count).fill(null))];
    shown.splice(index ?? shown.length, 0, entity);
    return { count: count + 1, items: shown };
  });
}

function changeZone(view: View, name: Name, change: (zone: Zone) => Zone): View {
  const [owner, own] = name.includes('.') ? (name.split('.') as [string, string]) : [undefined, name];
  const changed = (zones: Record<string, Zone>) => ({ ...zones, [own]: change(zones[own] ?? { count: 0 }) });
  if (owner === undefined) return { ...view, zones: changed(view.zones) };
  if (!/^p\d+$/.test(owner))
    return changeEntity(view, owner, (entity) => ({ ...entity, zones: changed(entity.zones) }));
  const players = view.players.map((one) => (one.id === owner ? { ...one, zones: changed(one.zones) } : one));
  return { ...view, players };
}

function changeEntity(view: View, id: Name, change: (entity: Entity) => Entity): View {
  const zone = new ViewIndex(view).zoneOf(id);
  if (zone === undefined) return view;
  return changeZone(view, zone, (found) => ({
    ...found,
    items: (found.items ?? []).map((item) => (item?.id === id ? change(item) : item)),
  }));
}

type Props = Record<string, Value>;

function changeProps(view: View, object: Name, change: (props: Props) => Props): View {
  if (object === 'match') return { ...view, match: change(view.match) };
  if (!/^p\d+$/.test(object)) return changeEntity(view, object, (one) => ({ ...one, props: change(one.props) }));
  return {
    ...view,
    players: view.players.map((one) => (one.id === object ? { ...one, props: change(one.props) } : one)),
  };
}

// --- changes without an event of their own ---------------------------------------------------

/** Attributes the differences between the derived view and the real one to the events they most likely belong to. */
function attribute(
  derived: View,
  events: readonly GameEvent[],
  after: View,
  display: RulesetDisplay,
  grid: Grid | undefined,
): Map<number, Attributed[]> {
  const found = new Map<number, Attributed[]>();
  const add = (at: number, one: Attributed) => found.set(at, [...(found.get(at) ?? []), one]);
  for (const { object, prop, from, to } of differences(derived, after)) {
    const about = events.flatMap((event, at) => rolesOf(event, object).map((role): Mention => ({ at, role })));
    if (about.length === 0) continue;
    const isPlace = grid !== undefined && (prop === grid.x || prop === grid.y);
    const steps = isPlace ? about.filter(({ at }) => squareOf(grid, events[at]!.payload['to'])) : [];
    for (const { at } of steps) add(at, { object, prop, set: (events[at]!.payload['to'] as Props)[prop]! });
    if (steps.length > 0) continue;
    const amounts =
      typeof from === 'number' && typeof to === 'number' ? amountsFor(to - from, about, events, display) : undefined;
    if (amounts) amounts.forEach((amount, at) => add(at, { object, prop, add: amount }));
    else add(about.at(-1)!.at, { object, prop, set: to });
  }
  return found;
}

function* differences(derived: View, after: View): Generator<{ object: Name; prop: string; from: Value; to: Value }> {
  const index = new ViewIndex(derived);
  const pairs: [Name, Props | undefined, Props][] = [
    ...after.players.map((one): [Name, Props | undefined, Props] => [one.id, index.player(one.id)?.props, one.props]),
    ...[...new ViewIndex(after).entities()].map((one): [Name, Props | undefined, Props] => [
      one.id,
      index.entity(one.id)?.props,
      one.props,
    ]),
  ];
  for (const [object, old, props] of pairs)
    for (const [prop, to] of Object.entries(props)) {
      const from = old?.[prop];
      if (from !== undefined && JSON.stringify(from) !== JSON.stringify(to)) yield { object, prop, from, to };
    }
}

/** Events of the language itself. They say everything they change. */
const BUILT_IN = new Set(['Moved', 'Created', 'Removed', 'Changed', 'PhaseStarted', 'PhaseEnded', 'Announced']);

/** An event that names an object, and the field in which it does. */
interface Mention {
  at: number;
  role: string;
}

/** Returns the fields of an event that name an object. */
function rolesOf({ event, payload, status }: GameEvent, object: Name): string[] {
  if (BUILT_IN.has(event) || status != null) return [];
  return Object.entries(payload).flatMap(([role, value]) => (value === object ? [role] : []));
}

const GAINS = new Set(['chime', 'won']);
const LOSSES = new Set(['hit', 'thud', 'shake', 'lost']);

/** Returns what the ruleset's hints say about the amount of an event: 1 for a gain, -1 for a loss. */
function hintedSign(event: string, display: RulesetDisplay): number | undefined {
  const hints = ['sound', 'animation'].map((key) => uiHintText(display, 'events', event, key) ?? '');
  return hints.some((hint) => GAINS.has(hint)) ? 1 : hints.some((hint) => LOSSES.has(hint)) ? -1 : undefined;
}

/** More kinds of events than this are not combined. */
const MAX_KINDS = 4;

/**
 * Splits a difference among events that name an amount: each kind of event, and what the object is in it, counts for,
 * against or not at all. Returns the
 * signed amounts by event, in agreement with the hints of the ruleset and with as few kinds as possible; undefined if they
 * cannot add up.
 */
function amountsFor(
  difference: number,
  about: readonly Mention[],
  events: readonly GameEvent[],
  display: RulesetDisplay,
): Map<number, number> | undefined {
  const kinds = new Map<string, [number, number][]>();
  for (const { at, role } of about) {
    const { event, payload } = events[at]!;
    const numbers = Object.values(payload).filter((value) => typeof value === 'number');
    const amount = payload['amount'] ?? (numbers.length === 1 ? numbers[0] : undefined);
    const kind = `${event} ${role}`;
    if (typeof amount === 'number') kinds.set(kind, [...(kinds.get(kind) ?? []), [at, amount]]);
  }
  // Later events first: a hit is announced before it is dealt. In one event, the one that its sentence names last
  // comes first: it is the one who suffers.
  const place = (kind: string) => {
    const [event, role] = kind.split(' ') as [string, string];
    return (display.events[event]?.text ?? '').indexOf(`{${role}}`);
  };
  const eventOf = (kind: string) => kind.split(' ')[0];
  const names = [...kinds.keys()]
    .reverse()
    .sort((one, other) => (eventOf(one) === eventOf(other) ? place(other) - place(one) : 0))
    .slice(0, MAX_KINDS);
  const all = names.reduce<number[][]>(
    (signs, _) => [1, -1, 0].flatMap((sign) => signs.map((each) => [...each, sign])),
    [[]],
  );
  const used = (signs: number[]) => signs.filter((sign) => sign !== 0).length;
  const sum = (signs: number[]) =>
    names.reduce(
      (total, name, at) => total + signs[at]! * kinds.get(name)!.reduce((part, [, one]) => part + one, 0),
      0,
    );
  const hinted = names.map((name) => hintedSign(name.split(' ')[0]!, display));
  const against = (signs: number[]) => signs.filter((sign, at) => sign !== 0 && sign === -(hinted[at] ?? 0)).length;
  const late = (signs: number[]) => signs.reduce((total, sign, at) => total + (sign === 0 ? 0 : at), 0);
  const rank = (signs: number[]) => against(signs) * 10_000 + used(signs) * 100 + late(signs);
  const [best] = all
    .filter((signs) => used(signs) > 0 && sum(signs) === difference)
    .sort((one, other) => rank(one) - rank(other));
  if (!best) return undefined;
  return new Map(
    names.flatMap((name, at) =>
      best[at] === 0 ? [] : kinds.get(name)!.map(([event, amount]): [number, number] => [event, best[at]! * amount]),
    ),
  );
}
