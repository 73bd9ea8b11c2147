import { randomBytes } from 'node:crypto';
import { request as ask } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { resultsPath } from '../../../src/core/domain/resultsPath.ts';
import { createReceiver } from '../../../src/features/results/receiver.ts';
import { resultsSecret } from '../../../src/features/results/secret.ts';
import type { ResultsSettings } from '../../../src/features/results/resultHandler.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { LedgerResults, RecordedResult } from '../../../src/core/ports/results.ts';
import { admission, OFFICE } from '../../contract/ledger/support.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { tempDir } from '../../support/tempDir.ts';

export interface ReceivingOptions {
  readonly settings?: Partial<ResultsSettings>;
  readonly clock?: Clock;
  readonly ledger?: (real: LedgerResults) => LedgerResults;
}

/** A receiver on a real ledger with one document, `doc-a` of OFFICE. */
export async function receiving({ settings = {}, clock = systemClock, ledger: wrap }: ReceivingOptions = {}) {
  const stateDir = tempDir('results', memoryDirectory());
  const ledger = await openSqliteLedger({ path: join(stateDir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const { document } = await ledger.admit(admission('a', 'a'));
  const log = new RecordedLog();
  const incidents = new OpenIncidents({ clock, log });
  const recorded: RecordedResult[] = [];
  const all: ResultsSettings = {
    listen: { host: '127.0.0.1', port: 0 },
    tls: null,
    maxSize: 10_000,
    rate: null,
    command: null,
    baseUrl: OFFICE.baseUrl,
    ...settings,
  };
  const receiver = createReceiver({
    settings: all,
    secret: () => resultsSecret(stateDir, randomBytes),
    ledger: wrap?.(ledger) ?? ledger,
    log,
    clock,
    incidents,
    onRecorded: (each) => recorded.push(each),
  });
  onTestFinished(() => receiver.close());
  await receiver.start();
  const secret = await resultsSecret(stateDir, randomBytes);
  const path = resultsPath(secret, null);
  return { receiver, ledger, document, stateDir, log, incidents, recorded, secret, path, settings: all };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Sends no Content-Length. */
  readonly chunked?: boolean;
}

/** Sends the path unchanged, unlike ordinary clients. */
export function post(origin: string | null, { method = 'POST', body = '', ...rest }: Asked): Promise<Answer> {
  const { hostname, port } = new URL(origin ?? 'http://nowhere');
  const headers = {
    ...rest.headers,
    ...(rest.chunked !== true && { 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const request = ask({ hostname, port, method, path: rest.path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Sends these bytes. @returns everything received until the connection ends */
export function raw(origin: string | null, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin ?? 'http://nowhere');
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}
