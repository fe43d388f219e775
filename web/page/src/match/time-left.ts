/** Remaining time as display text. */
import type { Bank } from '@intermezzo/sdk';

export function formatTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  if (days > 1) return `${days} days`;
  if (hours > 0) return `${hours}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
  return `${minutes}:${twoDigits(seconds % 60)}`;
}

/** Returns the time left in a bank, by the server's clock. */
export function bankTimeLeft(bank: Bank, serverNow: number): number {
  return bank.runningSince == null ? bank.leftMs : bank.leftMs - Math.max(0, serverNow - bank.runningSince);
}
