import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

/** Why the demo ends early, in one sentence. */
export class DemoError extends Error {
  override name = 'DemoError';
}

/** The demo's folder. `inbox` may contain the user's own files; everything else is recreated on each run. */
export interface Scratch {
  readonly inbox: string;
  readonly state: string;
  readonly sandbox: string;
  readonly config: string;
  /** Lets another demo start. */
  release(): void;
}

/** @throws DemoError if a demo is already running on this folder */
export async function openScratch(root: string): Promise<Scratch> {
  const scratch = {
    inbox: path.join(root, 'inbox'),
    state: path.join(root, 'state'),
    sandbox: path.join(root, 'sandbox'),
    config: path.join(root, 'receiptd.yaml'),
  };
  await mkdir(scratch.inbox, { recursive: true });
  // A lock of the operating system, which ends with the process in any case.
  const lock = new DatabaseSync(path.join(root, 'demo.lock'), { timeout: 500 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DemoError(`A demo is already running in ${root}. Stop it first.`);
  }
  await rm(scratch.state, { recursive: true, force: true });
  await rm(scratch.sandbox, { recursive: true, force: true });
  await mkdir(scratch.sandbox);
  return { ...scratch, release: () => lock.close() };
}

export async function writeConfig(
  scratch: Scratch,
  service: { url: string; endpointUid: string },
): Promise<void> {
  // A JSON string is valid YAML.
  const quoted = (text: string): string => JSON.stringify(text);
  await writeFile(
    scratch.config,
    `# Written by the demo at every start. The credentials come from the environment.
service:
  baseUrl: ${quoted(service.url)}
endpoints:
  demo:
    uid: ${quoted(service.endpointUid)}
folders:
  - path: ${quoted(scratch.inbox)}
    endpoint: demo
delivery:
  concurrency: 4
  rate: 120/min
stateDir: ${quoted(scratch.state)}
`,
  );
}
