/** What waits on the stack and what it is aimed at, as lines over the table. */
import type { Entity } from '@intermezzo/sdk';

import { thingsIn, type Thing, type Things } from './things.ts';

/** Properties every item has; the others are what it is aimed at. */
const OWN = new Set(['host', 'via', 'copied', 'action', 'reaction', 'event', 'known']);

/** What an item of the stack is aimed at. */
export function targetsOf(item: Entity, things: Things): Thing[] {
  return Object.entries(item.props)
    .filter(([name]) => !OWN.has(name))
    .flatMap(([, value]) => thingsIn(value, things));
}

export interface Aim {
  key: string;
  item: Thing;
  /** A curve from the item to what it is aimed at. */
  path: string;
}

/** How far a line goes around what it leads from and to. */
const BRACKET = 34;

interface Spot {
  x: number;
  y: number;
}

/** The lines from these items, as far as both ends can be seen. */
export function aimsIn(table: HTMLElement, items: Entity[], things: Things): Aim[] {
  return items.flatMap((item) => {
    const from = visible(elementOf(table, item.id, things));
    if (!from) return [];
    return targetsOf(item, things).flatMap((target) => {
      const to = visible(elementOf(table, target, things));
      if (!to) return [];
      const isBeside = items.some((other) => other.id === target);
      return [{ key: `${item.id} ${target}`, item: item.id, path: isBeside ? bracket(from, to) : curve(from, to) }];
    });
  });
}

/** Where a thing is shown: by itself, or by the pile it lies in. */
function elementOf(table: HTMLElement, thing: Thing, things: Things): Element | null {
  const found = (name: string, value: string) => table.querySelector(`[data-${name}="${CSS.escape(value)}"]`);
  const zone = things.zoneOf(thing) ?? thing;
  return found('item', thing) ?? found('thing', thing) ?? found('zone', zone);
}

/** Where an element is, unless it has been scrolled out of sight. */
function visible(element: Element | null): DOMRect | undefined {
  const at = element?.getBoundingClientRect();
  if (!element || !at || at.width === 0) return undefined;
  const { x, y } = middle(at);
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflow === 'visible') continue;
    const { left, right, top, bottom } = around.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) return undefined;
  }
  return at;
}

const middle = (at: DOMRect): Spot => ({ x: at.x + at.width / 2, y: at.y + at.height / 2 });

/** Between two that lie above each other: around their left side. */
function bracket(from: DOMRect, to: DOMRect): string {
  const [start, tip] = [
    { x: from.left, y: middle(from).y },
    { x: to.left, y: middle(to).y },
  ];
  const bend = Math.min(start.x, tip.x) - BRACKET;
  return `M${point(start)} C${point({ x: bend, y: start.y })} ${point({ x: bend, y: tip.y })} ${point(tip)}`;
}

function curve(from: DOMRect, to: DOMRect): string {
  const start = nearest(from, middle(to));
  const tip = edge(to, start);
  const [dx, dy] = [tip.x - start.x, tip.y - start.y];
  const bend = { x: start.x + dx / 2 - dy * 0.15, y: start.y + dy / 2 + dx * 0.15 };
  return `M${point(start)} Q${point(bend)} ${point(tip)}`;
}

/** The middle of the side that is nearest to a place. */
function nearest(at: DOMRect, place: Spot): Spot {
  const { x, y } = middle(at);
  const sides = [
    { x: at.left, y },
    { x: at.right, y },
    { x, y: at.top },
    { x, y: at.bottom },
  ];
  const far = (side: Spot) => Math.hypot(side.x - place.x, side.y - place.y);
  return sides.reduce((best, side) => (far(side) < far(best) ? side : best));
}

/** Where a line from the middle of a box towards `towards` leaves the box. */
function edge(at: DOMRect, towards: Spot): Spot {
  const { x, y } = middle(at);
  const [dx, dy] = [towards.x - x, towards.y - y];
  const part = Math.min(at.width / 2 / Math.abs(dx), at.height / 2 / Math.abs(dy), 1);
  return { x: x + dx * part, y: y + dy * part };
}

const point = ({ x, y }: Spot): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
