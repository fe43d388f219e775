/** Display names of entities, players, zones and squares. */
import type { Entity, GameEvent, Name, Seated, Value, View } from '@intermezzo/sdk';

import { sentenceCase } from '../lib/text.ts';
import { titleOf } from './card-face.ts';
import { squareName } from './grid.ts';
import { uiHintText, type RulesetDisplay } from './ruleset-display.ts';
import { ViewIndex, type ObjectId } from './view-index.ts';

/** Returns the player names by seat; names that occur twice get the seat number appended. */
export function uniqueSeatNames(seats: Seated[]): string[] {
  const names: string[] = [];
  for (const { seat, name } of seats) {
    const isDuplicate = seats.some((other) => other.seat !== seat && other.name === name);
    names[seat] = isDuplicate ? `${name} ${seat + 1}` : name;
  }
  return names;
}

/** An action or a reaction on the stack. */
interface StackItem {
  /** Entity that the action or reaction belongs to. */
  host: Name | undefined;
  isReaction: boolean;
  /** True if the host acts itself, from an active zone; false if it is a card that is being played. */
  isHostActing: boolean;
}

export class DisplayNames {
  readonly display: RulesetDisplay;
  readonly #seatNames: string[];
  readonly #you: Name | null;
  /** Names of entities when they were last visible: the log mentions entities that no longer exist. */
  readonly #remembered = new Map<Name, string>();
  /** Items that are or were on the stack. */
  readonly #stackItems = new Map<Name, StackItem>();
  #index = new ViewIndex(undefined);

  constructor(display: RulesetDisplay, seats: Seated[], you: Name | null = null) {
    this.display = display;
    this.#seatNames = uniqueSeatNames(seats);
    this.#you = you;
  }

  /** Remembers all entities that are visible in a view. */
  rememberView(view: View | undefined): void {
    this.#index = new ViewIndex(view);
    for (const entity of this.#index.entities()) this.#rememberEntity(entity);
  }

  #rememberEntity(entity: Entity): void {
    this.#remembered.set(entity.id, titleOf(this.display, entity));
    if (this.#index.zoneOf(entity.id) === 'stack' && !this.#stackItems.has(entity.id))
      this.#rememberStackItem(entity.id, entity.props['host'], entity.kind.startsWith('reaction '), new Set());
  }

  #rememberStackItem(item: Name, host: unknown, isReaction: boolean, moved: Set<Value | undefined>): void {
    const isHostActing = typeof host === 'string' && this.isInActiveZone(host) && !moved.has(host);
    this.#stackItems.set(item, { host: typeof host === 'string' ? host : undefined, isReaction, isHostActing });
  }

  /** Remembers entities of a step, which may have disappeared before the view after it. */
  rememberEvents(events: GameEvent[]): void {
    const moved = new Set(events.filter(({ event }) => event === 'Moved').map(({ payload }) => payload['entity']));
    for (const { event, payload } of events) {
      if (event === 'Created') this.#rememberCreated(payload, moved);
      if (event === 'Action' || event === 'Reaction') this.#rememberResolved(event, payload, moved);
    }
  }

  #rememberCreated(payload: GameEvent['payload'], moved: Set<Value | undefined>): void {
    const { entity, def } = payload;
    if (typeof entity !== 'string' || typeof def !== 'string') return;
    const title = this.display.defs[def]?.title;
    if (title && !this.#remembered.has(entity)) this.#remembered.set(entity, title);
    const host = (payload['with'] as Record<string, Value> | null | undefined)?.['host'];
    if (/^(action|reaction) /.test(def)) this.#rememberStackItem(entity, host, def.startsWith('reaction '), moved);
  }

  #rememberResolved(event: 'Action' | 'Reaction', payload: GameEvent['payload'], moved: Set<Value | undefined>): void {
    const { item, host } = payload;
    if (typeof item !== 'string' || this.#stackItems.has(item)) return;
    this.#remembered.set(item, this.rule(String(payload[event === 'Action' ? 'action' : 'reaction'])));
    this.#rememberStackItem(item, host, event === 'Reaction', moved);
  }

  /** Returns whether an object is the viewer's own player. */
  isYou(object: ObjectId): boolean {
    return object === this.#you;
  }

  /** Returns whether a text is the name of an entity, a player or a zone. */
  isObject(text: string): boolean {
    return /^(#\d+|p\d+)$/.test(text) || this.#index.zone(text) !== undefined;
  }

  stackItem(name: Name): Readonly<StackItem> | undefined {
    return this.#stackItems.get(name);
  }

  /** Returns whether an entity is in a zone that the ruleset declares as active, such as a battlefield. */
  isInActiveZone(entity: Name): boolean {
    const zone = this.#index.zoneOf(entity)?.split('.').at(-1);
    return this.display.zones.some(({ name, active }) => active && name === zone);
  }

  of(object: ObjectId): string {
    const seat = /^p(\d+)$/.exec(object)?.[1];
    if (seat !== undefined) return this.#seatNames[Number(seat)] ?? `Player ${Number(seat) + 1}`;
    if (this.#stackItems.has(object)) return this.#stackItemName(object);
    return (
      this.#remembered.get(object) ??
      squareName(object) ??
      (object.startsWith('#') && !object.includes('.') ? 'something' : this.zone(object))
    );
  }

  /** Returns the title of an item on the stack, as the ruleset gives it. */
  stackItemTitle(item: Name): string {
    return this.#remembered.get(item) ?? 'something';
  }

  /** Names an item after the card it comes from (`Bolt`, not `Cast Bolt`), or after what an entity does with it. */
  #stackItemName(item: Name): string {
    const title = this.stackItemTitle(item);
    const { host, isHostActing } = this.#stackItems.get(item)!;
    const hostName = host === undefined ? undefined : this.#remembered.get(host);
    if (host === undefined || hostName === undefined || title.endsWith(hostName)) return hostName ?? title;
    if (title.includes(hostName)) return title;
    return isHostActing ? `${title} (${hostName})` : hostName;
  }

  /** Returns the name of a zone with its owner: `Ann’s hand`. */
  zone(name: Name): string {
    const [owner, own] = name.includes('.') ? name.split('.') : [undefined, name];
    const title = uiHintText(this.display, 'zones', own ?? name, 'name') ?? sentenceCase(own ?? name);
    const possessive = owner === undefined ? 'the' : owner === this.#you ? 'your' : `${this.of(owner)}’s`;
    return `${possessive} ${title.toLowerCase()}`;
  }

  phase(name: string): string {
    const title =
      uiHintText(this.display, 'phases', name, 'name') ??
      this.display.phases.find((phase) => phase.name === name)?.title;
    return sentenceCase(title || name);
  }

  /** Returns the title of an action or a reaction. */
  rule(id: string): string {
    return this.display.rules[id] ?? sentenceCase(id);
  }
}
