/** Runs the tests that make a choice among their cases, with all cases, and the property tests with another seed. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { inCheckout } from '../support/checkout.ts';
import { trialOptions } from '../support/campaign.ts';

const { seed } = trialOptions('cases', {
  seed: { default: randomInt(1_000_000), least: 1, help: 'of the property tests' },
});
const files = readdirSync(inCheckout('test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/windows/'))
  .filter((path) => /\/everyCase\.ts'|'fast-check'/.test(readFileSync(inCheckout(path), 'utf8')));

console.log(`seed ${seed}`);
const vitest = [inCheckout('node_modules/vitest/vitest.mjs'), 'run', '--testTimeout', '3600000'];
const { status } = spawnSync(process.execPath, [...vitest, ...files], {
  cwd: inCheckout('.'),
  env: { ...process.env, RECEIPTD_EVERY_CASE: '1', RECEIPTD_PROPERTY_SEED: String(seed) },
  stdio: 'inherit',
});
console.log(`seed ${seed}: ${status === 0 ? 'passed' : 'failed'}`);
process.exitCode = status ?? 1;
