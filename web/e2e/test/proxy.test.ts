/** The page behind a real nginx with the sites from `deploy/nginx`. */
import { describe, expect, test } from 'vitest';

import { hasNginx, serveThroughNginx } from '../support/nginx.ts';
import { DESKTOP, setupEnvironmentWith } from '../support/test-environment.ts';

describe.skipIf(!hasNginx).each(['cluster', 'one-server'] as const)('behind nginx (%s)', (site) => {
  const env = setupEnvironmentWith(() => serveThroughNginx(site));

  test('a guest plays a match and a reload continues it', async () => {
    const page = await env.openPage({ ...DESKTOP, ignoreHTTPSErrors: true });
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    const frames: string[] = [];
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))));
    await page.getByRole('button', { name: /^Play Orcain/ }).click();
    await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
    await expect.poll(() => frames.length).toBeGreaterThan(0);
    await page.reload();
    await page.getByRole('heading', { name: 'Lay out your three cards' }).waitFor();
    expect(refused).toEqual([]);
  });
});
