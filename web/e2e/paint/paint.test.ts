/**
 * How long until there is something to see, and something to press, on a slow phone with a slow connection. The figures
 * are printed and judged by people: `npm run paint --workspace e2e`.
 */
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';

import { serve, type Served } from '../../sdk/test/server.ts';
import { PHONE } from '../test/world.ts';

const RUNS = 5;
/** A slow 4G connection, as page speed tools have it, and a processor a quarter as fast as this one. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const CPU_TIMES = 4;

interface Figures {
  'first paint': number;
  'largest paint': number;
  'a game can be begun': number;
  'kilobytes loaded': number;
}

let server: Served;
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

/** Somebody who has never been here opens the page. */
async function visit(): Promise<Figures> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_TIMES });
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
    'a game can be begun': times.ready,
    'kilobytes loaded': bytes / 1000,
  };
}

const median = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)]!;

test('the first visit on a slow phone', { timeout: 300_000 }, async () => {
  const visits: Figures[] = [];
  for (let run = 0; run < RUNS; run += 1) visits.push(await visit());
  const names = Object.keys(visits[0]!) as (keyof Figures)[];
  const lines = names.map((name) => {
    const unit = name.startsWith('kilo') ? 'kB' : 'ms';
    const values = visits.map((figures) => Math.round(figures[name]));
    return `${name.padEnd(22)} ${median([...values])} ${unit}   (${values.join(', ')})`;
  });
  console.log(
    `${RUNS} first visits, 1.6 Mbit/s, 150 ms away, processor ${CPU_TIMES} times slower; medians\n${lines.join('\n')}`,
  );
});
