/** Parts of tables with a field of squares. */
export { default as ActionTiles } from './ActionTiles.svelte';
export { default as GridBoard } from './GridBoard.svelte';
export { default as TurnOrderStrip } from './TurnOrderStrip.svelte';
