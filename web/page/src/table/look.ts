/** Looking closely: by pointing for a moment, by the keyboard, or by pressing long. */
import type { Desk } from './desk.svelte.ts';
import type { Thing } from './things.ts';

const POINT_MS = 400;
const PRESS_MS = 450;

export interface Looked {
  desk: Desk;
  thing: Thing;
}

export function look(node: HTMLElement, given: Looked): { update(next: Looked): void; destroy(): void } {
  let { desk, thing } = given;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasLong = false;

  const show = () => {
    if (!desk.carried) desk.seen = { thing, at: node.getBoundingClientRect() };
  };
  const hide = () => {
    clearTimeout(timer);
    if (desk.seen?.thing === thing) desk.seen = undefined;
  };
  const enter = (event: PointerEvent) => {
    if (event.pointerType === 'mouse') timer = setTimeout(show, POINT_MS);
  };
  const down = (event: PointerEvent) => {
    clearTimeout(timer);
    wasLong = false;
    if (event.pointerType === 'mouse') return hide();
    timer = setTimeout(() => {
      wasLong = true;
      show();
    }, PRESS_MS);
  };
  const up = () => clearTimeout(timer);
  const focus = () => {
    if (node.matches(':focus-visible')) show();
  };
  // The end of a long press is no press.
  const click = (event: Event) => {
    if (!wasLong) return;
    wasLong = false;
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const menu = (event: Event) => {
    if (wasLong) event.preventDefault();
  };

  const heard: [string, (event: never) => void][] = [
    ['pointerenter', enter],
    ['pointerleave', hide],
    ['pointerdown', down],
    ['pointerup', up],
    ['pointercancel', up],
    ['focus', focus],
    ['blur', hide],
    ['contextmenu', menu],
  ];
  heard.forEach(([name, listener]) => node.addEventListener(name, listener as EventListener));
  node.addEventListener('click', click, { capture: true });
  return {
    update(next) {
      ({ desk, thing } = next);
    },
    destroy() {
      hide();
      heard.forEach(([name, listener]) => node.removeEventListener(name, listener as EventListener));
      node.removeEventListener('click', click, { capture: true });
    },
  };
}
