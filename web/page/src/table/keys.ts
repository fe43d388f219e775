/** The keyboard at the table: arrows go from thing to thing, digits choose, Escape goes back. */
import type { Desk } from './desk.svelte.ts';

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function onKey(event: KeyboardEvent, table: HTMLElement, desk: Desk): void {
  const on = event.target as HTMLElement;
  if (event.altKey || event.ctrlKey || event.metaKey || on.matches('input, select, textarea')) return;
  const arrow = ARROWS[event.key];
  if (arrow && on.matches('[data-spot]')) {
    const next = nearest(on, [...table.querySelectorAll<HTMLElement>('[data-spot]')], arrow);
    if (next) {
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  } else if (event.key === 'Escape') {
    desk.back();
  } else if (/^[1-9]$/.test(event.key)) {
    const choice = table.querySelectorAll<HTMLElement>('[data-choice]:not(:disabled)')[Number(event.key) - 1];
    if (!choice) return;
    event.preventDefault();
    choice.click();
  }
}

/** The next one in a direction: near counts, and so does being straight ahead. */
function nearest(from: HTMLElement, all: HTMLElement[], [dx, dy]: [number, number]): HTMLElement | undefined {
  const middle = (element: HTMLElement) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2] as const;
  };
  const [x, y] = middle(from);
  let best: { element: HTMLElement; cost: number } | undefined;
  for (const element of all) {
    const [ex, ey] = middle(element);
    const ahead = (ex - x) * dx + (ey - y) * dy;
    const aside = Math.abs((ex - x) * dy) + Math.abs((ey - y) * dx);
    if (element === from || ahead < 4) continue;
    const cost = ahead + aside * 2.5;
    if (!best || cost < best.cost) best = { element, cost };
  }
  return best?.element;
}
