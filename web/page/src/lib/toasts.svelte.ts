/** Short messages that go away by themselves. */
import { errorWord } from './words.ts';

export interface Toast {
  id: number;
  text: string;
  kind: 'news' | 'trouble';
  link?: { name: string; to: string } | undefined;
}

const SHOWN_MS = 6000;
let last = 0;
export const toasts = $state<Toast[]>([]);

export function say(text: string, kind: Toast['kind'] = 'news', link?: Toast['link']): void {
  last += 1;
  const id = last;
  toasts.push({ id, text, kind, link });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Tells of something that went wrong. */
export function tell(error: unknown): void {
  say(errorWord(error), 'trouble');
}

export function dismiss(id: number): void {
  const at = toasts.findIndex((toast) => toast.id === id);
  if (at >= 0) toasts.splice(at, 1);
}
