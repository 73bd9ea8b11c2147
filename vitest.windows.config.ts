import { defineConfig } from 'vitest/config';

/** The Windows install under Wine: `npm run test:windows`. Apart from `npm test`, which never installs Wine. */
export default defineConfig({
  test: {
    pool: 'forks',
    // The story waits most of its time, for Wine and for its own clocks.
    maxWorkers: 2,
    include: ['test/windows/**/*.test.ts'],
    setupFiles: ['test/support/afterEachTest.ts'],
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Each step of the story begins where the last one ended.
    bail: 1,
  },
});
