import { defineConfig } from 'vitest/config';

/** Tests the Windows install under Wine: `npm run test:windows`. Separate from `npm test`, which must not need Wine. */
export default defineConfig({
  test: {
    pool: 'forks',
    // The test mostly waits, for Wine and for its own timers.
    maxWorkers: 2,
    include: ['test/windows/**/*.test.ts'],
    setupFiles: ['test/support/afterEachTest.ts'],
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Each step depends on the previous one.
    bail: 1,
  },
});
