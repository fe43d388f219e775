/** Words of the button that goes on: it says what happens. */
import type { Prompt, View } from '@intermezzo/sdk';

import type { DisplayNames } from './display-names.ts';
import { uiHint, uiHintText } from './ruleset-display.ts';

/** Returns the words of passing: those of the rules, or what follows from the stack and the phases. */
export function passTitle(prompt: Prompt, view: View, names: DisplayNames): string {
  if (prompt.passTitle !== undefined) return prompt.passTitle;
  const [top] = view.zones['stack']?.items ?? [];
  if (top) return `Let ${names.of(top.id)} happen`;
  if (prompt.kind !== 'action') return 'Pass';
  return phaseTitle(view, names) ?? 'Pass';
}

/** Returns what passing does in the viewer's own turn. */
function phaseTitle(view: View, names: DisplayNames): string | undefined {
  const { display } = names;
  const own = view.phases.filter(({ player }) => player !== null && player === view.you);
  if (own.length === 0) return undefined;
  const announced = Object.keys((uiHint(display, 'phases') ?? {}) as object);
  const at = own.findLast(({ phase }) => announced.includes(phase))?.phase;
  const title = at === undefined ? undefined : uiHintText(display, 'phases', at, 'pass');
  if (title !== undefined) return title;
  const next = at === undefined ? undefined : announced[announced.indexOf(at) + 1];
  if (next === undefined) return 'End turn';
  const words = names.phase(next);
  return `To ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}
