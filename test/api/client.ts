import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { CredentialsSource } from '../../src/core/ports/credentials.ts';
import type { Log, LogEvent } from '../../src/core/ports/log.ts';
import { logTexts } from '../../src/texts/en/log.ts';
import type { ReceiptService, TokenSource, UploadRequest } from '../../src/core/ports/service.ts';
import { createReceiptService } from '../../src/api/receiptService.ts';
import type { ReceiptServiceOptions } from '../../src/api/receiptService.ts';

/** A wall clock that stands still unless the test sets it, and a monotonic one that the test moves. */
export class HandClock implements Clock {
  wall = Date.UTC(2026, 10, 21, 12, 0, 0);
  elapsed = 0;
  now(): number {
    return this.wall;
  }
  monotonic(): number {
    return this.elapsed;
  }
  sleep(): Promise<void> {
    throw new Error('not expected to sleep');
  }
}

export class LogLines implements Log {
  readonly lines: string[] = [];
  private add(level: string, event: LogEvent, fields: unknown): void {
    this.lines.push(`${level} ${logTexts[event]} ${JSON.stringify(fields ?? {})}`);
  }
  debug: Log['debug'] = (event, fields) => this.add('debug', event, fields);
  info: Log['info'] = (event, fields) => this.add('info', event, fields);
  warn: Log['warn'] = (event, fields) => this.add('warn', event, fields);
  error: Log['error'] = (event, fields) => this.add('error', event, fields);
}

export const CLIENT_SECRET = 'secret-for-tests';

export const credentials: CredentialsSource = {
  get: async () => ({ clientId: 'id', clientSecret: CLIENT_SECRET, store: 'environment' }),
};

export const TIMEOUTS = { connectMs: 5000, progressMs: 5000, headersMs: 5000, bodyMs: 5000 };

export interface Client {
  readonly service: ReceiptService;
  readonly tokens: TokenSource;
  readonly clock: HandClock;
  readonly log: LogLines;
}

export function client(baseUrl: string, options: Partial<ReceiptServiceOptions> = {}): Client {
  const clock = new HandClock();
  const log = new LogLines();
  const parts = createReceiptService({
    baseUrl,
    timeouts: TIMEOUTS,
    connections: 4,
    credentials,
    clock,
    log,
    ...options,
  });
  onTestFinished(() => parts.service.close());
  return { ...parts, clock, log };
}

export const UID = '0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10';

export function uploadRequest(changes: Partial<UploadRequest> = {}): UploadRequest {
  return {
    endpoint: { baseUrl: 'http://unused', uid: UID },
    name: 'receipt.jpg',
    bytes: Buffer.from('image bytes'),
    mediaType: 'image/jpeg',
    token: 'token-for-tests',
    ...changes,
  };
}

export const never = new AbortController().signal;
