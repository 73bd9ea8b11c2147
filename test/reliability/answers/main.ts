/** `npm run campaign -- answers`: the client, and everything from ledger to wire, against a server that answers arbitrarily. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialOptions } from '../support/campaign.ts';
import { makeCertificate } from './certificate.ts';
import { clientCases, runClientCase } from './clientCase.ts';
import { runSeeds, type Found } from './run.ts';
import { runSequence, sequences } from './sequence.ts';

/** High, since cases mostly wait for the client's timeouts. */
const CASES_AT_ONCE = 96;
const SEQUENCES_AT_ONCE = 8;

const options = trialOptions('answers', {
  cases: { default: 10_000, least: 0, help: 'number of cases for the client' },
  sequences: { default: 200, least: 0, help: 'number of sequences through ledger, flow and client' },
  from: { default: 1, least: 0, help: 'first seed of both' },
  breaches: { default: 1, least: 1, help: 'stop after this many breaches' },
});

const root = mkdtempSync(join(tmpdir(), 'receiptd-answers-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const running = new Set<number>();
const strays: string[] = [];
const onStray = (error: unknown): void => {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  strays.push(`uncaught error while seeds ${[...running].join(', ')} were running: ${what}`);
};
process.on('uncaughtException', onStray).on('unhandledRejection', onStray);

const { from, breaches: most } = options;
const onCase = (seed: number, isOver: boolean): void => {
  if (isOver) running.delete(seed);
  else running.add(seed);
};

async function layer(
  what: string,
  count: number,
  run: () => Promise<readonly Found[]>,
  repeat: string,
): Promise<number> {
  const startedAt = performance.now();
  const found = await run();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`${count} ${what} from seed ${from} in ${seconds} s: ${found.length} breaches\n`);
  for (const { seed, sentence, smallest } of found) {
    process.stdout.write(`BREACH in seed ${seed}: ${sentence}\n  smallest: ${smallest}\n`);
    process.stdout.write(`  to repeat: npm run campaign -- answers --from ${seed} ${repeat}\n`);
  }
  return found.length;
}

const certificate = makeCertificate(root);
if (certificate === null) process.stdout.write('openssl is missing: TLS is left out\n');
const breaches = [
  await layer(
    'cases of the client',
    options.cases,
    () =>
      runSeeds(
        { cases: clientCases, run: (one, isPatient) => runClientCase(one, certificate, isPatient) },
        { from, count: options.cases, atOnce: CASES_AT_ONCE, most, onCase },
      ),
    '--cases 1 --sequences 0',
  ),
  await layer(
    'sequences',
    options.sequences,
    () =>
      runSeeds(
        { cases: sequences, run: (one, isPatient) => runSequence(one, root, isPatient) },
        { from, count: options.sequences, atOnce: SEQUENCES_AT_ONCE, most, onCase },
      ),
    '--cases 0 --sequences 1',
  ),
];
for (const stray of strays) process.stdout.write(`BREACH: ${stray}\n`);
process.exitCode = breaches.some((count) => count > 0) || strays.length > 0 ? 1 : 0;
