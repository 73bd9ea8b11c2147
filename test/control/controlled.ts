import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { callControl } from '../../src/control/client.ts';
import type { Operation, Operations, Request, StatusResponse } from '../../src/control/protocol/protocol.ts';
import { startControlServer } from '../../src/control/server/server.ts';
import type { ControlServer } from '../../src/control/server/server.ts';
import { controlSocketPath } from '../../src/control/socketPath.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';
import { cleanUp } from '../support/cleanUp.ts';

export const STATUS: StatusResponse = {
  pid: 4711,
  startedAt: '2026-11-21T05:00:00.000Z',
  version: '0.1.0',
  folders: [
    {
      path: '/srv/scans',
      endpoint: 'office',
      state: 'missing',
      message: 'gone',
      fact: null,
      since: '2026-11-21T05:00:00.000Z',
      mode: 'events',
      fileSystem: null,
      settling: 2,
      lastListing: null,
    },
  ],
  inFlight: 3,
  limitedBy: [],
  incidents: [
    {
      key: 'WATCH_LIMIT',
      code: 'WATCH_LIMIT',
      params: { folders: ['/scans'], system: null },
      since: '2026-11-21T05:00:00.000Z',
    },
  ],
  notes: [{ text: 'slow', about: { kind: 'ledgerAway' } }],
  spool: { mode: 'auto', used: 1, limit: 2, images: 1 },
};

/** Serves operations in a new state directory. */
export async function controlled() {
  const dir = await mkdtemp(path.join(memoryDirectory(), 'rc-'));
  cleanUp(() => rm(dir, { recursive: true, force: true }));
  return controlledIn(dir);
}

/** Like `controlled`, in an existing directory. */
export function controlledIn(stateDir: string) {
  const socketPath = controlSocketPath(stateDir);
  const logged: string[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  };
  let server: ControlServer | null = null;
  const close = async (): Promise<void> => server?.close();
  cleanUp(close);

  async function serve(more: Partial<Operations> = {}, closeGraceMs?: number): Promise<void> {
    const operations: Partial<Operations> = {
      status: async () => STATUS,
      retry: async ({ names }) => ({ queued: names?.length ?? 1000, names: names ?? [], next: null }),
      resend: async ({ name, endpoint }) => ({ name, endpointUid: endpoint ?? 'same', outcome: 'queued' }),
      pause: async ({ target, by }) => ({ targets: [target ?? 'all', by ?? ''] }),
      resume: async () => ({ targets: [] }),
      recordEndpoint: async () => ({}),
      tryHeld: async () => ({}),
      erase: async ({ names }) => ({ erased: names?.length ?? 0, skipped: [], there: [], next: null }),
      backup: async () => ({ file: '/b', head: { ledger: 'l', seq: 1, hash: 'h' } }),
      ...more,
    };
    const grace = closeGraceMs === undefined ? {} : { closeGraceMs };
    server = await startControlServer({ socketPath, operations, streams: [], log, ...grace });
  }

  const ask = <O extends Operation>(
    operation: O,
    request: Request<O>,
    options?: Parameters<typeof callControl>[3],
  ) => callControl(stateDir, operation, request, options);

  /** Sends a request like another program. */
  function raw(
    options: http.RequestOptions,
    body: string,
  ): Promise<{ status: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        { socketPath, method: 'POST', path: '/v1/status', ...options },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  return { stateDir, socketPath, logged, serve, close, ask, raw };
}
