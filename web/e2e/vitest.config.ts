import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 40_000,
    hookTimeout: 40_000,
    // One browser at a time, because CI machines have few cores.
    fileParallelism: false,
  },
});
