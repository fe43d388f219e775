import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';

import { play } from '../../../examples/bots/bot.ts';
import { serve, type TestServer } from './test-server.ts';

let server: TestServer;
const file = fileURLToPath(new URL('./readme-bot.generated.ts', import.meta.url));
beforeAll(async () => void (server = await serve()));
afterAll(async () => {
  await server.stop();
  await rm(file, { force: true });
});

test('the bot in the README plays a match', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const bot = /```ts bot\n([\s\S]*?)```/.exec(readme)?.[1];
  expect(bot).toBeDefined();
  await writeFile(file, bot!.replace('http://127.0.0.1:8080', server.url));
  const { outcome } = (await import(file)) as { outcome: string };
  expect(outcome).toMatch(/\w/);
});

test.each([
  ['orcain', 'mcts'],
  ['mages', 'greedy'],
] as const)('the example bot plays %s against %s', async (ruleset, against) => {
  const lines: string[] = [];
  const options = { server: server.url, ruleset, against, seed: 1, WebSocket };
  const ending = await play({ ...options, print: (line) => void lines.push(line) });
  expect(ending.outcome).toMatch(/\w/);
  const steps = lines.map((line) => JSON.parse(line) as { events: unknown[] });
  expect(steps.flatMap(({ events }) => events).length).toBeGreaterThan(0);
});
