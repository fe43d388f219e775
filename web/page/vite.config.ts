import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

import { compressFiles } from './compress.ts';

/** Paths that the development server forwards to the Intermezzo server. */
const SERVER_PATHS =
  '^/(accounts|sessions|me|rulesets|pictures|matches|queue|leaderboards|dev|healthz|openapi.json|asyncapi.json|ws)(/|\\?|$)';
const target = process.env['INTERMEZZO_SERVER'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/page/',
  plugins: [svelte(), compressFiles()],
  resolve: { conditions: ['source', 'browser', 'module', 'import', 'development|production'] },
  build: {
    outDir: 'dist/files',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy blocks inlined assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the first page and a match load anyway is one file: many small ones compress worse and each has headers.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'], test: /^(?!.*\/hash-chain\.ts$)/ }] } },
    },
  },
  server: {
    proxy: {
      // Programs that request `/` get the server's description; browsers get the page.
      '^/$': { target, bypass: (request) => (request.headers.accept?.includes('html') ? request.url : undefined) },
      [SERVER_PATHS]: {
        target,
        ws: true,
        // The server rejects requests from other origins.
        configure: (proxy) => {
          proxy.on('proxyReq', (request) => request.removeHeader('origin'));
          proxy.on('proxyReqWs', (request) => request.removeHeader('origin'));
        },
      },
    },
  },
  test: { include: ['test/**/*.test.ts'] },
});
