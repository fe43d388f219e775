/** Seats of players. */
import type { Name } from '@intermezzo/sdk';

/** The seat of a player's name: `p1` sits at 1. */
export function seatOf(name: Name | null | undefined): number | undefined {
  const found = /^p(\d+)/.exec(name ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
