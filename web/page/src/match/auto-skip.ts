/**
 * Questions that need no press: where nothing but passing is possible, about the viewer's own item on top of the stack,
 * and in phases of others without a stop. They are passed after a random time, so that others learn nothing from it.
 */
import type { Prompt, View } from '@intermezzo/sdk';

import { uiHint, type RulesetDisplay } from './ruleset-display.ts';

/** Why a question is passed. */
export type SkipReason = 'nothing' | 'own' | 'phase';

export interface SkipSettings {
  isOn: boolean;
  /** Asks about the viewer's own items on the stack, too. */
  asksAboutOwn: boolean;
  /** Changed stops: phase and whose turn it is, such as `combat theirs`. */
  stops: Readonly<Record<string, boolean>>;
}

export type TurnOf = 'yours' | 'theirs';

/** In one's own turn every phase asks; in the turns of others none does while the stack is empty. */
export const isStop = (phase: string, turn: TurnOf, stops: SkipSettings['stops']): boolean =>
  stops[`${phase} ${turn}`] ?? turn === 'yours';

/** Returns why a question is passed, or undefined if it is asked. */
export function skipReason(
  prompt: Prompt,
  view: View,
  display: RulesetDisplay,
  settings: SkipSettings,
): SkipReason | undefined {
  const isPassable = prompt.kind === 'action' && prompt.pass && prompt.branches.length === 0;
  // A lesson is there to be read.
  if (!settings.isOn || !isPassable || prompt.lesson) return undefined;
  if (prompt.options.length === 0) return 'nothing';
  const [top] = view.zones['stack']?.items ?? [];
  if ((view.zones['stack']?.count ?? 0) > 0)
    return top?.owner === view.you && !settings.asksAboutOwn ? 'own' : undefined;
  const turn = view.phases.find(({ player }) => player !== null)?.player;
  // Without turns, or without a stack, every question counts.
  if (turn == null || !('stack' in view.zones)) return undefined;
  const phases = stopPhases(display).map(({ name }) => name);
  const phase = view.phases.findLast((one) => phases.includes(one.phase))?.phase;
  if (phase === undefined) return undefined;
  return isStop(phase, turn === view.you ? 'yours' : 'theirs', settings.stops) ? undefined : 'phase';
}

/** Returns the phases that can have a stop: those that the ruleset announces. */
export function stopPhases(display: RulesetDisplay): { name: string; title: string }[] {
  const announced = Object.keys((uiHint(display, 'phases') ?? {}) as object);
  return display.phases
    .filter(({ name }) => announced.includes(name))
    .map(({ name, title }) => ({ name, title: title || name }))
    .sort((one, other) => announced.indexOf(one.name) - announced.indexOf(other.name));
}

const MIN_MS = 400;
const MAX_MS = 900;

/** Returns a random time to wait, the same whatever the reason. */
export const skipDelay = (random: () => number = Math.random): number => MIN_MS + random() * (MAX_MS - MIN_MS);

// --- settings of the player -------------------------------------------------------------------

const ON_KEY = 'intermezzo.skip';
const OWN_KEY = 'intermezzo.ask-own';
const stopsKey = (ruleset: string) => `intermezzo.stops.${ruleset}`;

export function storedSkipSettings(ruleset: string): SkipSettings {
  return {
    isOn: localStorage.getItem(ON_KEY) !== 'off',
    asksAboutOwn: localStorage.getItem(OWN_KEY) === 'on',
    stops: JSON.parse(localStorage.getItem(stopsKey(ruleset)) ?? '{}') as Record<string, boolean>,
  };
}

export function storeSkipSettings(ruleset: string, { isOn, asksAboutOwn, stops }: SkipSettings): void {
  localStorage.setItem(ON_KEY, isOn ? 'on' : 'off');
  localStorage.setItem(OWN_KEY, asksAboutOwn ? 'on' : 'off');
  localStorage.setItem(stopsKey(ruleset), JSON.stringify(stops));
}
