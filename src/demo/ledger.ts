import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Drop } from './drop.ts';

export interface LedgerCommand {
  /** The built binary. */
  readonly main: string;
  readonly config: string;
  readonly env: NodeJS.ProcessEnv;
}

/** State by file name, from `receiptd list --json`; empty while there is no ledger yet. */
export async function readStates(
  command: LedgerCommand,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const args = [command.main, 'list', '--json', '--config', command.config];
  const output = await promisify(execFile)(process.execPath, args, {
    env: command.env,
    maxBuffer: 256 * 1024 * 1024,
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    // The agent creates the ledger when it starts; before that, there is nothing to list.
    if (error instanceof Error) return { stdout: '[]' };
    throw error;
  });
  const rows: unknown = JSON.parse(output.stdout);
  const states = new Map<string, string>();
  for (const row of Array.isArray(rows) ? rows : []) {
    const { path: file, state }: { path?: unknown; state?: unknown } = Object(row);
    // Some file systems return names in a different Unicode normalization form.
    if (typeof file === 'string' && typeof state === 'string') {
      states.set(path.basename(file).normalize(), state);
    }
  }
  return states;
}

/** Prints the ledger as a table. */
export async function showLedger(command: LedgerCommand): Promise<void> {
  const table = spawn(process.execPath, [command.main, 'list', '--config', command.config], {
    env: command.env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(table, 'close');
}

/** The dropped files that have not reached their expected outcome, with their state. */
export function unsettled(
  dropped: ReadonlyMap<Drop, string>,
  states: ReadonlyMap<string, string>,
): readonly string[] {
  return [...dropped].flatMap(([drop, name]) => {
    const state = states.get(name.normalize());
    return state === drop.expected ? [] : [`${name} (${state ?? 'not seen'})`];
  });
}
