/**
 * Keys of the table: arrows move the focus, Enter presses, digits choose, Space goes on, Escape goes back. While the table
 * plays out what happened, Space shows the next moment and S the rest.
 */
import type { Interaction } from './interaction.svelte.ts';

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** What keys do that is not part of the game. */
export interface TableCommands {
  showKeys(): void;
  showLog(): void;
}

export function onTableKey(
  event: KeyboardEvent,
  table: HTMLElement,
  interaction: Interaction,
  commands: TableCommands,
): void {
  const focused = event.target as HTMLElement;
  if (event.altKey || event.ctrlKey || event.metaKey || focused.matches('input, select, textarea')) return;
  if (interaction.isPlaying && event.key.toLowerCase() === 's') return interaction.showRest();
  if (interaction.isPlaying && !interaction.prompt && event.key === ' ') {
    event.preventDefault();
    return interaction.showNext();
  }
  const arrow = ARROWS[event.key];
  if (arrow && (focused.matches('[data-focus-stop]') || focused.contains(table))) {
    const stops = [...table.querySelectorAll<HTMLElement>('[data-focus-stop]')];
    const next = focused.contains(table)
      ? (stops.find((stop) => stop.matches('.selectable')) ?? stops[0])
      : nearestInDirection(focused, stops, arrow);
    if (next) {
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  } else if (event.key === ' ' && (focused.matches('[data-focus-stop]') || focused.contains(table))) {
    event.preventDefault();
    table.querySelector<HTMLElement>('[data-main]:not(:disabled)')?.click();
  } else if (event.key === '?') {
    commands.showKeys();
  } else if (event.key.toLowerCase() === 'l') {
    commands.showLog();
  } else if (event.key === 'Escape') {
    interaction.back();
  } else if (/^[1-9]$/.test(event.key)) {
    const choice = table.querySelectorAll<HTMLElement>('[data-choice]:not(:disabled)')[Number(event.key) - 1];
    if (!choice) return;
    event.preventDefault();
    choice.click();
  }
}

/** Prefers elements that are close and straight ahead. */
function nearestInDirection(
  from: HTMLElement,
  elements: HTMLElement[],
  [dx, dy]: [number, number],
): HTMLElement | undefined {
  const centre = (element: HTMLElement) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2] as const;
  };
  const [x, y] = centre(from);
  let best: { element: HTMLElement; cost: number } | undefined;
  for (const element of elements) {
    const [elementX, elementY] = centre(element);
    const ahead = (elementX - x) * dx + (elementY - y) * dy;
    const aside = Math.abs((elementX - x) * dy) + Math.abs((elementY - y) * dx);
    if (element === from || ahead < 4) continue;
    const cost = ahead + aside * 2.5;
    if (!best || cost < best.cost) best = { element, cost };
  }
  return best?.element;
}
