import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Operations } from '../../../src/control/protocol/protocol.ts';
import type { StreamRoute } from '../../../src/control/streams.ts';
import { createConsole, type Console } from '../../../src/console/server/console.ts';
import type { ConsoleSettings } from '../../../src/console/server/settings.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { signIn } from './browser.ts';

export interface Bench {
  readonly console: Console;
  readonly log: RecordedLog;
  readonly incidents: OpenIncidents;
  readonly stateDir: string;
  readonly statics: string;
  /** The requests that reached the operations. */
  readonly performed: [string, unknown][];
}

export const PAGE = '<!doctype html><script src="app-4f0c2b1a.js"></script>';

export async function prepare(
  settings: Partial<ConsoleSettings> = {},
  {
    streams = [],
    operations = {},
    clock = systemClock,
  }: {
    streams?: readonly StreamRoute[];
    /** Replace operations that only record their requests. */
    operations?: Partial<Operations>;
    clock?: Clock;
  } = {},
): Promise<Bench> {
  const stateDir = await mkdtemp(join(tmpdir(), 'receiptd-console-'));
  onTestFinished(() => rm(stateDir, { recursive: true }));
  const statics = join(stateDir, 'pages');
  await mkdir(join(statics, 'assets'), { recursive: true });
  await writeFile(join(statics, 'index.html'), PAGE);
  await writeFile(join(statics, 'app-4f0c2b1a.js'), 'export {};');
  await writeFile(join(statics, 'assets', 'main.css'), 'body {}');
  await writeFile(join(statics, 'app.js.map'), '{}');
  const log = new RecordedLog();
  const incidents = new OpenIncidents({ clock, log });
  const performed: [string, unknown][] = [];
  const console: Console = createConsole({
    settings: { listen: 'onDemand', tls: null, hosts: [], ...settings },
    stateDir,
    offer: { log, streams, operations: { ...recording(performed, () => console), ...operations } },
    statics: pathToFileURL(`${statics}/`),
    log,
    incidents,
    clock,
    random: randomBytes,
  });
  onTestFinished(() => console.close());
  return { console, log, incidents, stateDir, statics, performed };
}

/** The same, opened by a link. */
export async function open(...how: Parameters<typeof prepare>) {
  const bench = await prepare(...how);
  const { url } = await bench.console.open();
  const { origin, host, port } = new URL(url);
  return { ...bench, url, origin, host, port };
}

/** The same, with a browser that has signed in with the link. */
export async function signedIn(...how: Parameters<typeof prepare>) {
  const opened = await open(...how);
  return { ...opened, cookie: await signIn(opened.url) };
}

function recording(performed: [string, unknown][], console: () => Console): Partial<Operations> {
  const record = <T>(name: string, answer: T) => {
    return async (request: unknown): Promise<T> => {
      performed.push([name, request]);
      return answer;
    };
  };
  return {
    retry: record('retry', { queued: 1, names: [], next: null }),
    pause: record('pause', { targets: ['office'] }),
    tryHeld: record('tryHeld', {}),
    recordEndpoint: record('recordEndpoint', {}),
    backup: record('backup', { file: '/b', head: { ledger: 'l', seq: 1, hash: 'h' } }),
    openConsole: () => console().open(),
  };
}
