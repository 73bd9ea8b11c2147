import { once } from 'node:events';
/** A scripted service: the test sets its answers, and its requests are recorded. */
import type { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { Answer } from '../../src/core/domain/outcome.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type {
  ReceiptService,
  TokenSource,
  UploadProgress,
  UploadRequest,
} from '../../src/core/ports/service.ts';

export interface Asked {
  readonly name: string;
  readonly uid: string;
  readonly token: string;
  readonly text: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export type Script = (
  request: UploadRequest,
  asked: readonly Asked[],
  signal: AbortSignal,
) => Answer | Promise<Answer>;

export class ScriptedService implements ReceiptService {
  readonly asked: Asked[] = [];
  script: Script = accept;
  /** Whether the service has received the whole image when it answers. */
  takes: (request: UploadRequest) => boolean = () => true;
  inFlight = 0;
  mostInFlight = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async upload(request: UploadRequest, signal: AbortSignal, progress?: UploadProgress): Promise<Answer> {
    const { name, token, bytes, endpoint } = request;
    const text = bytes.toString('latin1');
    this.asked.push({ name, uid: endpoint.uid, token, text, at: this.#clock.monotonic() });
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      const answer = await Promise.race([this.script(request, this.asked, signal), aborted(signal)]);
      if (this.takes(request)) progress?.onTaken?.();
      return answer;
    } finally {
      this.inFlight -= 1;
    }
  }

  whoami(): Promise<never> {
    return Promise.reject(new Error('not part of this test'));
  }

  createEndpoint(): Promise<never> {
    return Promise.reject(new Error('not part of this test'));
  }

  async close(): Promise<void> {}
}

export class ScriptedTokens implements TokenSource {
  issued = 1;
  readonly refusals: string[] = [];
  /** While set, `token` rejects with it. */
  failure: ReceiptdError | null = null;

  async token(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    if (this.failure) throw this.failure;
    return `token-${this.issued}`;
  }

  refused(token: string): void {
    this.refusals.push(token);
    if (token === `token-${this.issued}`) this.issued += 1;
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

export function accept({ name, endpoint }: UploadRequest): Answer {
  return status(200, JSON.stringify({ name, endpointUid: endpoint.uid, status: 'PROCESSING' }));
}

export function status(httpStatus: number, body = '', retryAfterMs: number | null = null): Answer {
  return { kind: 'response', httpStatus, body, retryAfterMs };
}

export function fault(code: string, sent: boolean): Answer {
  return {
    kind: 'fault',
    code,
    sent,
    fault: { at: 'service', host: 'scripted', code, isConnecting: !sent, other: null },
  };
}

/** A request that the test answers. */
export function pending(): { answer: Promise<Answer>; give: (answer: Answer) => void } {
  let give: (answer: Answer) => void = () => {};
  const answer = new Promise<Answer>((resolve) => {
    give = resolve;
  });
  return { answer, give };
}
