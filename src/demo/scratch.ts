import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

/** Why the demo ends early: one sentence. */
export class DemoError extends Error {
  override name = 'DemoError';
}

/** The demo's folder. `inbox` belongs to the person as well; all else is recreated by every run. */
export interface Scratch {
  readonly inbox: string;
  readonly state: string;
  readonly sandbox: string;
  readonly config: string;
  /** Lets another demo start. */
  release(): void;
}

/** @throws DemoError where a demo is running on this folder already. */
export async function openScratch(root: string): Promise<Scratch> {
  const scratch = {
    inbox: path.join(root, 'inbox'),
    state: path.join(root, 'state'),
    sandbox: path.join(root, 'sandbox'),
    config: path.join(root, 'receiptd.yaml'),
  };
  await mkdir(scratch.inbox, { recursive: true });
  // A lock of the operating system: it ends with the process, however that ends.
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
  // A JSON string is a YAML string.
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
