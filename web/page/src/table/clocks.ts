/** Time that is left, as people read it. */
import type { Bank } from '@intermezzo/sdk';

export function timeText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  const two = (value: number) => String(value).padStart(2, '0');
  if (days > 1) return `${days} days`;
  if (hours > 0) return `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}`;
}

/** What is left in a bank, by the server's clock. */
export function leftIn(bank: Bank, serverNow: number): number {
  return bank.runningSince == null ? bank.leftMs : bank.leftMs - Math.max(0, serverNow - bank.runningSince);
}
