/** Shows the tooltip of an object on hover, keyboard focus or long press. */
import type { Interaction } from './interaction.svelte.ts';
import type { ObjectId } from './view-index.ts';

const HOVER_MS = 400;
/** While a target is chosen, a card at reading size would cover others that can be chosen. */
const TARGETING_HOVER_MS = 1100;
const LONG_PRESS_MS = 450;

export interface TooltipParams {
  interaction: Interaction;
  object: ObjectId;
}

/** Svelte action for elements with a tooltip. */
export function tooltip(
  node: HTMLElement,
  params: TooltipParams,
): { update(next: TooltipParams): void; destroy(): void } {
  let { interaction, object } = params;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasLongPress = false;

  const show = () => {
    if (!interaction.dragged) interaction.inspected = { object, rect: node.getBoundingClientRect() };
  };
  const hide = () => {
    clearTimeout(timer);
    if (interaction.inspected?.object === object) interaction.inspected = undefined;
  };
  const onEnter = (event: PointerEvent) => {
    if (event.pointerType === 'mouse')
      timer = setTimeout(show, interaction.isTargeting ? TARGETING_HOVER_MS : HOVER_MS);
  };
  const onDown = (event: PointerEvent) => {
    clearTimeout(timer);
    wasLongPress = false;
    if (event.pointerType === 'mouse') return hide();
    timer = setTimeout(() => {
      wasLongPress = true;
      show();
    }, LONG_PRESS_MS);
  };
  const onUp = () => clearTimeout(timer);
  const onFocus = () => {
    if (node.matches(':focus-visible')) show();
  };
  // What has the focus may leave the page in the middle of an update, when nothing else may change.
  const onBlur = () => queueMicrotask(hide);
  // A long press ends with a click, which must not select anything.
  const onClick = (event: Event) => {
    if (!wasLongPress) return;
    wasLongPress = false;
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const onContextMenu = (event: Event) => {
    if (wasLongPress) event.preventDefault();
  };

  const listeners: [string, (event: never) => void][] = [
    ['pointerenter', onEnter],
    ['pointerleave', hide],
    ['pointerdown', onDown],
    ['pointerup', onUp],
    ['pointercancel', onUp],
    ['focus', onFocus],
    ['blur', onBlur],
    ['contextmenu', onContextMenu],
  ];
  listeners.forEach(([name, listener]) => node.addEventListener(name, listener as EventListener));
  node.addEventListener('click', onClick, { capture: true });
  return {
    update(next) {
      ({ interaction, object } = next);
    },
    destroy() {
      hide();
      listeners.forEach(([name, listener]) => node.removeEventListener(name, listener as EventListener));
      node.removeEventListener('click', onClick, { capture: true });
    },
  };
}
