/** The current time, updated often enough for countdowns. The timer runs only while something displays it. */
import { createSubscriber } from 'svelte/reactivity';

const TICK_MS = 200;

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, TICK_MS);
  return () => clearInterval(timer);
});

export const clock = {
  get now(): number {
    subscribe();
    return Date.now();
  },
};
