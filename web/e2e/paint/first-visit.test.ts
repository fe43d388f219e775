/**
 * Measures the first visit on a slow phone with a slow connection. Run `npm run paint --workspace e2e` and read the
 * printed figures; they are not compared with limits.
 */
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';

import { serve, type TestServer } from '../../sdk/test/test-server.ts';
import { PHONE } from '../support/test-environment.ts';

const RUNS = 5;
/** Slow 4G as page speed tools define it, and a processor a quarter as fast as this one. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const CPU_SLOWDOWN = 4;

interface Figures {
  'first paint': number;
  'largest paint': number;
  interactive: number;
  'kilobytes loaded': number;
}

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  server = await serve();
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** Opens the page with an empty cache. */
async function visit(): Promise<Figures> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(server.url);
  await page
    .getByRole('button', { name: /^Play / })
    .first()
    .waitFor();
  const times = await page.evaluate(
    () =>
      new Promise<{ ready: number; first: number; largest: number }>((resolve) => {
        const ready = performance.now();
        const first = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
        new PerformanceObserver((list) =>
          resolve({ ready, first, largest: list.getEntries().at(-1)!.startTime }),
        ).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        });
      }),
  );
  await context.close();
  return {
    'first paint': times.first,
    'largest paint': times.largest,
    interactive: times.ready,
    'kilobytes loaded': bytes / 1000,
  };
}

const median = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)]!;

test('first visit on a slow phone', { timeout: 300_000 }, async () => {
  const visits: Figures[] = [];
  for (let run = 0; run < RUNS; run += 1) visits.push(await visit());
  const names = Object.keys(visits[0]!) as (keyof Figures)[];
  const lines = names.map((name) => {
    const unit = name.startsWith('kilo') ? 'kB' : 'ms';
    const values = visits.map((figures) => Math.round(figures[name]));
    return `${name.padEnd(22)} ${median([...values])} ${unit}   (${values.join(', ')})`;
  });
  console.log(
    `${RUNS} first visits, 1.6 Mbit/s, 150 ms away, processor ${CPU_SLOWDOWN} times slower; medians\n${lines.join('\n')}`,
  );
});
