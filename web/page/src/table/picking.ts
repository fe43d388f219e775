/** Picking several, putting in order and filling slots: lists of option numbers and what may be done with them. */

/** Adds or takes away one; of more than may be picked the oldest goes. */
export function toggled(picked: number[], n: number, most: number): number[] {
  return picked.includes(n) ? picked.filter((known) => known !== n) : [...picked, n].slice(-most);
}

/** One moved to another place. */
export function moved(order: number[], from: number, to: number): number[] {
  const rest = order.filter((_, at) => at !== from);
  const place = Math.max(0, Math.min(rest.length, to));
  return [...rest.slice(0, place), order[from]!, ...rest.slice(place)];
}

export type Slots = (number | null)[];

/** Puts an option into a slot; it leaves the one it was in, which takes what was there. */
export function placed(slots: Slots, n: number, at: number): Slots {
  const before = slots.indexOf(n);
  const next = [...slots];
  if (before >= 0) next[before] = slots[at] ?? null;
  next[at] = n;
  return next;
}

/** Puts an option into the first empty slot, or takes it out if it is in one. */
export function slotted(slots: Slots, n: number): Slots {
  if (slots.includes(n)) return slots.map((known) => (known === n ? null : known));
  const at = slots.indexOf(null);
  return at < 0 ? slots : placed(slots, n, at);
}

/** What is wrong with how many are picked; nothing if it is fine. */
export function shortage(count: number, min: number, max: number): string | undefined {
  if (count < min) return min === max ? `${count} of ${min} picked` : `At least ${min}; ${count} picked`;
  return count > max ? `At most ${max}; ${count} picked` : undefined;
}
