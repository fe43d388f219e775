/** The sound of a beat: the one that the ruleset names, or one for what happens. */
import type { Name } from '@intermezzo/sdk';

import type { Sound } from '../lib/sound.svelte.ts';
import type { Beat } from './beats.ts';
import { uiHintText, type RulesetDisplay } from './ruleset-display.ts';

/** Names that rulesets use, with the sounds they mean. */
const NAMED: Record<string, Sound | undefined> = {
  slide: 'slide',
  tap: 'tap',
  rise: 'rise',
  answer: 'answer',
  hit: 'thud',
  thud: 'thud',
  heal: 'chime',
  chime: 'chime',
  clack: 'clack',
  bell: 'bell',
  tick: 'tick',
  won: 'won',
  lost: 'lost',
};

export function beatSound(beat: Beat, display: RulesetDisplay, you: Name | null): Sound | undefined {
  for (const { event } of beat.events) {
    const named = uiHintText(display, 'events', event, 'sound');
    if (named !== undefined) return NAMED[named];
  }
  if (beat.events.some(({ event }) => event === 'EventPrevented')) return 'clack';
  switch (beat.kind) {
    case 'effect':
      return beat.numbers.some(({ isLoss }) => isLoss) ? 'thud' : 'chime';
    case 'announce':
      return (beat.view.zones['stack']?.count ?? 0) > 1 ? 'answer' : 'rise';
    case 'reveal':
      return 'slide';
    case 'walk':
      return 'tap';
    default:
      return moveSound(beat, you);
  }
}

/** A card that comes into a hand slides; one that is laid down taps. */
function moveSound({ events, view }: Beat, you: Name | null): Sound | undefined {
  const move = events.find(({ event }) => event === 'Moved');
  if (!move) return undefined;
  const { entity, to } = move.payload;
  const owner = typeof to === 'string' ? to.split('.')[0] : undefined;
  const isOwnHand = owner === you && typeof entity === 'string' && move.payload['from'] !== null;
  const zone = view.players.find((one) => one.id === owner)?.zones[String(to).split('.')[1] ?? ''];
  return entity === null || (isOwnHand && zone?.items === undefined) ? 'slide' : 'tap';
}
