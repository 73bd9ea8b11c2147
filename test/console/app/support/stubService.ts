import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setSecurityHeaders } from '../../../../src/console/server/headers.ts';
import { Statics } from '../../../../src/console/server/statics.ts';
import { PROTOCOL, type Operation, type Operations } from '../../../../src/control/protocol/protocol.ts';
import { respond } from '../../../../src/control/server/respond.ts';
import type { StreamRoute } from '../../../../src/control/streams.ts';
import { ReceiptdError } from '../../../../src/core/domain/errors.ts';
import { RecordedLog } from '../../../support/recordedLog.ts';
import type { ConsoleUnderTest } from './browser.ts';
import { makeImages } from './stubData.ts';
import { StubAgent } from './stubAgent.ts';
import { operationsOf } from './stubOperations.ts';

// One for all, because each compresses them as well as it can.
const STATICS = new Statics(new URL('../../../../dist/console/', import.meta.url));
export const PASSWORD = 'correct horse battery';

/** A stand-in for the daemon: the same contract, pages and `respond`, with answers from memory. */
export interface StubService extends ConsoleUnderTest {
  readonly agent: StubAgent;
  /** Makes the next request for that operation fail with this error. */
  fail(operation: Operation, error: ReceiptdError): void;
  /** Makes requests for that operation wait until the returned function is called. */
  hold(operation: Operation): () => void;
  /** Sends a log line to all viewers. */
  log(level: string, message: string, fields?: Record<string, unknown>): void;
  /** Notifies all viewers of a change. */
  changed(): void;
  /** Stops answering and ends all streams, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** The number of connected pages. */
  watchers(): number;
  /** Ends all sessions. */
  forgetSessions(): void;
  setPassword(isThere: boolean): void;
  close(): Promise<void>;
}

export async function startStub(): Promise<StubService> {
  const agent = new StubAgent();
  const images = await makeImages();
  const sessions = new Set<string>();
  const tokens = new Set<string>();
  const failures = new Map<Operation, ReceiptdError>();
  const held = new Map<Operation, Promise<void>>();
  const watchers = new Set<(event: string, data: unknown) => void>();
  const lines: object[] = [];
  let hasPassword = false;
  const tell = (event: string, data: unknown) => watchers.forEach((watcher) => watcher(event, data));

  async function* events(signal: AbortSignal): AsyncGenerator<string> {
    const queue: string[] = [];
    let wake = () => {};
    const push = (event: string, data: unknown) => {
      queue.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      wake();
    };
    watchers.add(push);
    signal.addEventListener('abort', () => wake());
    push('overview', agent.overview());
    for (const line of lines) push('log', line);
    try {
      while (!signal.aborted) {
        yield queue.splice(0).join('');
        if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      watchers.delete(push);
    }
  }

  const once = async function* (bytes: string | Uint8Array) {
    yield bytes;
  };
  const streams: StreamRoute[] = [
    {
      path: '/v1/events',
      says: '',
      types: [],
      query: {},
      serve: async ({ signal }) => ({
        headers: { 'content-type': 'text/event-stream' },
        body: events(signal),
      }),
    },
    {
      path: '/v1/documents/{id}/image',
      says: '',
      types: [],
      query: {},
      serve: async ({ params, query }) => {
        const row = agent.rows.find(({ documentId }) => String(documentId) === params['id']);
        const bytes = images.get(row?.type ?? '');
        if (row === undefined || bytes === undefined || row.state === 'lost')
          throw new ReceiptdError({ code: 'BYTES_GONE', message: 'The image is gone.' });
        const name =
          query.get('download') === '1' ? `attachment; filename="${row.documentId}.${row.type}"` : 'inline';
        return {
          headers: { 'content-type': `image/${row.type}`, 'content-disposition': name },
          body: once(bytes),
        };
      },
    },
    ...['thumbnail', 'preview'].map((what): StreamRoute => ({
      path: `/v1/documents/{id}/${what}`,
      says: '',
      types: [],
      query: {},
      serve: async ({ params, query }) => {
        const row = agent.rows.find(({ documentId }) => String(documentId) === params['id']);
        agent.pictures.push(`${what} ${row?.type} ${query.get('page') ?? ''}`.trim());
        const bytes = images.get(what === 'thumbnail' ? what : 'webp');
        if (bytes === undefined || row?.type === 'bmp' || row?.state === 'lost' || agent.hasNoPictures)
          return { status: 404, headers: {}, body: once('') };
        const headers = {
          'content-type': 'image/webp',
          'receiptd-pages': row?.type === 'pdf' ? '3' : '1',
          // Like the agent.
          ...(what === 'thumbnail' && { 'cache-control': 'private, max-age=86400, immutable' }),
        };
        return { headers, body: once(bytes) };
      },
    })),
  ];

  /** Checks answers too, so that a stand-in that differs from the contract fails here. */
  const checked = Object.fromEntries(
    Object.entries(operationsOf(agent)).map(([name, operation]) => {
      const its = name as Operation;
      const perform = async (request: never) => {
        agent.asked.push({ operation: its, request });
        await held.get(its);
        const failure = failures.get(its);
        failures.delete(its);
        if (failure !== undefined) throw failure;
        const answer = PROTOCOL[its].response.parse(await operation(request));
        if (!['overview', 'documents', 'document', 'history', 'config'].includes(its))
          tell('overview', agent.overview());
        return answer;
      };
      return [its, perform];
    }),
  ) as unknown as Partial<Operations>;

  const log = new RecordedLog();
  const isSignedIn = ({ headers }: IncomingMessage) =>
    sessions.has(/session=([^;]+)/.exec(headers.cookie ?? '')?.[1] ?? '');

  async function session(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET')
      return void say(200, { signedIn: isSignedIn(request), password: hasPassword });
    if (request.method === 'DELETE') {
      sessions.clear();
      return void response.writeHead(204).end();
    }
    let body = '';
    for await (const part of request) body += String(part);
    const { token, password } = JSON.parse(body) as { token?: string; password?: string };
    if (!(token !== undefined && tokens.delete(token)) && !(hasPassword && password === PASSWORD)) {
      const message =
        token === undefined ? 'The password is not right.' : 'This link has already been used or is too old.';
      return void say(401, {
        code: 'USAGE',
        message,
        hint: token === undefined ? 'Try again.' : 'Run `receiptd console` for a new one.',
      });
    }
    const id = randomUUID();
    sessions.add(id);
    response.writeHead(204, { 'set-cookie': `session=${id}; HttpOnly; SameSite=Strict; Path=/` }).end();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://stub');
    setSecurityHeaders(response, pathname, false);
    if (await STATICS.serve(request, response, pathname)) return;
    if (pathname === '/session') return session(request, response);
    const isMarked = request.method === 'GET' || request.headers['x-receiptd'] === 'console';
    if (!isSignedIn(request) || !isMarked) {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 'USAGE', message: 'Nobody is signed in.' }));
      return;
    }
    await respond(request, response, { operations: checked, streams, log });
    // A defect of the stand-in must not look like a defect of the page.
    const defect = log.lines.find(({ level }) => level === 'error');
    if (defect !== undefined) console.error('The stand-in failed:', defect.message, defect.fields);
    log.lines.length = 0;
  }

  const server = createServer((request, response) => void handle(request, response));
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const down = async () => {
    if (!server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  const url = `http://127.0.0.1:${port}`;
  return {
    agent,
    url,
    link: async () => {
      const token = randomUUID();
      tokens.add(token);
      return `${url}/#token=${token}`;
    },
    fail: (operation, error) => void failures.set(operation, error),
    hold: (operation) => {
      let release = () => {};
      held.set(operation, new Promise((resolve) => (release = resolve)));
      return () => {
        held.delete(operation);
        release();
      };
    },
    log: (level, message, fields = {}) => {
      const line = { timestamp: new Date().toISOString(), level, message, ...fields };
      lines.push(line);
      tell('log', line);
    },
    changed: () => tell('overview', agent.overview()),
    down,
    up: () => listen(port),
    watchers: () => watchers.size,
    forgetSessions: () => sessions.clear(),
    setPassword: (isThere) => (hasPassword = isThere),
    close: down,
  };
}
