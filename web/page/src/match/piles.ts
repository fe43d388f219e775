/** Entities in piles by the value of a property. */
import type { Entity } from '@intermezzo/sdk';

import { knownValues } from './look.ts';
import { uiHint, type RulesetDisplay } from './ruleset-display.ts';

export interface Pile {
  value: string;
  hue: number | undefined;
  /** The first one is on top. */
  cards: Entity[];
}

/** Returns a pile for each value: those that the ruleset knows in its order, then others. */
export function pilesBy(display: RulesetDisplay, entities: Entity[], prop: string): Pile[] {
  const known = knownValues(display, prop);
  const found = entities.map((entity) => String(entity.props[prop] ?? ''));
  const values = [...known, ...found.filter((value, at) => !known.includes(value) && found.indexOf(value) === at)];
  return values.map((value) => {
    const hue = uiHint(display, 'art', 'hues', prop, value);
    const cards = entities.filter((entity) => String(entity.props[prop] ?? '') === value);
    return { value, hue: typeof hue === 'number' ? hue : undefined, cards };
  });
}

/** Returns places by a number from 1 on, each with its entities. */
export function placesBy(entities: Entity[], prop: string, count: number): Entity[][] {
  return Array.from({ length: count }, (_, at) => entities.filter((entity) => entity.props[prop] === at + 1));
}
