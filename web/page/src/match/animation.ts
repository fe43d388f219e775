/** Animations of objects that move, and those that rulesets request. Players can turn them off. */
import type { Step, View } from '@intermezzo/sdk';

import type { ObjectId } from './view-index.ts';

const STORAGE_KEY = 'intermezzo.still';
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
const MOVE_MS = 320;
const EFFECT_MS = 360;
const FLIP_MS = 420;
/** Time to look at the last revealed card. */
const REST_MS = 240;
/** More simultaneous moves than this cannot be followed, so none is animated. */
const MAX_MOVES = 24;

export const isMotionDisabled = (): boolean => localStorage.getItem(STORAGE_KEY) === 'yes';
/** Returns whether motion is disabled on this page or in the system settings. */
export const isMotionReduced = (): boolean => reducedMotion.matches || isMotionDisabled();

export function setMotionDisabled(isDisabled: boolean): void {
  if (isDisabled) localStorage.setItem(STORAGE_KEY, 'yes');
  else localStorage.removeItem(STORAGE_KEY);
}

export interface Positions {
  objects: Map<ObjectId, { element: HTMLElement; rect: DOMRect }>;
  zones: Map<string, DOMRect>;
}

/** Measures where everything on the table is. */
export function measurePositions(table: HTMLElement): Positions {
  const positions: Positions = { objects: new Map(), zones: new Map() };
  for (const element of table.querySelectorAll<HTMLElement>('[data-object]'))
    positions.objects.set(element.dataset['object']!, { element, rect: element.getBoundingClientRect() });
  for (const element of table.querySelectorAll<HTMLElement>('[data-zone]'))
    positions.zones.set(element.dataset['zone']!, element.getBoundingClientRect());
  return positions;
}

/** Animates everything from its position before the step to its current one. */
export function animateMoves(table: HTMLElement, before: Positions, step: Step): void {
  const [from, to] = [movedZones(step, 'from'), movedZones(step, 'to')];
  const moves: [HTMLElement, DOMRect][] = [];
  for (const element of table.querySelectorAll<HTMLElement>('[data-object]')) {
    const object = element.dataset['object']!;
    const old = before.objects.get(object)?.rect ?? before.zones.get(from.get(object) ?? '');
    if (old && old.width > 0) moves.push([element, old]);
  }
  const visible = moves.filter(([element, old]) => hasMoved(element.getBoundingClientRect(), old));
  const hidden = [...to].filter(
    ([object]) => before.objects.has(object) && !table.querySelector(selector('object', object)),
  );
  if (visible.length + hidden.length > MAX_MOVES) return;
  for (const [element, old] of visible) animateFrom(element, old, !before.objects.has(element.dataset['object']!));
  for (const [object, zone] of hidden)
    animateVanish(before.objects.get(object)!, table.querySelector(selector('zone', zone)));
}

/** Returns the zone that each entity left or entered in a step. */
function movedZones(step: Step, end: 'from' | 'to'): Map<ObjectId, string> {
  const found = new Map<ObjectId, string>();
  for (const { event, payload } of step.events) {
    const { entity, [end]: zone } = payload;
    if (event === 'Moved' && typeof entity === 'string' && typeof zone === 'string') found.set(entity, zone);
  }
  return found;
}

const selector = (attribute: 'object' | 'zone', name: string): string => `[data-${attribute}="${CSS.escape(name)}"]`;

/** Animates an object into a zone where it is no longer visible. */
function animateVanish({ element, rect }: { element: HTMLElement; rect: DOMRect }, into: Element | null): void {
  const target = into?.getBoundingClientRect();
  if (!target || target.width === 0 || rect.width === 0) return;
  const ghost = element.cloneNode(true) as HTMLElement;
  for (const copied of [ghost, ...ghost.querySelectorAll<HTMLElement>('*')]) {
    delete copied.dataset['object'];
    delete copied.dataset['focusStop'];
  }
  ghost.inert = true;
  ghost.ariaHidden = 'true';
  ghost.classList.add('vanishing');
  Object.assign(ghost.style, {
    left: `${rect.x}px`,
    top: `${rect.y}px`,
    width: `${rect.width}px`,
    height: `${rect.height}px`,
  });
  document.body.append(ghost);
  const dx = target.x + target.width / 2 - rect.x - rect.width / 2;
  const dy = target.y + target.height / 2 - rect.y - rect.height / 2;
  const animation = ghost.animate(
    [
      { transform: 'none', opacity: 1 },
      { transform: `translate(${dx}px, ${dy}px) scale(0.35)`, opacity: 0.35 },
    ],
    { duration: MOVE_MS, easing: 'cubic-bezier(0.4, 0, 0.6, 1)' },
  );
  animation.onfinish = animation.oncancel = () => ghost.remove();
}

function hasMoved(now: DOMRect, old: DOMRect): boolean {
  return Math.abs(now.x - old.x) + Math.abs(now.y - old.y) > 12;
}

function animateFrom(element: HTMLElement, old: DOMRect, isNew: boolean): void {
  const now = element.getBoundingClientRect();
  if (now.width === 0) return;
  const [dx, dy] = [old.x + old.width / 2 - now.x - now.width / 2, old.y + old.height / 2 - now.y - now.height / 2];
  const flip = isNew ? ' rotateY(90deg)' : '';
  element.animate(
    [
      {
        transform: `translate(${dx}px, ${dy}px) scale(${Math.min(1, Math.max(0.4, old.width / now.width))})${flip}`,
        zIndex: 5,
      },
      { transform: 'none', zIndex: 5 },
    ],
    { duration: isNew ? FLIP_MS : MOVE_MS, easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' },
  );
}

/** Returns the time it takes to turn that many cards or pairs one after the other. */
export const revealMs = (count: number): number => (count === 0 || isMotionReduced() ? 0 : count * FLIP_MS + REST_MS);

const KEYFRAMES: Record<string, Keyframe[]> = {
  shake: [0, -6, 6, -4, 4, 0].map((x) => ({ transform: `translateX(${x}px)` })),
  lunge: [0, -14, 0].map((y) => ({ transform: `translateY(${y}px) scale(${y ? 1.06 : 1})` })),
  flip: [{ transform: 'rotateY(90deg)' }, { transform: 'none' }],
  lift: [{ transform: 'none' }, { transform: 'translateY(-10px)' }, { transform: 'none' }],
};
const SYNONYMS: Record<string, string> = {
  flip_pair: 'flip',
  reveal: 'flip',
  card_play: 'lift',
  pick: 'lift',
  lay: 'lift',
};

/** Plays an animation that the ruleset requests for an event on the objects of the event. */
export function playAnimation(table: HTMLElement, name: string, objects: ObjectId[]): void {
  const kind = SYNONYMS[name] ?? name;
  const frames = KEYFRAMES[kind];
  if (!frames) return;
  // Cards are turned; the names of players stay readable.
  for (const object of kind === 'flip' ? objects.filter((one) => !/^p\d+$/.test(one)) : objects) {
    for (const element of table.querySelectorAll<HTMLElement>(selector('object', object))) {
      element.animate(frames, { duration: EFFECT_MS, easing: 'ease-in-out' });
    }
  }
}

/** Returns whether two views are so different that moves between them make no sense. */
export const isOtherMatch = (before: View | undefined, after: View): boolean =>
  before === undefined || before.players.length !== after.players.length;
