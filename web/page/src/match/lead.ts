/** Who is ahead: the number that `ui.score.lead` names, or the one that most games have. */
import type { View } from '@intermezzo/sdk';

import { uiHint, uiHintText, type RulesetDisplay } from './ruleset-display.ts';

const USUAL = ['score', 'points', 'life', 'hp'];

/** Returns the property of players that says who is ahead, if there is one. */
export function leadProp(display: RulesetDisplay | undefined, view: View): string | undefined {
  const has = (prop: string) => view.players.every(({ props }) => typeof props[prop] === 'number');
  const declared = display && uiHintText(display, 'score', 'lead');
  return [...(declared === undefined ? [] : [declared]), ...USUAL].find(has);
}

/** Returns the numbers of players that the end of a match shows. */
export function scoreProps(display: RulesetDisplay | undefined, view: View): string[] {
  const declared = display && uiHint(display, 'score', 'shows');
  const numbers = view.players.flatMap(({ props }) =>
    Object.entries(props).flatMap(([name, value]) => (typeof value === 'number' ? [name] : [])),
  );
  return Array.isArray(declared) ? declared.map(String) : [...new Set(numbers)];
}

/** Returns how far a player is ahead of the best other one. */
export function leadOf(view: View, player: string, prop: string): number | undefined {
  const numbers = (of: View['players']) => of.map(({ props }) => Number(props[prop]));
  const [own] = numbers(view.players.filter(({ id }) => id === player));
  const others = numbers(view.players.filter(({ id }) => id !== player));
  return own === undefined || others.length === 0 ? undefined : own - Math.max(...others);
}

/** The moment that changed most. */
export interface TurningPoint {
  text: string;
  /** Such as `turn 9`; empty if the game counts neither turns nor rounds. */
  when: string;
  /** Number of the event. */
  n: number;
  /** By how much the viewer's lead changed. */
  change: number;
  /** The viewer's lead afterwards. */
  lead: number;
}

/** Returns the turn or round of a view in words. */
export function turnText({ match }: View): string {
  const found = ['turn', 'round'].find((name) => typeof match[name] === 'number');
  return found === undefined ? '' : `${found} ${String(match[found])}`;
}

/** Remembers the largest change of the viewer's lead. */
export class LeadTracker {
  turningPoint: TurningPoint | undefined;

  note(before: View, after: View, display: RulesetDisplay, text: string, n: number): void {
    const { you } = after;
    const prop = leadProp(display, after);
    if (you === null || prop === undefined || text === '') return;
    const [old, lead] = [leadOf(before, you, prop), leadOf(after, you, prop)];
    if (old === undefined || lead === undefined) return;
    const change = lead - old;
    if (Math.abs(change) > Math.abs(this.turningPoint?.change ?? 0))
      this.turningPoint = { text, when: turnText(after), n, change, lead };
  }
}
