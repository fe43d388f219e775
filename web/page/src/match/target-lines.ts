/** Lines from the items on the stack to their targets. */
import type { Entity } from '@intermezzo/sdk';

import { objectsIn, type ObjectId, type ViewIndex } from './view-index.ts';

/** Properties that every item has; all others are targets. */
const ITEM_PROPS = new Set(['host', 'via', 'copied', 'action', 'reaction', 'event', 'known']);

export function targetsOf(item: Entity, index: ViewIndex): ObjectId[] {
  return Object.entries(item.props)
    .filter(([name]) => !ITEM_PROPS.has(name))
    .flatMap(([, value]) => objectsIn(value, index));
}

export interface TargetLine {
  key: string;
  item: ObjectId;
  /** SVG path from the item to the target. */
  path: string;
}

/** Distance of a line between two items from their left edge. */
const BRACKET_PX = 34;

interface Point {
  x: number;
  y: number;
}

/** Returns the lines whose ends are both visible. */
export function targetLines(table: HTMLElement, items: Entity[], index: ViewIndex): TargetLine[] {
  return items.flatMap((item) => {
    const from = visibleRect(elementOf(table, item.id, index));
    if (!from) return [];
    return targetsOf(item, index).flatMap((target) => {
      const to = visibleRect(elementOf(table, target, index));
      if (!to) return [];
      const isStackItem = items.some((other) => other.id === target);
      return [{ key: `${item.id} ${target}`, item: item.id, path: isStackItem ? bracket(from, to) : curve(from, to) }];
    });
  });
}

/** Two things that a question is about, and the line between them. */
export interface CauseLine {
  /** SVG path from who acts to whom it is about; undefined if only one of them is visible. */
  path: string | undefined;
  /** Where the object is that it is about. */
  rect: DOMRect;
}

/** Between neighbours there is no room for a line. */
const NEAR_PX = 44;

/** Returns the space between two boxes. */
function distance(one: DOMRect, other: DOMRect): number {
  const across = Math.max(0, one.left - other.right, other.left - one.right);
  const down = Math.max(0, one.top - other.bottom, other.top - one.bottom);
  return Math.hypot(across, down);
}

/** Returns the line from who acts to whom it is about. */
export function causeLine(
  table: HTMLElement,
  [actor, victim]: readonly [ObjectId | undefined, ObjectId],
  index: ViewIndex,
): CauseLine | undefined {
  const rect = visibleRect(elementOf(table, victim, index));
  const from = actor === undefined ? undefined : visibleRect(elementOf(table, actor, index));
  const isNear = from && rect && distance(from, rect) < NEAR_PX;
  return rect && { rect, path: from && !isNear ? curve(from, rect) : undefined };
}

/** Returns the element of an object, or of the pile it is in. */
function elementOf(table: HTMLElement, object: ObjectId, index: ViewIndex): Element | null {
  const find = (name: string, value: string) => table.querySelector(`[data-${name}="${CSS.escape(value)}"]`);
  const zone = index.zoneOf(object) ?? object;
  // An item on the stack is pressed in place of the card it comes from, but it is not that card.
  const card = table.querySelector(`[data-object="${CSS.escape(object)}"]:not([data-stack-item])`);
  return find('stack-item', object) ?? card ?? find('zone', zone);
}

/** Returns the position of an element, unless it is scrolled out of sight. */
function visibleRect(element: Element | null): DOMRect | undefined {
  const rect = element?.getBoundingClientRect();
  if (!element || !rect || rect.width === 0) return undefined;
  const { x, y } = centre(rect);
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (getComputedStyle(parent).overflow === 'visible') continue;
    const { left, right, top, bottom } = parent.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) return undefined;
  }
  return rect;
}

const centre = (rect: DOMRect): Point => ({ x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 });

/** Connects two items of the stack around their left side. */
function bracket(from: DOMRect, to: DOMRect): string {
  const [start, tip] = [
    { x: from.left, y: centre(from).y },
    { x: to.left, y: centre(to).y },
  ];
  const bend = Math.min(start.x, tip.x) - BRACKET_PX;
  return `M${coordinates(start)} C${coordinates({ x: bend, y: start.y })} ${coordinates({ x: bend, y: tip.y })} ${coordinates(tip)}`;
}

function curve(from: DOMRect, to: DOMRect): string {
  const start = nearestSide(from, centre(to));
  const tip = edgeTowards(to, start);
  const [dx, dy] = [tip.x - start.x, tip.y - start.y];
  const bend = { x: start.x + dx / 2 - dy * 0.15, y: start.y + dy / 2 + dx * 0.15 };
  return `M${coordinates(start)} Q${coordinates(bend)} ${coordinates(tip)}`;
}

/** Returns the middle of the side that is nearest to a point. */
function nearestSide(rect: DOMRect, point: Point): Point {
  const { x, y } = centre(rect);
  const sides = [
    { x: rect.left, y },
    { x: rect.right, y },
    { x, y: rect.top },
    { x, y: rect.bottom },
  ];
  const distance = (side: Point) => Math.hypot(side.x - point.x, side.y - point.y);
  return sides.reduce((best, side) => (distance(side) < distance(best) ? side : best));
}

/** Returns where a line from the centre of a box towards a point leaves the box. */
function edgeTowards(rect: DOMRect, point: Point): Point {
  const { x, y } = centre(rect);
  const [dx, dy] = [point.x - x, point.y - y];
  const share = Math.min(rect.width / 2 / Math.abs(dx), rect.height / 2 / Math.abs(dy), 1);
  return { x: x + dx * share, y: y + dy * share };
}

const coordinates = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
