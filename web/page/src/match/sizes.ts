/**
 * Sizes of elements. They are observed like with `bind:clientWidth`, and can also be read at once: motion must know where
 * everything will be before the browser paints, and it observes sizes too late for that.
 */
import { flushSync } from 'svelte';
import type { Attachment } from 'svelte/attachments';

/** What depends on sizes may change others in turn. */
const MAX_ROUNDS = 3;
const readers = new Set<() => boolean>();

/** Calls `listener` with the inner size of an element, now and when it changes. */
export function watchSize(listener: (width: number, height: number) => void): Attachment<HTMLElement> {
  return (element) => {
    let [width, height] = [-1, -1];
    const read = () => {
      const { clientWidth, clientHeight } = element;
      if (clientWidth === width && clientHeight === height) return false;
      [width, height] = [clientWidth, clientHeight];
      listener(width, height);
      return true;
    };
    readers.add(read);
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => {
      readers.delete(read);
      observer.disconnect();
    };
  };
}

/** Reads all sizes and applies what depends on them. */
export function settleSizes(): void {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const hasChanged = [...readers].map((read) => read()).some(Boolean);
    if (!hasChanged) return;
    flushSync();
  }
}
