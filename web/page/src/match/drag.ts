/** Dragging with mouse, pen or finger. Everything it does can also be done by clicking. */
import type { Interaction } from './interaction.svelte.ts';
import type { ObjectId } from './view-index.ts';

const DRAG_THRESHOLD_PX = 8;

export interface DragParams {
  interaction: Interaction;
  object: ObjectId;
}

/** Svelte action that makes an element draggable where the rules allow it. */
export function draggable(node: HTMLElement, params: DragParams): { update(next: DragParams): void; destroy(): void } {
  let { interaction, object } = params;
  let start: { x: number; y: number; id: number } | undefined;
  let ghost: HTMLElement | undefined;

  function onDown(event: PointerEvent): void {
    if (event.button !== 0 || !interaction.canDrag(object)) return;
    start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onUp);
    addEventListener('pointercancel', cancel);
  }

  function onMove(event: PointerEvent): void {
    if (!start || event.pointerId !== start.id) return;
    if (!ghost) {
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) < DRAG_THRESHOLD_PX) return;
      ghost = createGhost(node);
      interaction.inspected = undefined;
      interaction.dragged = object;
    }
    event.preventDefault();
    ghost.style.translate = `${event.clientX - ghost.offsetWidth / 2}px ${event.clientY - ghost.offsetHeight / 2}px`;
  }

  function onUp(event: PointerEvent): void {
    const wasDragged = ghost !== undefined;
    const under = wasDragged ? document.elementFromPoint(event.clientX, event.clientY) : null;
    cancel();
    if (!wasDragged) return;
    // Browsers fire a click after a drag; it must not count as one.
    addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener('click', swallow, { capture: true }), 0);
    const closest = (name: string) => under?.closest<HTMLElement>(`[data-${name}]`)?.dataset[name];
    const slot = closest('slot');
    interaction.dragged = object;
    interaction.drop({
      object: closest('object'),
      zone: closest('zone'),
      slot: slot === undefined ? undefined : Number(slot),
    });
  }

  function cancel(): void {
    start = undefined;
    ghost?.remove();
    ghost = undefined;
    interaction.dragged = undefined;
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', onUp);
    removeEventListener('pointercancel', cancel);
  }

  const preventNativeDrag = (event: Event) => event.preventDefault();
  node.addEventListener('pointerdown', onDown);
  node.addEventListener('dragstart', preventNativeDrag);
  return {
    update(next) {
      ({ interaction, object } = next);
    },
    destroy() {
      cancel();
      node.removeEventListener('pointerdown', onDown);
      node.removeEventListener('dragstart', preventNativeDrag);
    },
  };
}

function swallow(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}

/** Creates a copy of the element that follows the pointer. */
function createGhost(node: HTMLElement): HTMLElement {
  const copy = node.cloneNode(true) as HTMLElement;
  const { width, height } = node.getBoundingClientRect();
  copy.removeAttribute('data-object');
  copy.setAttribute('aria-hidden', 'true');
  copy.classList.add('drag-ghost');
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
