import { mergeConfig } from 'vitest/config';

import browserTests from './vitest.config.ts';

export default mergeConfig(
  { ...browserTests, test: { ...browserTests.test, include: [] } },
  { test: { include: ['paint/**/*.test.ts'], disableConsoleIntercept: true } },
);
