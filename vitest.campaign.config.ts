import { defineConfig } from 'vitest/config';

/** Tests the installer under Wine 10: `npm run campaign:windows`. Downloads about 350 MB; not run in CI. */
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/windows/**/*.campaign.ts'],
    setupFiles: ['test/support/afterEachTest.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // Each step depends on the previous one.
    bail: 1,
  },
});
