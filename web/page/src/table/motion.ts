/** Things that move: from where they were to where they are, always short, never in the way, off for those who want it. */
import type { Step, View } from '@intermezzo/sdk';

import type { Thing } from './things.ts';

const KEY = 'intermezzo.still';
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const MOVE_MS = 320;
const SHAKE_MS = 360;
const FLIP_MS = 420;
/** So much at once is a new deal, not moves that could be followed. */
const MOST_MOVES = 24;

export const isStill = (): boolean => calm.matches || localStorage.getItem(KEY) === 'yes';
export const wantsStill = (): boolean => localStorage.getItem(KEY) === 'yes';

export function setStill(still: boolean): void {
  if (still) localStorage.setItem(KEY, 'yes');
  else localStorage.removeItem(KEY);
}

export interface Places {
  things: Map<Thing, { element: HTMLElement; at: DOMRect }>;
  zones: Map<string, DOMRect>;
}

/** Where everything on the table is now. */
export function placesIn(table: HTMLElement): Places {
  const places: Places = { things: new Map(), zones: new Map() };
  for (const element of table.querySelectorAll<HTMLElement>('[data-thing]'))
    places.things.set(element.dataset['thing']!, { element, at: element.getBoundingClientRect() });
  for (const element of table.querySelectorAll<HTMLElement>('[data-zone]'))
    places.zones.set(element.dataset['zone']!, element.getBoundingClientRect());
  return places;
}

/** Lets everything that is elsewhere now go there from where it was. */
export function moveFrom(table: HTMLElement, before: Places, step: Step): void {
  const [from, to] = [wheres(step, 'from'), wheres(step, 'to')];
  const moves: [HTMLElement, DOMRect][] = [];
  for (const element of table.querySelectorAll<HTMLElement>('[data-thing]')) {
    const thing = element.dataset['thing']!;
    const was = before.things.get(thing)?.at ?? before.zones.get(from.get(thing) ?? '');
    if (was && was.width > 0) moves.push([element, was]);
  }
  const far = moves.filter(([element, was]) => hasMoved(element.getBoundingClientRect(), was));
  const gone = [...to].filter(([thing]) => before.things.has(thing) && !table.querySelector(named('thing', thing)));
  if (far.length + gone.length > MOST_MOVES) return;
  for (const [element, was] of far) fly(element, was, !before.things.has(element.dataset['thing']!));
  for (const [thing, zone] of gone) vanish(before.things.get(thing)!, table.querySelector(named('zone', zone)));
}

/** The zone each thing came from or went to, as far as the step tells. */
function wheres(step: Step, end: 'from' | 'to'): Map<Thing, string> {
  const found = new Map<Thing, string>();
  for (const { event, payload } of step.events) {
    const { entity, [end]: zone } = payload;
    if (event === 'Moved' && typeof entity === 'string' && typeof zone === 'string') found.set(entity, zone);
  }
  return found;
}

const named = (what: 'thing' | 'zone', name: string): string => `[data-${what}="${CSS.escape(name)}"]`;

/** What goes where it cannot be seen is seen going there. */
function vanish({ element, at }: { element: HTMLElement; at: DOMRect }, into: Element | null): void {
  const there = into?.getBoundingClientRect();
  if (!there || there.width === 0 || at.width === 0) return;
  const ghost = element.cloneNode(true) as HTMLElement;
  for (const copied of [ghost, ...ghost.querySelectorAll<HTMLElement>('*')]) {
    delete copied.dataset['thing'];
    delete copied.dataset['spot'];
  }
  ghost.inert = true;
  ghost.ariaHidden = 'true';
  ghost.classList.add('vanishing');
  Object.assign(ghost.style, {
    left: `${at.x}px`,
    top: `${at.y}px`,
    width: `${at.width}px`,
    height: `${at.height}px`,
  });
  document.body.append(ghost);
  const [dx, dy] = [there.x + there.width / 2 - at.x - at.width / 2, there.y + there.height / 2 - at.y - at.height / 2];
  const flight = ghost.animate(
    [
      { transform: 'none', opacity: 1 },
      { transform: `translate(${dx}px, ${dy}px) scale(0.35)`, opacity: 0.35 },
    ],
    { duration: MOVE_MS, easing: 'cubic-bezier(0.4, 0, 0.6, 1)' },
  );
  flight.onfinish = flight.oncancel = () => ghost.remove();
}

function hasMoved(now: DOMRect, was: DOMRect): boolean {
  return Math.abs(now.x - was.x) + Math.abs(now.y - was.y) > 12;
}

function fly(element: HTMLElement, was: DOMRect, isNew: boolean): void {
  const now = element.getBoundingClientRect();
  if (now.width === 0) return;
  const [dx, dy] = [was.x + was.width / 2 - now.x - now.width / 2, was.y + was.height / 2 - now.y - now.height / 2];
  const flip = isNew ? ' rotateY(90deg)' : '';
  element.animate(
    [
      {
        transform: `translate(${dx}px, ${dy}px) scale(${Math.min(1, Math.max(0.4, was.width / now.width))})${flip}`,
        zIndex: 5,
      },
      { transform: 'none', zIndex: 5 },
    ],
    { duration: isNew ? FLIP_MS : MOVE_MS, easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' },
  );
}

const KEYFRAMES: Record<string, Keyframe[]> = {
  shake: [0, -6, 6, -4, 4, 0].map((x) => ({ transform: `translateX(${x}px)` })),
  lunge: [0, -14, 0].map((y) => ({ transform: `translateY(${y}px) scale(${y ? 1.06 : 1})` })),
  flip: [{ transform: 'rotateY(90deg)' }, { transform: 'none' }],
  lift: [{ transform: 'none' }, { transform: 'translateY(-10px)' }, { transform: 'none' }],
};
const SAME: Record<string, string> = {
  flip_pair: 'flip',
  reveal: 'flip',
  card_play: 'lift',
  pick: 'lift',
  lay: 'lift',
};

/** Plays what the ruleset wants to be seen with an event on the things it is about. */
export function play(table: HTMLElement, animation: string, things: Thing[]): void {
  const frames = KEYFRAMES[SAME[animation] ?? animation];
  if (!frames) return;
  for (const thing of things) {
    for (const element of table.querySelectorAll<HTMLElement>(`[data-thing="${CSS.escape(thing)}"]`)) {
      element.animate(frames, { duration: SHAKE_MS, easing: 'ease-in-out' });
    }
  }
}

/** Whether a view is so different that nothing in it can be followed. */
export const isOtherMatch = (before: View | undefined, after: View): boolean =>
  before === undefined || before.players.length !== after.players.length;
