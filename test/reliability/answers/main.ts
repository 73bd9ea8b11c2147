/** The client of the service, against a server that answers arbitrarily. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playRounds, roundsOf, trialOptions } from '../support/campaign.ts';
import { makeCertificate } from './certificate.ts';
import { trySeed } from './clientCase.ts';

/** Many, since they mostly wait for the client's timeouts. */
const AT_ONCE = 96;

const options = trialOptions('answers', roundsOf(10_000));
const root = mkdtempSync(join(tmpdir(), 'receiptd-answers-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const strays: string[] = [];
const onStray = (error: unknown): void =>
  void strays.push(`uncaught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
process.on('uncaughtException', onStray).on('unhandledRejection', onStray);

const certificate = makeCertificate(root);
if (certificate === null) process.stdout.write('openssl is missing: TLS is left out\n');
await playRounds(
  'answers',
  options,
  async (seed) => {
    const breaches = await trySeed(seed, certificate);
    // It may also be due to one of the seeds that are tried at the same time.
    return { breaches: [...breaches, ...strays.splice(0)] };
  },
  { atOnce: AT_ONCE, most: 1 },
);
