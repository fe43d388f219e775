/** Starts matches in a given position, and plays them by pressing buttons. */
import type { Page } from 'playwright-core';

import type { TestEnvironment } from './test-environment.ts';
import { DESKTOP } from './test-environment.ts';

type ContextOptions = Parameters<TestEnvironment['openPage']>[0];

export interface MatchSetup {
  ruleset: string;
  options?: Record<string, unknown>;
  /** Seats: people in the order in which their pages are returned, and bots. */
  places: ('human' | 'random' | 'greedy' | 'mcts')[];
  /** Allows spectators. */
  isPublic?: boolean;
}

export async function call<T>(
  env: TestEnvironment,
  method: string,
  path: string,
  token?: string,
  body: unknown = {},
): Promise<T> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const answer = await fetch(env.url + path, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const found = (await answer.json()) as T;
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(found)}`);
  return found;
}

export interface StartedMatch {
  id: string;
  pages: Page[];
  tokens: string[];
}

/** Starts a match and opens it for all players, each in their own browser context. */
export async function startMatch(
  env: TestEnvironment,
  { ruleset, options = {}, places, isPublic = false }: MatchSetup,
  contextOptions: ContextOptions = DESKTOP,
): Promise<StartedMatch> {
  const people = places.filter((place) => place === 'human').length;
  const accounts = await Promise.all(
    Array.from({ length: people }, () => call<{ token: string }>(env, 'POST', '/accounts')),
  );
  const tokens = accounts.map(({ token }) => token);
  const body = { ruleset, options, seats: places.length, places, private: !isPublic };
  const { id, code } = await call<{ id: string; code?: string }>(env, 'POST', '/matches', tokens[0], body);
  for (const token of tokens.slice(1)) await call(env, 'POST', `/matches/${id}/seats`, token, { code });
  for (const token of tokens.slice(1)) await call(env, 'PUT', `/matches/${id}/ready`, token, { ready: true });
  await call(env, 'POST', `/matches/${id}/start`, tokens[0]).catch(() =>
    call(env, 'PUT', `/matches/${id}/ready`, tokens[0], { ready: true }),
  );
  const pages = await Promise.all(tokens.map((token) => openMatch(env, id, token, contextOptions)));
  return { id, pages, tokens };
}

/** Starts a match with a single person and returns their page. */
export async function startAlone(
  env: TestEnvironment,
  setup: MatchSetup,
  contextOptions: ContextOptions = DESKTOP,
): Promise<Page> {
  return (await startMatch(env, setup, contextOptions)).pages[0]!;
}

/** Signs a visitor in with a token. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.evaluate((own) => localStorage.setItem('intermezzo.token', own), token);
  await page.reload();
}

/** Opens a match with a signed-in account. */
export async function openMatch(
  env: TestEnvironment,
  id: string,
  token: string,
  contextOptions: ContextOptions = DESKTOP,
): Promise<Page> {
  const page = await env.openPage(contextOptions);
  await page.goto(`${env.url}/#/match/${id}`);
  await signIn(page, token);
  await page.getByRole('region', { name: 'Table' }).waitFor();
  return page;
}

/** Returns the view of a match for an account. */
export function viewOf<T>(env: TestEnvironment, id: string, token: string): Promise<T> {
  return call<{ view: T }>(env, 'GET', `/matches/${id}/view`, token).then(({ view }) => view);
}

/** The panel of the open prompt. */
export const decision = (page: Page) => page.getByRole('region', { name: 'Your decision' });
/** Presses an object on the table. */
export const pressObject = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click();
/** The button that goes on, whatever it says. */
export const pass = (page: Page) => decision(page).locator('[data-pass]');
export const log = (page: Page) => page.getByRole('region', { name: 'Log' });

/**
 * Presses random selectable objects, choices, Confirm or Pass until the match is over or `maxPresses` is reached. Returns
 * whether the match is over. It works for every game.
 */
export function pressRandomly(page: Page, maxPresses: number, seed = 7): Promise<boolean> {
  return page.evaluate(
    async ({ maxPresses, seed }) => {
      let state = seed;
      const random = (below: number) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const all = (selector: string) =>
        [...document.querySelectorAll<HTMLButtonElement>(selector)].filter((one) => !one.disabled);
      const isOver = () => document.querySelector('.waiting')?.textContent?.startsWith('The match is over') ?? false;
      const settle = () => new Promise((resolve) => setTimeout(resolve, 12));
      for (let presses = 0, idle = 0; presses < maxPresses && idle < 600;) {
        if (isOver()) return true;
        const panel = document.querySelector('[aria-label="Your decision"]');
        const ends = panel
          ? [...panel.querySelectorAll<HTMLButtonElement>('.ends button')].filter((one) => !one.disabled)
          : [];
        const end = ends.find((one) => !one.textContent?.startsWith('Back'));
        const objects = all(
          '[data-focus-stop].selectable:not(.picked), [data-focus-stop][data-slot]:not(.filled), [data-choice]:not([aria-pressed="true"])',
        ).filter((one) => one.dataset['slot'] === undefined);
        const slots = document.querySelectorAll('[data-slot]:not(.filled)').length;
        const isFull = document.querySelectorAll('[data-slot]').length > 0 && slots === 0;
        const mayEnd = end !== undefined && (isFull || objects.length === 0 || random(4) === 0);
        const next = mayEnd ? end : objects[random(objects.length)];
        if (next) {
          next.click();
          presses += 1;
          idle = 0;
        } else idle += 1;
        await settle();
      }
      return isOver();
    },
    { maxPresses, seed },
  );
}
