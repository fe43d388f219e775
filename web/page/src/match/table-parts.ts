/** Parts of tables that only some games have. They are loaded with the display of a ruleset, before its table is shown. */
import { middleSlots, tileProps, turnOrder } from './look.ts';
import { uiHint, type RulesetDisplay } from './ruleset-display.ts';

interface TableParts {
  grid?: typeof import('./grid-parts.ts');
  places?: typeof import('./place-parts.ts');
  duel?: typeof import('./DuelSlots.svelte');
}

/** The parts that have been loaded. */
export const tableParts: TableParts = {};

/** Loads what the table of a ruleset needs. */
export async function loadTableParts(display: RulesetDisplay): Promise<void> {
  const hasGrid =
    uiHint(display, 'grid') !== undefined || tileProps(display) !== undefined || turnOrder(display) !== undefined;
  const zones = ['mine', 'others', 'band'].map((area) => uiHint(display, 'layout', area) ?? null);
  const hasPlaces = /"(piles|slots|track)"/.test(JSON.stringify(zones));
  await Promise.all([
    hasGrid && import('./grid-parts.ts').then((found) => (tableParts.grid = found)),
    hasPlaces && import('./place-parts.ts').then((found) => (tableParts.places = found)),
    middleSlots(display) && import('./DuelSlots.svelte').then((found) => (tableParts.duel = found)),
  ]);
}
