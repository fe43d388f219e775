/** A server and a browser for one file of tests. Start with `world`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

import { serve, type Served } from '../../sdk/test/server.ts';

/** Pictures that the README shows. */
const SHOWN = ['home', 'mages-stack', 'skirmish-way', 'playground-difference'];

const ARTEFACTS = fileURLToPath(new URL('../artefacts/', import.meta.url));

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };

/** What pages have complained about since the last test. */
let complaints: string[] = [];

export interface World {
  url: string;
  /** Somebody with a browser of their own, who has opened the page. */
  person(how?: BrowserContextOptions, at?: string): Promise<Page>;
  /** Kills the server, does something, and starts it again where it was; it needs `--data`. */
  without(doing: () => Promise<void>): Promise<void>;
}

/** Starts a server and a browser before the tests of a file, and ends them after. */
export function world(...flags: string[]): World {
  return worldOf((...more) => serve(...flags, ...more));
}

/** The same with a server of another kind. */
export function worldOf(start: (...flags: string[]) => Promise<Served>): World {
  let server: Served;
  let browser: Browser;
  beforeAll(async () => {
    const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
    await mkdir(ARTEFACTS, { recursive: true });
    server = await start();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepPictures(browser, task.name);
    await Promise.all(browser.contexts().map((context) => context.close()));
    const found = complaints;
    complaints = [];
    expect(found, 'pages complained').toEqual([]);
  });
  return {
    get url() {
      return server.url;
    },
    async person(how = DESK, at = '') {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...how });
      context.setDefaultTimeout(10_000);
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${server.url}/${at}`);
      return page;
    },
    async without(doing) {
      const { host } = new URL(server.url);
      await server.kill();
      await doing();
      server = await start('--listen', host);
    },
  };
}

/** Complaints that belong to the story, e.g. of a request that is refused. */
export function forgive(pattern: RegExp): void {
  complaints = complaints.filter((text) => !pattern.test(text));
}

/** Keeps a picture for people to look at. */
export async function picture(page: Page, name: string, fullPage = true): Promise<void> {
  await page.screenshot({ path: `${ARTEFACTS}${name}.png`, fullPage });
  const shelf = process.env['PICTURES'];
  if (shelf !== undefined && SHOWN.includes(name)) await smallPicture(page, `${shelf}/${name}.webp`);
}

/** What every page showed when a story failed. */
async function keepPictures(browser: Browser, story: string): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  const name = story.replaceAll(/\W+/g, '-');
  await Promise.all(pages.map((page, at) => picture(page, `failed-${name}-${at}`, false)));
}

/** The same for the README, where `PICTURES` says (`cargo xtask pictures`). */
async function smallPicture(page: Page, path: string): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
  await writeFile(path, Buffer.from(data, 'base64'));
}

let axe: string | undefined;

/** Nobody is kept out: what axe finds is a failure. */
export async function isAccessible(page: Page): Promise<void> {
  axe ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(
      (rule) => `${rule.id}: ${rule.nodes.map((node) => `${node.html} (${node.failureSummary})`).join('; ')}`,
    );
  });
  expect(found).toEqual([]);
}

/** No text on a card is cut in the middle of a line. */
export async function textsAreWhole(page: Page): Promise<void> {
  const cut = await page.evaluate(() => {
    // Letters may reach a little beyond their lines.
    const slackPx = 3;
    return [...document.querySelectorAll('.card .text')].flatMap((text) => {
      const [own, card] = [text.getBoundingClientRect(), text.closest('.card')!.getBoundingClientRect()];
      const bottom = Math.min(own.bottom, card.bottom);
      const words = document.createRange();
      words.selectNodeContents(text);
      const isCut = [...words.getClientRects()].some(
        (line) => line.top < bottom - slackPx && line.bottom > bottom + slackPx,
      );
      return isCut ? [text.textContent] : [];
    });
  });
  expect(cut, 'texts that are cut').toEqual([]);
}

/** Nothing sticks out of the screen. */
export async function fits(page: Page): Promise<void> {
  const [whole, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(whole).toBeLessThanOrEqual(seen!);
}
