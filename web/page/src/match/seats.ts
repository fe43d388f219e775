import type { Name } from '@intermezzo/sdk';

/** Returns the seat of a player name: `p1` is seat 1. */
export function seatOf(name: Name | null | undefined): number | undefined {
  const seat = /^p(\d+)/.exec(name ?? '')?.[1];
  return seat === undefined ? undefined : Number(seat);
}
