/** Operations on picked, ordered and slotted options, which are lists of option numbers. */

/** Adds or removes an option; beyond `max` the oldest pick is dropped. */
export function togglePick(picked: number[], n: number, max: number): number[] {
  return picked.includes(n) ? picked.filter((one) => one !== n) : [...picked, n].slice(-max);
}

/** Moves an item to another position. */
export function moveItem(order: number[], from: number, to: number): number[] {
  const rest = order.filter((_, index) => index !== from);
  const target = Math.max(0, Math.min(rest.length, to));
  return [...rest.slice(0, target), order[from]!, ...rest.slice(target)];
}

export type Slots = (number | null)[];

/** Puts an option into a slot. If it was in another slot, the two slots swap. */
export function placeInSlot(slots: Slots, n: number, slot: number): Slots {
  const before = slots.indexOf(n);
  const next = [...slots];
  if (before >= 0) next[before] = slots[slot] ?? null;
  next[slot] = n;
  return next;
}

/** Puts an option into the first empty slot, or removes it from its slot. */
export function toggleSlot(slots: Slots, n: number): Slots {
  if (slots.includes(n)) return slots.map((one) => (one === n ? null : one));
  const empty = slots.indexOf(null);
  return empty < 0 ? slots : placeInSlot(slots, n, empty);
}

/** Explains why a number of picks is not allowed; returns undefined if it is. */
export function pickCountProblem(count: number, min: number, max: number): string | undefined {
  if (count < min) return min === max ? `${count} of ${min} selected` : `Select at least ${min} (${count} selected)`;
  return count > max ? `Select at most ${max} (${count} selected)` : undefined;
}
