/** Parts of tables whose zones have piles, places or tracks. */
export { default as PilesView } from './PilesView.svelte';
export { default as PlacesView } from './PlacesView.svelte';
export { default as TrackView } from './TrackView.svelte';
