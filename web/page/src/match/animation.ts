/** Animations of objects that move, and those that rulesets request. Players can turn them off. */
import type { GameEvent, Value, View } from '@intermezzo/sdk';

import type { Beat, NumberChange } from './beats.ts';
import type { ObjectId } from './view-index.ts';

const STORAGE_KEY = 'intermezzo.still';
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
type EventData = Pick<GameEvent, 'event' | 'payload'>;

const MOVE_MS = 320;
const WALK_MS = 240;
const SQUARE_MS = 60;
const NUMBER_MS = 900;
/** More hidden cards than this do not fly at a time. */
const MAX_HIDDEN = 5;
/** Width of a face-down card that flies. */
const GHOST_PX = 44;
const EFFECT_MS = 360;
const FLIP_MS = 420;
/** More simultaneous flights than this cannot be followed, so none is animated. */
const MAX_FLIGHTS = 24;
const MIN_SLIDE_MS = 60;
const SLIDE_EASING = 'cubic-bezier(0.2, 0.7, 0.2, 1)';

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
  /** Everything on the table that has a place, down to cards. */
  boxes: Map<Element, DOMRect>;
}

/** What slides: the table, the bar above it, and the question beside or below it. */
const MOVING = '.bar, .mat, aside';

/** Measures where everything on the table was painted last. */
export function measurePositions(table: HTMLElement): Positions {
  showPaintedFrame(table);
  const positions: Positions = { objects: new Map(), zones: new Map(), boxes: new Map() };
  for (const element of table.querySelectorAll<HTMLElement>('[data-object]'))
    positions.objects.set(element.dataset['object']!, { element, rect: element.getBoundingClientRect() });
  for (const element of table.querySelectorAll<HTMLElement>('[data-zone]'))
    positions.zones.set(element.dataset['zone']!, element.getBoundingClientRect());
  for (const part of table.querySelectorAll(MOVING)) measureBoxes(part, positions.boxes);
  return positions;
}

/** Elements whose place depends on what is beside them. Pictures fill their frame and go with it. */
const hasBox = (element: Element): element is HTMLElement | SVGSVGElement =>
  element instanceof HTMLElement || (element instanceof SVGSVGElement && element.matches('.pictogram'));

function measureBoxes(parent: Element, boxes: Positions['boxes']): void {
  for (const child of parent.children) {
    if (!hasBox(child)) continue;
    boxes.set(child, child.getBoundingClientRect());
    measureBoxes(child, boxes);
  }
}

/** Where something appears on the screen while it slides: a place `p` of the layout at `by * p + add`. */
interface Axis {
  by: number;
  add: number;
}
const STILL: Axis = { by: 1, add: 0 };

/** A slide of an element: how far away it begins, and how much larger or smaller. */
interface Slide {
  element: HTMLElement | SVGSVGElement;
  translate: [number, number];
  scale: [number, number];
}

/** Shows what happens in a beat: flights, walks, numbers, and the animations that the ruleset requests. */
export function animateBeat(table: HTMLElement, before: Positions, beat: Beat, ms: number | undefined): void {
  animateMoves(table, before, beat.events, { walker: beat.way?.object, ms });
  if (beat.way) animateWalk(table, beat.way);
  for (const change of beat.numbers) showNumber(table, change);
  for (const line of beat.lines) if (line.animation) playAnimation(table, line.animation, line.objects);
}

/** Lets a figure walk from square to square to where it is now. */
function animateWalk(table: HTMLElement, { object, squares }: NonNullable<Beat['way']>): void {
  const figure = table.querySelector<HTMLElement>(selector('object', object));
  const places = squares.map((square) => table.querySelector(`[data-square="${square}"]`)?.getBoundingClientRect());
  const goal = places.at(-1);
  if (!figure || !goal || places.length < 2) return;
  const frames = places.map((place) => ({
    transform: place ? `translate(${place.x - goal.x}px, ${place.y - goal.y}px)` : 'none',
  }));
  figure.animate(frames, { duration: WALK_MS + (places.length - 1) * SQUARE_MS, easing: 'ease-in-out' });
}

/** Shows a number at its object for a moment: damage as a burst, anything gained as a plate. */
function showNumber(table: HTMLElement, { object, from, to, isLoss }: NumberChange): void {
  const element = table.querySelector<HTMLElement>(selector('object', object));
  const rect = element?.getBoundingClientRect();
  if (!element || !rect || rect.width === 0) return;
  if (isLoss) frameHit(element);
  const number = document.createElement('span');
  number.className = `burst ${isLoss ? 'loss' : 'gain'}`;
  number.ariaHidden = 'true';
  number.textContent = `${isLoss ? '−' : '+'}${Math.abs(to - from)}`;
  // Near the upper right corner, beside the name of a player.
  const x = rect.right - Math.min(rect.width * 0.18, 26);
  Object.assign(number.style, { left: `${x}px`, top: `${rect.y + Math.min(rect.height * 0.3, 26)}px` });
  document.body.append(number);
  const animation = number.animate(
    [
      { transform: 'translate(-50%, -50%) scale(0.3) rotate(-14deg)', opacity: 0 },
      { transform: 'translate(-50%, -50%) scale(1.18)', opacity: 1, offset: 0.18 },
      { transform: 'translate(-50%, -50%) scale(1)', opacity: 1, offset: 0.3 },
      { transform: 'translate(-50%, -50%) scale(1)', opacity: 1, offset: 0.82 },
      { transform: 'translate(-50%, -70%) scale(0.9)', opacity: 0 },
    ],
    { duration: NUMBER_MS, easing: 'ease-out' },
  );
  animation.onfinish = animation.oncancel = () => number.remove();
}

/** Frames what is hit, as long as its number is shown. */
function frameHit(element: HTMLElement): void {
  const frame = 'inset 0 0 0 3px var(--foe), 0 0 0 3px var(--foe)';
  element.animate([{ boxShadow: frame }, { boxShadow: frame, offset: 0.7 }, {}], { duration: NUMBER_MS });
}

interface MoveOptions {
  /** A figure that walks on its own. */
  walker?: ObjectId | undefined;
  /** Time until something else may move. */
  ms?: number | undefined;
}

/** Slides that are under way. */
let slides: Animation[] = [];
/** Slides that begin with the next frame: until then everything is where it was. */
let held: { element: Slide['element']; play: () => Animation }[] = [];
/** The time of the last frame, while something slides. */
let paintedAt: number | undefined;

/** Ends all slides at once. What was measured includes them; the places to go to do not. */
function endSlides(): void {
  slides.forEach((slide) => slide.cancel());
  for (const { element } of held)
    Object.assign(element.style, { translate: '', scale: '', zIndex: '', transformOrigin: '' });
  [slides, held] = [[], []];
}

/**
 * Begins the slides after a frame that shows everything where it was. Browsers compare frames to find out what jumps, and
 * do not know where something is that begins to slide in the very frame in which its place changes.
 */
function beginSlides(found: Slide[], duration: number): void {
  const begun = found.map((slide) => holdSlide(slide, duration));
  held = begun;
  if (begun.length > 0)
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (held !== begun) return;
        endSlides();
        slides = begun.map(({ play }) => play());
        followFrames();
      }),
    );
}

function followFrames(): void {
  const isFollowing = paintedAt !== undefined;
  const note = () => {
    const isSliding = slides.some(({ playState }) => playState === 'running');
    paintedAt = isSliding ? (document.timeline.currentTime as number) : undefined;
    if (isSliding) requestAnimationFrame(note);
  };
  paintedAt = document.timeline.currentTime as number;
  if (!isFollowing) requestAnimationFrame(note);
}

/**
 * Turns animations back to the frame that the viewer sees. Browsers let them run on between two frames, and a slide that
 * begins elsewhere than the last one was seen is a jump.
 */
function showPaintedFrame(table: HTMLElement): void {
  if (paintedAt === undefined) return;
  for (const animation of table.getAnimations({ subtree: true })) {
    const start = animation.startTime;
    if (typeof start === 'number' && start <= paintedAt) animation.currentTime = paintedAt - start;
  }
}

/** Lets everything slide from where it was before the events; cards fly from the zone or the card they come from. */
export function animateMoves(
  table: HTMLElement,
  before: Positions,
  events: EventData[],
  { walker, ms = MOVE_MS }: MoveOptions = {},
): void {
  const [from, to] = [movedZones(events, 'from'), movedZones(events, 'to')];
  const hosts = announcedHosts(events);
  const startOf = (object: ObjectId, item: string): DOMRect | undefined => {
    const host = hosts.get(item) ?? '';
    return (
      before.objects.get(object)?.rect ??
      before.zones.get(from.get(object) ?? '') ??
      before.objects.get(host)?.rect ??
      before.zones.get(from.get(host) ?? '')
    );
  };
  endSlides();
  // All places are measured before anything slides.
  const found: Slide[] = [];
  for (const part of table.querySelectorAll(MOVING)) collectSlides(part, before, [STILL, STILL], walker, found);
  const flights = [...table.querySelectorAll<HTMLElement>('.mat [data-object]')].flatMap((element) => {
    const start = before.boxes.has(element)
      ? undefined
      : startOf(element.dataset['object']!, element.dataset['stackItem'] ?? '');
    return start && start.width > 0 ? [[element, start] as const] : [];
  });
  // Slides end before the next begin.
  const duration = Math.max(MIN_SLIDE_MS, Math.min(MOVE_MS, ms - MIN_SLIDE_MS));
  beginSlides(found, duration);
  const hidden = [...to].filter(
    ([object]) => before.objects.has(object) && !table.querySelector(selector('object', object)),
  );
  if (flights.length + hidden.length > MAX_FLIGHTS) return;
  for (const [element, old] of flights) animateFrom(element, old, !before.objects.has(element.dataset['object']!));
  for (const [object, zone] of hidden)
    animateVanish(before.objects.get(object)!, table.querySelector(selector('zone', zone)));
  hiddenMoves(events)
    .slice(0, MAX_HIDDEN)
    .forEach(([start, end], at) =>
      animateHidden(before.zones.get(start), table.querySelector(selector('zone', end)), at),
    );
}

/** Finds out how everything within an element slides, relative to the slides of what it is in. */
function collectSlides(
  parent: Element,
  before: Positions,
  axes: [Axis, Axis],
  walker: ObjectId | undefined,
  found: Slide[],
): void {
  for (const element of parent.children) {
    if (!hasBox(element)) continue;
    const [now, old] = [element.getBoundingClientRect(), before.boxes.get(element)];
    const isWalker = walker !== undefined && element.dataset['object'] === walker;
    let inner = axes;
    if (old && old.width > 0 && now.width > 0 && !isWalker) {
      const isCard = element.matches(RESIZED);
      // What is turned is measured around its middle, anything else at its corner.
      const pivot = isCard && element.matches(TURNED) ? 0.5 : 0;
      const x = slideAlong(axes[0], old.x, old.width, now.x, now.width, isCard, pivot);
      const y = slideAlong(axes[1], old.y, old.height, now.y, now.height, isCard, pivot);
      const isMoved = Math.abs(x.move) + Math.abs(y.move) >= 1 || Math.abs(x.scale - 1) + Math.abs(y.scale - 1) > 0.01;
      if (isMoved) {
        found.push({ element, translate: [x.move, y.move], scale: [x.scale, y.scale] });
        inner = [x.axis, y.axis];
      }
    }
    collectSlides(element, before, inner, walker, found);
  }
}

/** These change their size while they slide; anything else has its new size at once. */
const RESIZED = '.card';
const TURNED = '.turned';
/** What holds pictures has this scale at rest, as in its style. */
const REST_SCALE = 1.00001;
const RESCALED = '.card, .item';

function slideAlong(
  axis: Axis,
  old: number,
  oldSize: number,
  now: number,
  size: number,
  isResized: boolean,
  pivot: number,
) {
  const scale = isResized ? oldSize / size / axis.by : 1;
  const [start, end] = [old + oldSize * pivot, now + size * pivot];
  const move = (start - axis.add) / axis.by - end;
  const inner = { by: axis.by * scale, add: axis.add + axis.by * (end - scale * end + move) };
  return { move, scale, axis: inner };
}

/** Shows an element where it was. All slides take the same time, so that those within each other stay together. */
function holdSlide({ element, translate: [x, y], scale }: Slide, duration: number): (typeof held)[number] {
  const isCard = element.matches(RESIZED);
  const rest = element.matches(RESCALED) ? REST_SCALE : 1;
  const start = {
    translate: `${x}px ${y}px`,
    scale: scale.map((size) => size * rest).join(' '),
    ...(isCard && { zIndex: '5', transformOrigin: element.matches(TURNED) ? 'center' : '0 0' }),
  };
  Object.assign(element.style, start);
  // Outlines are not drawn by the compositor. So the browser always knows where things are.
  const known = { outlineOffset: '0px' };
  const frames = [
    { ...start, ...known },
    { ...start, ...known, translate: '0px 0px', scale: String(rest) },
  ];
  return { element, play: () => element.animate(frames, { duration, easing: SLIDE_EASING }) };
}

/** Returns the card that each new item of the stack comes from. */
function announcedHosts(events: EventData[]): Map<string, ObjectId> {
  return new Map(
    events.flatMap(({ event, payload }): [string, ObjectId][] => {
      const { entity, to, with: given } = payload;
      const host = (given as Record<string, Value> | null | undefined)?.['host'];
      const isAnnounced = event === 'Created' && to === 'stack' && typeof entity === 'string';
      return isAnnounced && typeof host === 'string' ? [[entity, host]] : [];
    }),
  );
}

/** Returns the zones that a hidden card left and entered. */
function hiddenMoves(events: EventData[]): [string, string][] {
  return events.flatMap(({ event, payload: { entity, from, to } }): [string, string][] =>
    event === 'Moved' && entity === null && typeof from === 'string' && typeof to === 'string' ? [[from, to]] : [],
  );
}

/** Lets a face-down card fly from zone to zone. */
function animateHidden(start: DOMRect | undefined, zone: Element | null, at: number): void {
  const end = zone?.getBoundingClientRect();
  if (!start || !end || start.width === 0 || end.width === 0) return;
  const ghost = document.createElement('span');
  ghost.className = 'vanishing face-down';
  ghost.ariaHidden = 'true';
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2];
  Object.assign(ghost.style, { left: `${x - GHOST_PX / 2}px`, top: `${y - GHOST_PX * 0.7}px` });
  document.body.append(ghost);
  const goal = `translate(${end.x + end.width / 2 - x}px, ${end.y + end.height / 2 - y}px)`;
  const animation = ghost.animate([{ transform: 'none' }, { transform: goal, opacity: 0.9 }], {
    duration: MOVE_MS,
    delay: at * 60,
    easing: 'cubic-bezier(0.3, 0, 0.3, 1)',
    fill: 'backwards',
  });
  animation.onfinish = animation.oncancel = () => ghost.remove();
}

/** Returns the zone that each entity left or entered in a step. */
function movedZones(events: EventData[], end: 'from' | 'to'): Map<ObjectId, string> {
  const found = new Map<ObjectId, string>();
  for (const { event, payload } of events) {
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
    { duration: isNew ? FLIP_MS : MOVE_MS, easing: SLIDE_EASING },
  );
}

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
  // Cards are turned and lifted; players stay where they are and readable.
  const isForCards = kind === 'flip' || kind === 'lift';
  for (const object of isForCards ? objects.filter((one) => !/^p\d+$/.test(one)) : objects) {
    for (const element of table.querySelectorAll<HTMLElement>(selector('object', object))) {
      element.animate(frames, { duration: EFFECT_MS, easing: 'ease-in-out' });
    }
  }
}

/** Returns whether two views are so different that moves between them make no sense. */
export const isOtherMatch = (before: View | undefined, after: View): boolean =>
  before === undefined || before.players.length !== after.players.length;
