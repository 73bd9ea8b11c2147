import type { CredentialsSource } from '../ports/credentials.ts';
import type { Log } from '../ports/log.ts';
import type { ReceiptService, TokenSource } from '../ports/service.ts';
import { createEndpoint } from './createEndpoint.ts';
import { createTokenSource } from './token.ts';
import { createTransport } from './transport.ts';
import type { TransportOptions } from './transport.ts';
import { upload } from './upload.ts';
import { whoami } from './whoami.ts';

export interface ReceiptServiceOptions extends TransportOptions {
  readonly credentials: CredentialsSource;
  readonly log: Log;
}

/**
 * The client of one receipt analysis service. `close` ends what is still running; a request that is cut
 * short by it counts as sent.
 */
export function createReceiptService(options: ReceiptServiceOptions): {
  readonly service: ReceiptService;
  readonly tokens: TokenSource;
} {
  const transport = createTransport(options);
  const closing = new AbortController();
  const tokens = createTokenSource({
    transport,
    credentials: options.credentials,
    clock: options.clock,
    log: options.log,
    closed: closing.signal,
  });
  const service: ReceiptService = {
    upload: (request, signal) => upload(transport, request, signal),
    whoami: (signal) => whoami(transport, tokens, signal),
    createEndpoint: (request, signal) => createEndpoint(transport, tokens, request, signal),
    async close() {
      closing.abort(new Error('The service client was closed.'));
      await transport.close();
    },
  };
  return { service, tokens };
}
