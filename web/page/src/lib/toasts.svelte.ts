/** Short messages that disappear after a few seconds. */
import { errorText } from './text.ts';

export interface Toast {
  id: number;
  text: string;
  kind: 'info' | 'error';
  link?: { text: string; href: string } | undefined;
}

const SHOWN_MS = 6000;
let lastId = 0;
export const toasts = $state<Toast[]>([]);

export function showToast(text: string, kind: Toast['kind'] = 'info', link?: Toast['link']): void {
  lastId += 1;
  const id = lastId;
  toasts.push({ id, text, kind, link });
  setTimeout(() => dismissToast(id), SHOWN_MS);
}

export function showError(error: unknown): void {
  showToast(errorText(error), 'error');
}

export function dismissToast(id: number): void {
  const index = toasts.findIndex((toast) => toast.id === id);
  if (index >= 0) toasts.splice(index, 1);
}
