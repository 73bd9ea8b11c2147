import type { CredentialsSource } from '../ports/credentials.ts';
import type { Log } from '../ports/log.ts';
import type { ReceiptService, TokenSource } from '../ports/service.ts';
import { isSuccess } from './answers.ts';
import { createEndpoint } from './createEndpoint.ts';
import { createTokenSource } from './token.ts';
import { createTransport } from './transport.ts';
import type { Transport, TransportOptions } from './transport.ts';
import { upload } from './upload.ts';
import { whoami } from './whoami.ts';

export interface ReceiptServiceOptions extends TransportOptions {
  readonly credentials: CredentialsSource;
  readonly log: Log;
  /** Takes secrets out of a text that may have been cut, and whatever looks like one. */
  readonly redact?: (text: string) => string;
  /** Takes the secrets that are known out of a text, and leaves the rest as it is. */
  readonly hide?: (text: string) => string;
}

/**
 * The client of one receipt analysis service. `close` ends what is still running; a request that is cut
 * short by it counts as sent.
 */
export function createReceiptService(options: ReceiptServiceOptions): {
  readonly service: ReceiptService;
  readonly tokens: TokenSource;
} {
  const bare = redacted(createTransport(options), options.redact);
  const transport = hidden(bare, options.hide);
  const closing = new AbortController();
  const tokens = createTokenSource({
    transport: bare,
    credentials: options.credentials,
    clock: options.clock,
    log: options.log,
    closed: closing.signal,
  });
  const service: ReceiptService = {
    upload: (request, signal, progress) => upload(transport, request, signal, progress),
    whoami: (signal) => whoami(transport, tokens, signal),
    createEndpoint: (request, signal) => createEndpoint(transport, tokens, request, signal),
    dropIdle: () => transport.dropIdle(),
    async close() {
      closing.abort(new Error('The service client was closed.'));
      await transport.close();
    },
  };
  return { service, tokens };
}

/** What a refusal says ends in errors, ledger and log, and may repeat the client's secret. */
function redacted(transport: Transport, redact: (text: string) => string = (text) => text): Transport {
  return {
    ...transport,
    async exchange(request, signal) {
      const answer = await transport.exchange(request, signal);
      if (answer.kind === 'fault' || isSuccess(answer)) return answer;
      return { ...answer, body: redact(answer.body) };
    },
  };
}

/** A record is kept verbatim but for secrets of ours that it repeats. */
function hidden(transport: Transport, hide: (text: string) => string = (text) => text): Transport {
  return {
    ...transport,
    async exchange(request, signal) {
      const answer = await transport.exchange(request, signal);
      // A name that holds one would not be recognised in its record.
      const isNamed = hide(request.path) !== request.path;
      return answer.kind === 'fault' || isNamed ? answer : { ...answer, body: hide(answer.body) };
    },
  };
}
