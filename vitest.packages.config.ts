import { defineConfig } from 'vitest/config';
import { SecondTries } from './test/support/secondTries.ts';

/** Builds and installs the Debian and npm packages: `npm run test:packages`. Most of the time goes to dpkg and npm. */
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/packages/**/*.test.ts'],
    globalSetup: ['test/support/leftBehind.ts'],
    setupFiles: ['test/support/afterEachTest.ts'],
    retry: process.env['RECEIPTD_NO_SKIP'] ? 1 : 0,
    reporters: ['default', new SecondTries()],
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
});
