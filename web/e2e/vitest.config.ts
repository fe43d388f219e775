import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 40_000,
    hookTimeout: 40_000,
    // Now and then a page of the lobby waits in vain on a busy machine; the cause is not known yet. Vitest tells of retries.
    retry: 2,
    // One browser at a time: they share few cores.
    fileParallelism: false,
  },
});
