/** Reasons why an action is not possible, as sentences. */
import type { Actions, View } from '@intermezzo/sdk';

import { humanize } from '../lib/text.ts';
import { uiHintText, type RulesetDisplay } from './ruleset-display.ts';
import { ViewIndex } from './view-index.ts';

/** Returns the reason with the numbers behind it: `Costs 5 mana, you have 3.` */
export function whyNot(
  { reason, host }: Actions['unavailable'][number],
  view: View | undefined,
  display: RulesetDisplay | undefined,
): string {
  const resource = /^Not enough (\w+)\.?$/.exec(reason)?.[1];
  const index = new ViewIndex(view);
  const price = display && host != null && uiHintText(display, 'card', 'cost');
  const cost = price ? index.entity(host)?.props[price] : undefined;
  const own = resource !== undefined && view?.you != null ? index.player(view.you)?.props[resource] : undefined;
  if (typeof cost === 'number' && typeof own === 'number')
    return `Costs ${cost} ${humanize(resource!)}, you have ${own}.`;
  const target = /^No valid choice for (.+)$/.exec(reason)?.[1];
  if (target !== undefined) return `There is no ${humanize(target)} for it now.`;
  return /[.!?…]$/.test(reason) ? reason : `${reason}.`;
}
