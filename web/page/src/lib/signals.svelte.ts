/** Signals that the player is needed: title, icon, and a notification if the page is in the background. */
import { playSound } from './sound.svelte.ts';

const NOTIFY_KEY = 'intermezzo.notify';
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
const ICON = icon?.href ?? '';
/** The icon with a dot. */
const ICON_TURN = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="4" y="7" width="13" height="18" rx="3" fill="#1d5850" transform="rotate(-9 10 16)"/><rect x="14" y="6" width="13" height="18" rx="3" fill="#e2a21a" transform="rotate(8 20 15)"/><circle cx="24" cy="8" r="7.500" fill="#b3261e" stroke="#fff" stroke-width="2"/></svg>`,
)}`;

export const signals = $state({
  /** True while the player is asked. */
  isTurn: false,
  areNotificationsOn: localStorage.getItem(NOTIFY_KEY) === 'on' && canNotify(),
});

function canNotify(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted';
}

/** Turns notifications on or off; asks for permission if needed. */
export async function setNotifications(isOn: boolean): Promise<void> {
  if (isOn && 'Notification' in globalThis && Notification.permission === 'default')
    await Notification.requestPermission();
  signals.areNotificationsOn = isOn && canNotify();
  localStorage.setItem(NOTIFY_KEY, signals.areNotificationsOn ? 'on' : 'off');
}

/** Marks the page as waiting for the player, or no longer. */
export function setTurn(isTurn: boolean): void {
  if (signals.isTurn === isTurn) return;
  signals.isTurn = isTurn;
  if (icon) icon.href = isTurn ? ICON_TURN : ICON;
}

/** Tells the player that they are needed. */
export function callPlayer(title: string, body: string): void {
  playSound('bell');
  if (!document.hidden || !signals.areNotificationsOn || !canNotify()) return;
  const shown = new Notification(title, { body, tag: 'intermezzo', icon: ICON });
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
}
