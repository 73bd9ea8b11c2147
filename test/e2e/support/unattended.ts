import { OFFICE, type Ended } from './agent.ts';
import { runInProcess } from './inProcess.ts';
import { SECRET, type Desk } from './desk.ts';

/** Everything that a new machine needs, as from a configuration management system. */
export function variables({ sandbox, scans, config }: Desk): Record<string, string> {
  return {
    RECEIPTD_CONFIG: config,
    RECEIPTD_SETUP_BASE_URL: sandbox.url,
    RECEIPTD_SETUP_CLIENT_ID: 'e2e',
    RECEIPTD_SETUP_CLIENT_SECRET: SECRET,
    RECEIPTD_SETUP_ENDPOINT_UID: OFFICE,
    RECEIPTD_SETUP_FOLDER: scans,
  };
}

/** Runs in this process, for refusals and for runs that send nothing. */
export function quick(here: Desk, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return runInProcess(['setup', '--yes', ...args], { cwd: here.dir, env: { ...here.env, ...env } });
}

/** The files of a desk before setup. */
export const UNTOUCHED = ['home', 'sandbox'];
