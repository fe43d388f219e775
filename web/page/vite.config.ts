import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

import { compressed } from './compress.ts';

/** Everything the server answers by itself; the rest is the page's while it is being worked on. */
const SERVER =
  '^/(accounts|sessions|me|rulesets|matches|queue|leaderboards|dev|healthz|openapi.json|asyncapi.json|ws)(/|\\?|$)';
const target = process.env['INTERMEZZO_SERVER'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/page/',
  plugins: [svelte(), compressed()],
  resolve: { conditions: ['source', 'browser', 'module', 'import', 'development|production'] },
  build: {
    outDir: 'dist/files',
    emptyOutDir: true,
    target: 'es2022',
    // Written into the page they would be refused by its own policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      // What the server is; people who open that address are still led to the page.
      '^/$': { target, bypass: (request) => (request.headers.accept?.includes('html') ? request.url : undefined) },
      [SERVER]: {
        target,
        ws: true,
        // The server would refuse a page from elsewhere.
        configure: (proxy) => {
          proxy.on('proxyReq', (request) => request.removeHeader('origin'));
          proxy.on('proxyReqWs', (request) => request.removeHeader('origin'));
        },
      },
    },
  },
  test: { include: ['test/**/*.test.ts'] },
});
