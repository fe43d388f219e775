import { mergeConfig } from 'vitest/config';

import stories from './vitest.config.ts';

export default mergeConfig(
  { ...stories, test: { ...stories.test, include: [] } },
  { test: { include: ['paint/**/*.test.ts'], disableConsoleIntercept: true } },
);
