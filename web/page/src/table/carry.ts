/** Taking things up with mouse, pen or finger and putting them down elsewhere. Everything it does can be done by pressing, too. */
import type { Desk } from './desk.svelte.ts';
import type { Thing } from './things.ts';

const FAR_ENOUGH = 8;

export interface Carried {
  desk: Desk;
  thing: Thing;
}

/** An element that can be dragged where the rules allow it. */
export function carry(node: HTMLElement, given: Carried): { update(next: Carried): void; destroy(): void } {
  let { desk, thing } = given;
  let start: { x: number; y: number; id: number } | undefined;
  let ghost: HTMLElement | undefined;

  function down(event: PointerEvent): void {
    if (event.button !== 0 || !desk.canCarry(thing)) return;
    start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
    addEventListener('pointercancel', cancel);
  }

  function move(event: PointerEvent): void {
    if (!start || event.pointerId !== start.id) return;
    if (!ghost) {
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) < FAR_ENOUGH) return;
      ghost = lift(node);
      desk.seen = undefined;
      desk.carried = thing;
    }
    event.preventDefault();
    ghost.style.translate = `${event.clientX - ghost.offsetWidth / 2}px ${event.clientY - ghost.offsetHeight / 2}px`;
  }

  function up(event: PointerEvent): void {
    const wasCarried = ghost !== undefined;
    const under = wasCarried ? document.elementFromPoint(event.clientX, event.clientY) : null;
    cancel();
    if (!wasCarried) return;
    // The click that ends a drag is none.
    addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener('click', swallow, { capture: true }), 0);
    const found = (name: string) => under?.closest<HTMLElement>(`[data-${name}]`)?.dataset[name];
    const slot = found('slot');
    desk.carried = thing;
    desk.drop({ thing: found('thing'), zone: found('zone'), slot: slot === undefined ? undefined : Number(slot) });
  }

  function cancel(): void {
    start = undefined;
    ghost?.remove();
    ghost = undefined;
    desk.carried = undefined;
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', up);
    removeEventListener('pointercancel', cancel);
  }

  const noNative = (event: Event) => event.preventDefault();
  node.addEventListener('pointerdown', down);
  node.addEventListener('dragstart', noNative);
  return {
    update(next) {
      ({ desk, thing } = next);
    },
    destroy() {
      cancel();
      node.removeEventListener('pointerdown', down);
      node.removeEventListener('dragstart', noNative);
    },
  };
}

function swallow(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}

/** A copy that follows the pointer. */
function lift(node: HTMLElement): HTMLElement {
  const copy = node.cloneNode(true) as HTMLElement;
  const { width, height } = node.getBoundingClientRect();
  copy.removeAttribute('data-thing');
  copy.setAttribute('aria-hidden', 'true');
  copy.classList.add('carried');
  Object.assign(copy.style, {
    position: 'fixed',
    left: '0',
    top: '0',
    width: `${width}px`,
    height: `${height}px`,
    pointerEvents: 'none',
    zIndex: '50',
    margin: '0',
  });
  document.body.append(copy);
  return copy;
}
