import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { isOfSettings } from '../../core/domain/invalidSettings.ts';
import type { Log } from '../../core/ports/log.ts';
import { PROTOCOL, isOperation } from '../protocol/protocol.ts';
import type { Operation, Operations, Protocol } from '../protocol/protocol.ts';
import type { StreamRoute } from '../streams.ts';
import type { UploadRoute } from '../uploads.ts';
import { receiveText, sendJson } from './bodies.ts';

/** What a server offers over the control socket or over HTTP. */
export interface Offer {
  readonly operations: Partial<Operations>;
  readonly streams: readonly StreamRoute[];
  readonly uploads?: readonly UploadRoute[];
  /** In bytes, for operations whose requests may exceed BODY_LIMIT. */
  readonly bodyLimits?: Partial<Record<Operation, number>>;
  readonly log: Log;
}

const BODY_LIMIT = 1024 * 1024;

interface HttpReply {
  readonly status: number;
  readonly body: object;
}

/** Answers a request below `/v1/`; the caller has already authorized it. Never rejects. */
export async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  offer: Offer,
): Promise<void> {
  if (request.method === 'GET' && (await stream(request, response, offer))) return;
  const upload = offer.uploads?.find(({ path }) => path === pathOf(request));
  const { status, body } =
    request.method === 'POST' && upload !== undefined
      ? await receive(request, upload, offer.log)
      : await answer(request, offer, goneWith(response));
  sendJson(request, response, status, body);
}

/** @returns false if no stream has this path */
async function stream(
  request: IncomingMessage,
  response: ServerResponse,
  { streams, log }: Offer,
): Promise<boolean> {
  // Needs no decoding or normalizing: the path is only compared with these routes.
  const [pathname = '', query = ''] = (request.url ?? '').split('?', 2);
  for (const route of streams) {
    const params = paramsOf(route.path, pathname);
    if (params === null) continue;
    const gone = goneWith(response);
    try {
      const {
        status = 200,
        headers,
        body,
      } = await route.serve({
        params,
        query: new URLSearchParams(query),
        known: tagsOf(request),
        signal: gone,
      });
      response.writeHead(status, { 'cache-control': 'no-store', ...headers });
      await pipeline(Readable.from(body), response, { signal: gone });
    } catch (error) {
      if (gone.aborted) return true;
      if (response.headersSent) {
        // A partial answer must not look complete.
        response.destroy();
        log.error('answerCutOff', { url: pathname, why: String(error) });
      } else {
        const { status, body } = failed(error, pathname, log);
        sendJson(request, response, status, body);
      }
    }
    return true;
  }
  return false;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

async function receive(request: IncomingMessage, route: UploadRoute, log: Log): Promise<HttpReply> {
  try {
    return await received(request, route);
  } catch (error) {
    return isCutOff(request) ? INCOMPLETE : failed(error, pathOf(request), log);
  } finally {
    await readToEnd(request);
  }
}

async function received(request: IncomingMessage, route: UploadRoute): Promise<HttpReply> {
  const { url = '', headers } = request;
  const query = route.query.safeParse(Object.fromEntries(new URLSearchParams(url.split('?', 2)[1])));
  if (!query.success) return invalid(query.error);
  const length = headers['content-length'];
  const size = length === undefined ? null : Number(length);
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  return { status: 200, body: await route.receive({ query: query.data, size, body }) };
}

/** Browsers report a broken connection, not an answer that comes before they have sent everything. */
async function readToEnd(request: IncomingMessage): Promise<void> {
  if (request.complete) return;
  await finished(request.resume()).catch(() => {});
}

function isCutOff(request: IncomingMessage): boolean {
  return request.destroyed && !request.complete;
}

function tagsOf({ headers }: IncomingMessage): string[] {
  return (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

function paramsOf(path: string, pathname: string): Record<string, string> | null {
  const wanted = path.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const name = /^\{(.*)\}$/.exec(part)?.[1];
    if (name !== undefined) params[name] = given[index] ?? '';
    else if (part !== given[index]) return null;
  }
  return params;
}

/** Aborts when the connection closes. */
function goneWith(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  return gone.signal;
}

async function answer(
  request: IncomingMessage,
  { operations, log, bodyLimits }: Offer,
  gone: AbortSignal,
): Promise<HttpReply> {
  try {
    const name = /^\/v1\/([A-Za-z]+)$/.exec(request.url ?? '')?.[1] ?? '';
    const operation = isOperation(name) ? operations[name] : undefined;
    if (!isOperation(name) || operation === undefined) {
      return failure(404, new ReceiptdError('USAGE.unknownOperation'));
    }
    if (request.method !== 'POST') return failure(405, new ReceiptdError('USAGE.notPosted'));
    const limit = bodyLimits?.[name] ?? BODY_LIMIT;
    const body = await receiveText(request, limit);
    if (body === null) return failure(413, new ReceiptdError('USAGE.requestTooLarge', { limit }));
    return await perform(PROTOCOL[name], operation, body, gone);
  } catch (error) {
    return isCutOff(request) ? INCOMPLETE : failed(error, request.url, log);
  }
}

function failed(error: unknown, url: string | undefined, log: Log): HttpReply {
  if (isOfSettings(error)) {
    const keys = error.params.problems.map(({ key }) => key).filter((key) => key !== '');
    return { status: 422, body: { ...error.facts(), keys } };
  }
  if (error instanceof ReceiptdError) return failure(422, error);
  log.error('controlOperationFailed', { url, why: String(error) });
  return failure(500, new ReceiptdError('CONTROL_FAILED.defect'));
}

async function perform<O extends Operation>(
  { request }: Protocol[O],
  operation: Operations[O],
  body: string,
  gone: AbortSignal,
): Promise<HttpReply> {
  const parsed = parse(request, body);
  if (parsed === null) return failure(400, new ReceiptdError('USAGE.requestTooDeep'));
  if (parsed === 'notJson') return failure(400, new ReceiptdError('USAGE.requestNotJson'));
  if (!parsed.success) return invalid(parsed.error);
  return { status: 200, body: await operation(parsed.data, gone) };
}

function invalid({ issues: [issue] }: z.ZodError): HttpReply {
  const at = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
  return failure(400, new ReceiptdError('USAGE.requestInvalid', { at, detail: issue?.message ?? null }));
}

/** Null if the body is nested too deeply to parse. */
function parse<T>(schema: z.ZodType<T>, body: string): z.ZodSafeParseResult<T> | 'notJson' | null {
  try {
    const json = parseJson(body);
    return json === undefined ? 'notJson' : schema.safeParse(json);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failure(status: number, error: ReceiptdError): HttpReply {
  return { status, body: error.facts() };
}

const INCOMPLETE = failure(400, new ReceiptdError('USAGE.requestIncomplete'));
