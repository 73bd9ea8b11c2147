import { defineConfig } from 'vitest/config';

/** The installer under Wine 10: `npm run campaign:windows`. It downloads some 350 MB, and CI does not run it. */
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/windows/**/*.campaign.ts'],
    setupFiles: ['test/support/afterEachTest.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // Each step begins where the last one ended.
    bail: 1,
  },
});
