/** Who is ahead: the number that `ui.score.lead` names, or the one that most games have. */
import type { Name, Value, View } from '@intermezzo/sdk';

import { humanize, sentenceCase } from '../lib/text.ts';
import { gridOf, visibleEntities, type Grid } from './grid.ts';
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

/** Returns what a number of players is called: as in their panel, or as it is. */
export function nameOfNumber(display: RulesetDisplay | undefined, prop: string): string {
  return (display && uiHintText(display, 'layout', 'panel', prop, 'name')) ?? humanize(prop);
}

export interface ScoreColumn {
  title: string;
  /** By player. */
  values: Record<Name, Value>;
}

/** Returns the columns of the result: the numbers of players, or what is left of their pieces on a grid. */
export function scoreColumns(display: RulesetDisplay | undefined, view: View): ScoreColumn[] {
  const valuesOf = (value: (player: View['players'][number]) => Value) =>
    Object.fromEntries(view.players.map((player) => [player.id, value(player)]));
  const columns = scoreProps(display, view).map((prop) => ({
    title: sentenceCase(nameOfNumber(display, prop)),
    values: valuesOf(({ props }) => props[prop] ?? null),
  }));
  const grid = display && gridOf(display, view);
  if (columns.length > 0 || grid?.hp === undefined) return columns;
  return [
    { title: 'Standing', values: valuesOf(({ id }) => piecesOf(view, grid, id).length) },
    { title: 'Hit points', values: valuesOf(({ id }) => strengthOf(view, grid, id)) },
  ];
}

const piecesOf = (view: View, grid: Grid, player: Name) =>
  visibleEntities(view.zones[grid.zones[0] ?? '']).filter(({ owner }) => owner === player);
const strengthOf = (view: View, grid: Grid, player: Name) =>
  piecesOf(view, grid, player).reduce((sum, { props }) => sum + Number(props[grid.hp ?? ''] ?? 0), 0);

/** Returns the number of each player that says who is ahead: a property, or what is left of their pieces on a grid. */
export function standings(display: RulesetDisplay | undefined, view: View): number[] | undefined {
  const prop = leadProp(display, view);
  if (prop !== undefined) return view.players.map(({ props }) => Number(props[prop]));
  const grid = display && gridOf(display, view);
  return grid?.hp === undefined ? undefined : view.players.map(({ id }) => strengthOf(view, grid, id));
}

/** Returns how far a player is ahead of the best other one. */
function leadOf(view: View, player: string, display: RulesetDisplay): number | undefined {
  const numbers = standings(display, view) ?? [];
  const own = numbers[view.players.findIndex(({ id }) => id === player)];
  const others = numbers.filter((_, at) => view.players[at]?.id !== player);
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

/** The end of a match for its viewer; `open` also if nobody won. */
export type Outcome = 'won' | 'lost' | 'open';

export function outcomeFor({ you, ending }: Pick<View, 'you' | 'ending'>): Outcome {
  if (you === null || !ending) return 'open';
  return ending.winners.includes(you) ? 'won' : ending.losers.includes(you) ? 'lost' : 'open';
}

/** Of changes of the same size, the one after which somebody else was ahead counts more. */
function weight({ change, lead }: TurningPoint): number {
  const isTurn = change > 0 ? lead > 0 && lead - change <= 0 : lead < 0 && lead - change >= 0;
  return Math.abs(change) + (isTurn ? 0.5 : 0);
}

/** Remembers the changes of the viewer's lead. */
export class LeadTracker {
  #changes: TurningPoint[] = [];

  /**
   * Returns the largest change before an event: what ends the match is no turning point. In a match that somebody won it
   * is a change for the better of the winner.
   */
  turningPoint(before = Infinity, outcome: Outcome = 'open'): TurningPoint | undefined {
    const found = this.#changes.filter(
      ({ n, change }) => n < before && (outcome === 'open' || change > 0 === (outcome === 'won')),
    );
    return found.reduce<TurningPoint | undefined>(
      (best, one) => (weight(one) > (best ? weight(best) : 0) ? one : best),
      undefined,
    );
  }

  note(before: View, after: View, display: RulesetDisplay, text: string, n: number): void {
    const { you } = after;
    if (you === null || text === '') return;
    const [old, lead] = [leadOf(before, you, display), leadOf(after, you, display)];
    if (old === undefined || lead === undefined || lead === old) return;
    this.#changes.push({ text, when: turnText(after), n, change: lead - old, lead });
  }
}
