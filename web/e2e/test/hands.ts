/** Hands at the table: matches that begin as a story needs them, and a player who presses whatever can be pressed. */
import type { Page } from 'playwright-core';

import type { World } from './world.ts';
import { DESK } from './world.ts';

type How = Parameters<World['person']>[0];

export interface Wish {
  ruleset: string;
  options?: Record<string, unknown>;
  /** Who sits where: people in the order they are returned, and bots. */
  places: ('human' | 'random' | 'greedy' | 'mcts')[];
  /** Others may look on. */
  isPublic?: boolean;
}

export async function call<T>(
  here: World,
  method: string,
  path: string,
  token?: string,
  body: unknown = {},
): Promise<T> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const answer = await fetch(here.url + path, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const found = (await answer.json()) as T;
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(found)}`);
  return found;
}

export interface Sat {
  id: string;
  pages: Page[];
  tokens: string[];
}

/** Starts a match and sits everybody down at it, each with a browser of their own. */
export async function sit(
  here: World,
  { ruleset, options = {}, places, isPublic = false }: Wish,
  how: How = DESK,
): Promise<Sat> {
  const people = places.filter((place) => place === 'human').length;
  const accounts = await Promise.all(
    Array.from({ length: people }, () => call<{ token: string }>(here, 'POST', '/accounts')),
  );
  const tokens = accounts.map(({ token }) => token);
  const wish = { ruleset, options, seats: places.length, places, private: !isPublic };
  const { id, code } = await call<{ id: string; code?: string }>(here, 'POST', '/matches', tokens[0], wish);
  for (const token of tokens.slice(1)) await call(here, 'POST', `/matches/${id}/seats`, token, { code });
  for (const token of tokens.slice(1)) await call(here, 'PUT', `/matches/${id}/ready`, token, { ready: true });
  await call(here, 'POST', `/matches/${id}/start`, tokens[0]).catch(() =>
    call(here, 'PUT', `/matches/${id}/ready`, tokens[0], { ready: true }),
  );
  const pages = await Promise.all(tokens.map((token) => open(here, id, token, how)));
  return { id, pages, tokens };
}

/** The same where only one is no bot; gives their page. */
export async function sitAlone(here: World, wish: Wish, how: How = DESK): Promise<Page> {
  return (await sit(here, wish, how)).pages[0]!;
}

/** Opens a match as somebody who is signed in. */
export async function open(here: World, id: string, token: string, how: How = DESK): Promise<Page> {
  const page = await here.person(how);
  await page.evaluate((own) => localStorage.setItem('intermezzo.token', own), token);
  await page.goto(`${here.url}/#/match/${id}`);
  await page.reload();
  await page.getByRole('region', { name: 'Table' }).waitFor();
  return page;
}

/** All that is known of a match by whoever has the token. */
export function viewOf<T>(here: World, id: string, token: string): Promise<T> {
  return call<{ view: T }>(here, 'GET', `/matches/${id}/view`, token).then(({ view }) => view);
}

/** What is asked. */
export const decision = (page: Page) => page.getByRole('region', { name: 'Your decision' });
/** Presses something that is marked on the table. */
export const pressThing = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click();
export const pass = (page: Page) => decision(page).getByRole('button', { name: 'Pass', exact: true });
export const log = (page: Page) => page.getByRole('region', { name: 'What has happened' });

/**
 * Presses whatever can be pressed until the match is over, or `most` presses are through; says whether it is over.
 * It knows no game: marked things, buttons beside the table, then Confirm or Pass.
 */
export function pressOn(page: Page, most: number, seed = 7): Promise<boolean> {
  return page.evaluate(
    async ({ most, seed }) => {
      let state = seed;
      const chance = (below: number) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const all = (selector: string) =>
        [...document.querySelectorAll<HTMLButtonElement>(selector)].filter((one) => !one.disabled);
      const isOver = () => document.querySelector('.waiting')?.textContent?.startsWith('The match is over') ?? false;
      const settle = () => new Promise((resolve) => setTimeout(resolve, 12));
      for (let presses = 0, idle = 0; presses < most && idle < 600;) {
        if (isOver()) return true;
        const panel = document.querySelector('[aria-label="Your decision"]');
        const ends = panel
          ? [...panel.querySelectorAll<HTMLButtonElement>('.ends button')].filter((one) => !one.disabled)
          : [];
        const end = ends.find((one) => one.textContent?.trim() !== 'Back');
        const things = all(
          '[data-spot].can:not(.picked), [data-spot][data-slot]:not(.filled), [data-choice]:not([aria-pressed="true"])',
        ).filter((one) => one.dataset['slot'] === undefined);
        const slots = document.querySelectorAll('[data-slot]:not(.filled)').length;
        const isFull = document.querySelectorAll('[data-slot]').length > 0 && slots === 0;
        const mayEnd = end !== undefined && (isFull || things.length === 0 || chance(4) === 0);
        const next = mayEnd ? end : things[chance(things.length)];
        if (next) {
          next.click();
          presses += 1;
          idle = 0;
        } else idle += 1;
        await settle();
      }
      return isOver();
    },
    { most, seed },
  );
}
