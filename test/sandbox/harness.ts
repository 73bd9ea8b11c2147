import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { z } from 'zod';
import { cleanUp } from '../support/cleanUp.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/server.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';

export const OFFICE = '11111111-2222-4333-8444-555555555555';
export const DEPOT = '66666666-7777-4888-9999-aaaaaaaaaaaa';

export async function scratch(): Promise<string> {
  const dir = await mkdtemp(join(memoryDirectory(), 'receiptd-sandbox-'));
  cleanUp(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    dir: options.dir ?? (await scratch()),
    endpoints: [
      { uid: OFFICE, name: 'Office' },
      { uid: DEPOT, name: 'Depot' },
    ],
    ...options,
  });
  cleanUp(() => sandbox.close());
  return sandbox;
}

/** The same, with a client that has a token. */
export async function ready(options: Partial<SandboxOptions> = {}) {
  const sandbox = await start(options);
  return { sandbox, client: await new Client(sandbox.url).login() };
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** An independent client, so that the sandbox is not tested against its own code. */
export class Client {
  readonly pool: Pool;
  token = '';

  constructor(url: string, connections = 50) {
    this.pool = new Pool(url, { connections });
    cleanUp(() => this.pool.destroy());
  }

  async call(method: string, path: string, more: CallOptions = {}): Promise<Answer> {
    const response = await this.pool.request({
      method,
      path,
      headers: more.headers ?? { authorization: `Bearer ${this.token}` },
      body: more.body ?? null,
      ...(more.signal ? { signal: more.signal } : {}),
    });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  }

  async login(): Promise<this> {
    const answer = await this.requestToken();
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`);
    this.token = String(fields(answer.text)['access_token']);
    return this;
  }

  requestToken(fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('POST', '/v2/oauth2/token', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: 'sandbox',
        client_secret: 'sandbox-secret',
        grant_type: 'client_credentials',
        ...fields,
      }),
    });
  }

  upload(
    name: string,
    body: Buffer | string | Readable,
    more: CallOptions & { uid?: string } = {},
  ): Promise<Answer> {
    return this.call('POST', uploadPath(name, more.uid), { ...more, body });
  }
}

export interface CallOptions {
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string | Readable;
  readonly signal?: AbortSignal;
}

/** The fields of a JSON object. */
export function fields(text: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}

export function uploadPath(name: string, uid: string = OFFICE): string {
  return `/v2/endpoints/${uid}/documents?name=${encodeURIComponent(name)}`;
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The stored bytes of each name, read from disk. */
export async function keptBytes(sandbox: Sandbox): Promise<Map<string, Buffer>> {
  const kept = new Map<string, Buffer>();
  for (const document of sandbox.received()) kept.set(document.name, await readFile(document.file));
  return kept;
}

/** Polls. The generous deadline is reached only by a defect. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition never held');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
