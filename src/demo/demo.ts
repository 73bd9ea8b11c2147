import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { startChild } from './child.ts';
import type { DemoChild } from './child.ts';
import { dropAll, planDrops, removeOwn } from './drop.ts';
import type { Drop, Sleep } from './drop.ts';
import { logLine } from './logLine.ts';
import { readStates, showLedger, unsettled } from './ledger.ts';
import type { LedgerCommand } from './ledger.ts';
import { DemoError, openScratch, writeConfig } from './scratch.ts';
import type { Scratch } from './scratch.ts';

export interface DemoOptions {
  /** The project directory; the demo uses its subdirectory `scratch`. */
  readonly project: string;
  /** The built binary. */
  readonly main: string;
  readonly env: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Time limit for all receipts, in milliseconds. */
  readonly deadlineMs: number;
  /** What is dropped; by default a dozen files, drawn for it. */
  readonly drops?: () => Promise<readonly Drop[]>;
}

const SANDBOX_START_MS = 30_000;
const POLL_MS = 700;

/**
 * Runs sandbox and agent on a scratch folder with a dozen receipts, and shows the ledger as a table. Then keeps them running until
 * `stop` aborts.
 * @throws DemoError if a program dies or the receipts do not arrive
 */
export async function runDemo(options: DemoOptions, stop: AbortSignal): Promise<void> {
  if (!existsSync(options.main)) {
    throw new DemoError(`${options.main} is missing. Run "npm run build" first.`);
  }
  const death = new AbortController();
  const signal = AbortSignal.any([stop, death.signal]);
  const children: DemoChild[] = [];
  const scratch = await openScratch(path.join(options.project, 'scratch'));
  try {
    await play(options, scratch, children, signal, (sentence) => death.abort(new DemoError(sentence)));
  } catch (error) {
    if (death.signal.aborted) throw death.signal.reason;
    if (!stop.aborted) throw error;
  } finally {
    // Stop the agent first, so that uploads in flight still reach the sandbox.
    for (const child of children.reverse()) await child.stop();
    scratch.release();
  }
}

async function play(
  { project, main, env, print, sleep, deadlineMs, drops: plan = planDrops }: DemoOptions,
  scratch: Scratch,
  children: DemoChild[],
  signal: AbortSignal,
  onDeath: (sentence: string) => void,
): Promise<void> {
  const drops = await plan();
  await removeOwn(scratch.inbox, drops);

  const clean = withoutSettings(env);
  const sandbox = startChild({
    name: 'receiptd sandbox',
    args: [main, 'sandbox', '--port', '0', '--dir', scratch.sandbox, '--json'],
    env: clean,
    onDeath,
  });
  children.push(sandbox);
  const service = await announced(sandbox, signal);
  await writeConfig(scratch, service);
  print(`A local receipt analysis service is listening on ${service.url}.\n`);

  const agentEnv = {
    ...clean,
    RECEIPTD_CLIENT_ID: service.clientId,
    RECEIPTD_CLIENT_SECRET: service.clientSecret,
  };
  children.push(
    startChild({
      name: 'receiptd run',
      args: [main, 'run', '--config', scratch.config],
      env: agentEnv,
      onLine: (line) => print(`${logLine(line)}\n`),
      onDeath,
    }),
  );
  const here = (file: string): string => path.relative(project, file);
  print(`receiptd is watching ${here(scratch.inbox)}. A dozen files are being dropped there now.\n\n`);
  const pause = (ms: number): Promise<void> => sleep(ms, signal);
  const dropped = await dropAll(scratch.inbox, drops, pause);

  const command = { main, config: scratch.config, env: agentEnv };
  await untilSettled(command, dropped, deadlineMs, pause, signal);
  print('\nThe ledger:\n\n');
  await showLedger(command);
  print(farewell(project, main, scratch));
  await aborted(signal);
}

const ANNOUNCED = z.object({
  url: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  endpointUid: z.string(),
});

/** Reads the sandbox's address and credentials from its first line of output, which is JSON. */
async function announced(sandbox: DemoChild, signal: AbortSignal): Promise<z.infer<typeof ANNOUNCED>> {
  const timeout = AbortSignal.timeout(SANDBOX_START_MS);
  let line: string;
  try {
    line = await sandbox.firstLine(AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    throw timeout.aborted ? new DemoError('receiptd sandbox does not start.') : error;
  }
  try {
    return ANNOUNCED.parse(JSON.parse(line));
  } catch (error) {
    throw new DemoError('receiptd sandbox did not say where it listens.', { cause: error });
  }
}

async function untilSettled(
  command: LedgerCommand,
  dropped: ReadonlyMap<Drop, string>,
  deadlineMs: number,
  pause: Sleep,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const waiting = unsettled(dropped, await readStates(command, signal));
    if (waiting.length === 0) return;
    if (performance.now() > deadline) {
      await showLedger(command);
      throw new DemoError(`Not settled after ${Math.round(deadlineMs / 1000)} s: ${waiting.join(', ')}.`);
    }
    await pause(POLL_MS);
  }
}

/** Keeps the user's own receiptd settings out of the demo. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('RECEIPTD_')));
}

function farewell(project: string, main: string, scratch: Scratch): string {
  const here = (file: string): string => path.relative(project, file);
  const receiptd = `node ${here(main)}`;
  const config = `--config ${here(scratch.config)}`;
  return `
Drop your own images into ${here(scratch.inbox)} and see them go.
What the service received is in ${here(scratch.sandbox)}.

In another terminal, in ${project}:

  ${receiptd} console ${config}
  ${receiptd} list ${config}
  ${receiptd} show NAME ${config}
  ${receiptd} status ${config}
  ${receiptd} export ${config}

The first one shows everything in the browser.
Press Ctrl-C to stop both.
`;
}

async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
