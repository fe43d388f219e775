/** A server and a browser for one test file. Start with `setupEnvironment`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

import { serve, type TestServer } from '../../sdk/test/test-server.ts';

/** Screenshots that the README shows. */
const README_SCREENSHOTS = ['home', 'mages-stack', 'skirmish-way', 'playground-difference'];

const ARTEFACTS = fileURLToPath(new URL('../artefacts/', import.meta.url));

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };

/** Errors and warnings in browser consoles since the last test. */
let consoleErrors: string[] = [];

export interface TestEnvironment {
  url: string;
  /** Opens the page in a new browser context, as a new visitor. */
  openPage(options?: BrowserContextOptions, at?: string): Promise<Page>;
  /** Kills the server, calls `action`, and restarts it at the same address; needs `--data`. */
  whileStopped(action: () => Promise<void>): Promise<void>;
}

/** Starts a server and a browser before the tests of a file, and stops them afterwards. */
export function setupEnvironment(...flags: string[]): TestEnvironment {
  return setupEnvironmentWith((...more) => serve(...flags, ...more));
}

/** Does the same with a custom server. */
export function setupEnvironmentWith(start: (...flags: string[]) => Promise<TestServer>): TestEnvironment {
  let server: TestServer;
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
    if (task.result?.state === 'fail') await saveFailureScreenshots(browser, task.name);
    await Promise.all(browser.contexts().map((context) => context.close()));
    const found = consoleErrors;
    consoleErrors = [];
    expect(found, 'console errors').toEqual([]);
  });
  return {
    get url() {
      return server.url;
    },
    async openPage(options = DESKTOP, at = '') {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      // Tests that are not about motion see everything at once and answer every question themselves.
      if ((options.reducedMotion ?? 'reduce') === 'reduce')
        await context.addInitScript(() => {
          const settings = { speed: 'none', skip: 'off', taught: '*' };
          for (const [name, value] of Object.entries(settings))
            if (localStorage.getItem(`intermezzo.${name}`) === null) localStorage.setItem(`intermezzo.${name}`, value);
        });
      context.setDefaultTimeout(10_000);
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(message.text());
      });
      page.on('pageerror', (error) => consoleErrors.push(String(error)));
      await page.goto(`${server.url}/${at}`);
      return page;
    },
    async whileStopped(action) {
      const { host } = new URL(server.url);
      await server.kill();
      await action();
      server = await start('--listen', host);
    },
  };
}

/** Ignores expected console errors, e.g. of a rejected request. */
export function allowErrors(pattern: RegExp): void {
  consoleErrors = consoleErrors.filter((text) => !pattern.test(text));
}

/** Saves a screenshot for review. */
export async function screenshot(page: Page, name: string, fullPage = true): Promise<void> {
  await page.screenshot({ path: `${ARTEFACTS}${name}.png`, fullPage });
  const readmeFolder = process.env['PICTURES'];
  if (readmeFolder !== undefined && README_SCREENSHOTS.includes(name))
    await saveReadmeScreenshot(page, `${readmeFolder}/${name}.webp`);
}

/** Saves screenshots of all pages of a failed test. */
async function saveFailureScreenshots(browser: Browser, testName: string): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  const name = testName.replaceAll(/\W+/g, '-');
  await Promise.all(pages.map((page, at) => screenshot(page, `failed-${name}-${at}`, false)));
}

/** Saves a small screenshot in the folder `PICTURES`, which `cargo xtask pictures` sets. */
async function saveReadmeScreenshot(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
  await writeFile(path, Buffer.from(data, 'base64'));
}

let axe: string | undefined;

/** Fails on any accessibility violation that axe finds. */
export async function expectAccessible(page: Page): Promise<void> {
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

/** Fails if the text of a card is cut off in the middle of a line. */
export async function expectUncutTexts(page: Page): Promise<void> {
  const cut = await page.evaluate(() => {
    // Glyphs may extend slightly beyond their line box.
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
  expect(cut, 'cut texts').toEqual([]);
}

/** Fails if the page is wider than the screen. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const [whole, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(whole).toBeLessThanOrEqual(seen!);
}
