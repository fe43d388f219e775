/** The time of this device, as often as a clock that people look at needs it. Nothing ticks while nobody looks. */
import { createSubscriber } from 'svelte/reactivity';

const TICK_MS = 200;

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, TICK_MS);
  return () => clearInterval(timer);
});

export const ticking = {
  get now(): number {
    subscribe();
    return Date.now();
  },
};
