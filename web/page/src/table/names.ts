/** What people call things, players, zones and squares. */
import type { GameEvent, Name, Seated, View } from '@intermezzo/sdk';

import { titled } from '../lib/words.ts';
import { titleOf } from './faces.ts';
import { squareName } from './grid.ts';
import { hintText, type Rules } from './rules.ts';
import { Things, type Thing } from './things.ts';

/** The name of who sits at each seat; those that come twice get the number of their seat. */
export function seatNames(seats: Seated[]): string[] {
  const names: string[] = [];
  for (const { seat, name } of seats) {
    const isTwice = seats.some((other) => other.seat !== seat && other.name === name);
    names[seat] = isTwice ? `${name} ${seat + 1}` : name;
  }
  return names;
}

export class Names {
  readonly rules: Rules;
  readonly #seats: string[];
  readonly #you: Name | null;
  /** What things were called when they were last seen: a log tells of things that are gone. */
  readonly #remembered = new Map<Name, string>();
  #things = new Things(undefined);

  constructor(rules: Rules, seats: Seated[], you: Name | null = null) {
    this.rules = rules;
    this.#seats = seatNames(seats);
    this.#you = you;
  }

  /** Learns what is in sight now. */
  learn(view: View | undefined): void {
    this.#things = new Things(view);
    for (const entity of this.#things.entities()) this.#remembered.set(entity.id, titleOf(this.rules, entity));
  }

  /** Learns what things were made from, of those that nobody sees any more. */
  recall(events: GameEvent[]): void {
    for (const { event, payload } of events) {
      const { entity, def } = payload;
      if (event !== 'Created' || typeof entity !== 'string' || typeof def !== 'string') continue;
      const title = this.rules.defs[def]?.title;
      if (title && !this.#remembered.has(entity)) this.#remembered.set(entity, title);
    }
  }

  /** Whether a text names something. */
  isThing(text: string): boolean {
    return /^(#\d+|p\d+)$/.test(text) || this.#things.zone(text) !== undefined;
  }

  of(thing: Thing): string {
    const seat = /^p(\d+)$/.exec(thing)?.[1];
    if (seat !== undefined) return this.#seats[Number(seat)] ?? `Player ${Number(seat) + 1}`;
    return (
      this.#remembered.get(thing) ??
      squareName(thing) ??
      (thing.startsWith('#') && !thing.includes('.') ? 'something' : this.zone(thing))
    );
  }

  /** A zone with whose it is: `Ann's hand`. */
  zone(name: Name): string {
    const [owner, own] = name.includes('.') ? name.split('.') : [undefined, name];
    const title = hintText(this.rules, 'zones', own ?? name, 'name') ?? titled(own ?? name);
    const whose = owner === undefined ? 'the' : owner === this.#you ? 'your' : `${this.of(owner)}’s`;
    return `${whose} ${title.toLowerCase()}`;
  }

  /** What players read of a phase. */
  phase(name: string): string {
    const title = this.rules.phases.find((phase) => phase.name === name)?.title;
    return titled(title || name);
  }

  /** What players read of an action or a reaction. */
  rule(id: string): string {
    return this.rules.rules[id] ?? titled(id);
  }
}
