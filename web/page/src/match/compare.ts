/** What the other players have of what an action counts, as `ui.compare` says. */
import type { Entity, Player, Value, View } from '@intermezzo/sdk';

import { uiHintText, type RulesetDisplay } from './ruleset-display.ts';

export interface Comparison {
  /** What is counted. */
  sign: string;
  own: number;
  rows: { player: Player; count: number; words: string }[];
}

const number = (value: Value | undefined): number => (typeof value === 'number' ? value : 0);

/** Returns what the others have and do if the viewer makes this choice with an entity. */
export function compare(
  choice: string,
  { def, props }: Entity,
  { players, you }: View,
  display: RulesetDisplay,
): Comparison | undefined {
  const hint = (...path: string[]) => uiHintText(display, 'compare', ...path);
  const [of, key] = [hint('of'), hint('key')];
  const sign = key === undefined ? undefined : props[key];
  const viewer = players.find(({ id }) => id === you);
  if (hint('choice') !== choice || of === undefined || typeof sign !== 'string' || !viewer) return undefined;
  const countOf = ({ props }: Player) => number((props[of] as Record<string, Value> | null | undefined)?.[sign]);
  const own = countOf(viewer);
  const words = (key: 'enough' | 'less') => (def === null ? undefined : hint('defs', def, key)) ?? hint(key) ?? '';
  const rows = players.flatMap((player) => {
    if (player === viewer || player.gone) return [];
    const count = countOf(player);
    return [{ player, count, words: words(count >= own ? 'enough' : 'less') }];
  });
  return { sign, own, rows };
}
