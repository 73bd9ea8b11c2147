import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeError, isOfLedger } from '../../core/domain/errors.ts';
import type { Rate } from '../../core/domain/rate.ts';
import { readResult } from '../../core/domain/result.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { LedgerResults, RecordedResult } from '../../core/ports/results.ts';
import type { PairFiles } from '../../http/certificate.ts';
import type { ListenAddress } from '../../http/listen.ts';
import { readAddress } from './address.ts';
import { Bodies, type Body } from './body.ts';
import { RateGate } from './rateGate.ts';

/** The section `results` of the configuration, plus settings it needs from other sections. */
export interface ResultsSettings {
  /** Null: results are not received. */
  readonly listen: ListenAddress | null;
  readonly tls: PairFiles | null;
  /** Bytes. */
  readonly maxSize: number;
  readonly rate: Rate | null;
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
  /** Base URL of the service that posts the results. */
  readonly baseUrl: string;
}

export interface ResultHandlerDeps {
  readonly ledger: LedgerResults;
  readonly secret: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Called for each new result, once it is durable. */
  readonly onRecorded: (recorded: RecordedResult) => void;
}

type ResultLimits = Pick<ResultsSettings, 'maxSize' | 'rate' | 'baseUrl'>;

const LATER_S = 10;

/**
 * Answers each request to the receiver. Without the secret, every request gets 404. 204 means that the result is durable; 429 and
 * 503 ask the sender to retry later.
 */
export class ResultHandler {
  readonly #deps: ResultHandlerDeps;
  readonly #gate: RateGate;
  readonly #bodies = new Bodies();
  #limits: ResultLimits;
  #isRefusing = false;

  constructor(deps: ResultHandlerDeps, limits: ResultLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#gate = new RateGate(limits.rate, deps.clock);
  }

  take(limits: ResultLimits): void {
    this.#limits = limits;
    this.#gate.take(limits.rate);
  }

  /** Never rejects. */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (error) {
      if (!isOfLedger(error)) this.#deps.log.error('resultNotRecorded', { why: describeError(error).detail });
      else if (!this.#isRefusing) this.#deps.log.warn('resultsRefusedForNow', describeError(error));
      this.#isRefusing = isOfLedger(error);
      end(response, 503, { 'retry-after': LATER_S });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const addressed = readAddress(request.url ?? '', this.#deps.secret);
    if (addressed === null) return end(response, 404);
    if (request.method !== 'POST' && request.method !== 'PUT')
      return end(response, 405, { allow: 'POST, PUT' });
    const waitMs = this.#gate.pass();
    if (waitMs !== null) return end(response, 429, { 'retry-after': Math.max(1, Math.ceil(waitMs / 1_000)) });
    await this.#bodies.with(request, this.#limits.maxSize, async (body) => {
      await this.#take(body, addressed.uid, response);
    });
  }

  async #take(body: Body, uid: string | null, response: ServerResponse): Promise<void> {
    switch (body.kind) {
      case 'tooLarge':
        this.#deps.log.warn('resultTooLarge', {
          maxSize: this.#limits.maxSize,
        });
        return end(response, 413);
      case 'noRoom':
        return end(response, 503, { 'retry-after': LATER_S });
      case 'broken':
        return void response.destroy();
      case 'whole':
        await this.#keep(body.bytes, uid);
        this.#isRefusing = false;
        response.writeHead(204).end();
    }
  }

  async #keep(payload: Buffer, uid: string | null): Promise<void> {
    const { ledger, clock, log, onRecorded } = this.#deps;
    const { name, endpointUid, status } = readResult(isUtf8(payload) ? payload.toString('utf8') : null);
    const { baseUrl } = this.#limits;
    const at = clock.now();
    const recorded = await ledger.recordResult({
      at,
      baseUrl,
      uid: endpointUid ?? uid,
      name,
      status,
      payload,
    });
    const { id, document, isNew, isProof } = recorded;
    const fields = { result: id, documentId: document?.id ?? null, status, bytes: payload.length };
    if (!isNew) return log.debug('resultReceivedAgain', fields);
    if (document === null) log.warn('resultUnmatched', fields);
    else if (isProof) log.info('resultConfirmsDocument', fields);
    else log.info('resultReceived', fields);
    onRecorded(recorded);
  }
}

/** How long to read on after an early answer: resetting the connection might lose the answer. */
const LINGER_MS = 1_000;

/** Ends with an empty body, so that only the status is revealed. */
function end(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { req: request } = response;
  response.writeHead(status, { ...headers, 'content-length': 0, connection: 'close' });
  if (request.complete) return void response.end();
  response.flushHeaders();
  const finish = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.once('end', finish).once('close', finish).resume();
}
