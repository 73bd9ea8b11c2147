import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { callControl } from '../../../src/control/client.ts';
import type { StatusResponse } from '../../../src/control/protocol/protocol.ts';
import { startControlServer } from '../../../src/control/server/server.ts';
import { controlSocketPath } from '../../../src/control/socketPath.ts';
import { eventStream } from '../../../src/control/queries/events.ts';
import { History } from '../../../src/control/queries/history.ts';
import { overview, type OverviewDeps } from '../../../src/control/queries/overview.ts';
import { readingOperations } from '../../../src/control/queries/reading.ts';
import { readingStreams } from '../../../src/control/queries/streams.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import type { Document } from '../../../src/core/domain/document.ts';
import type { DocumentPictures, LocateImage, ShownPicture } from '../../../src/core/ports/pictures.ts';
import type { AttemptResult } from '../../support/uploads.ts';
import { RecentLines } from '../../../src/logs/recentLines.ts';
import { admission, OFFICE, send } from '../../contract/ledger/support.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';

export const MINUTE = 60_000;
const ANSWERED = { state: 'accepted', serviceStatus: 'PROCESSING', response: '{"a":1}' } as const;
const COLUMNS = [
  { name: 'total', pointer: '/total' },
  { name: 'merchant', pointer: '/merchant/name' },
];

export const STATUS: StatusResponse = {
  pid: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  version: '1',
  folders: [],
  inFlight: 0,
  limitedBy: [],
  incidents: [],
  notes: [],
  spool: { mode: 'auto', used: 0, limit: 1, images: 0 },
};

/** Queries of the daemon: a real ledger behind the real control socket. */
export async function place() {
  const dir = mkdtempSync(join(memoryDirectory(), 'receiptd-reading-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const clock = new FakeClock();
  const log = new RecordedLog();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const lines = new RecentLines();
  const images = new Map<string, Buffer>();
  const shown: { kind: 'picture' | 'none' | 'busy' } = { kind: 'picture' };
  const draw = async (document: Document, what: string, locate: LocateImage): Promise<ShownPicture> => {
    const bytes = Buffer.from(`${what} of ${String(await locate(document))}`);
    return shown.kind === 'picture' ? { kind: 'picture', bytes, pages: 7 } : { kind: shown.kind };
  };
  const pictures: DocumentPictures = {
    thumbnail: (document, locate) => draw(document, 'thumbnail', locate),
    preview: (document, page, locate) => draw(document, `page ${page}`, locate),
    forget: async () => {},
  };
  const endpoints = [
    {
      key: OFFICE,
      alias: 'office',
      limits: { concurrency: 2, rate: { count: 5, intervalMs: 1_000 }, perDay: null, perMonth: 90 },
    },
  ];
  const deps: OverviewDeps = {
    ledger,
    clock,
    history: new History(ledger, clock),
    status: () => STATUS,
    around: () => ({ incidents: [], folders: [] }),
    endpoints: () => endpoints,
    columns: () => COLUMNS,
  };
  const server = await startControlServer({
    socketPath: controlSocketPath(dir),
    operations: readingOperations(deps),
    streams: [
      ...readingStreams({
        ledger,
        clock,
        pictures,
        columns: () => COLUMNS,
        endpoints: () => endpoints,
        locateBytes: async ({ sha256 }) => {
          const bytes = images.get(sha256);
          return bytes
            ? { kind: 'bytes', bytes }
            : { kind: 'gone', newestSeen: 0, why: { is: 'fileGone', file: '/scans/gone.jpg' } };
        },
      }),
      // Real time, because the reader's time limits are measured in it.
      eventStream({ overview: () => overview(deps), lines, clock: systemClock, log }),
    ],
    log,
  });
  onTestFinished(() => server.close());

  async function upload(content: string, at: number, ms: number, result: Partial<AttemptResult> = {}) {
    const { document } = await ledger.admit(admission(`${content}.jpg`, content, { at }));
    await send(ledger, document.id, { from: at, at: at + ms, transition: ANSWERED, ...result });
    return document;
  }

  function get(path: string, headers: http.OutgoingHttpHeaders = {}): Promise<http.IncomingMessage> {
    const request = http.get({ socketPath: controlSocketPath(dir), path, headers, agent: false });
    onTestFinished(() => void request.destroy());
    return once(request, 'response').then(([answer]) => answer as http.IncomingMessage);
  }

  async function text(path: string, headers: http.OutgoingHttpHeaders = {}) {
    const answer = await get(path, headers);
    let body = '';
    answer.setEncoding('latin1').on('data', (part: string) => (body += part));
    await once(answer, 'end');
    return { status: answer.statusCode, headers: answer.headers, body };
  }

  const ask = ((operation, request) => callControl(dir, operation, request)) as <
    O extends Parameters<typeof callControl>[1],
  >(
    operation: O,
    request: Parameters<typeof callControl<O>>[2],
  ) => ReturnType<typeof callControl<O>>;
  return { ledger, clock, lines, images, shown, upload, ask, get, text, dir };
}
