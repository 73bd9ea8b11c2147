import type { CredentialsSource } from '../core/ports/credentials.ts';
import type { Log } from '../core/ports/log.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import { isSuccess } from './answers.ts';
import { createEndpoint } from './createEndpoint.ts';
import { createTokenSource } from './token.ts';
import { createTransport } from './transport.ts';
import type { Transport, TransportOptions } from './transport.ts';
import { upload } from './upload.ts';
import { whoami } from './whoami.ts';

export interface ReceiptServiceOptions extends TransportOptions {
  /** Credentials of the default account. */
  readonly credentials: CredentialsSource;
  /** Credentials of the other accounts, by name. */
  readonly accounts?: ReadonlyMap<string, CredentialsSource>;
  readonly log: Log;
  /** Bytes kept of an answer to an upload. */
  readonly answerLimit?: number;
  /** Removes known secrets, also from a text that may be cut, and anything that looks like a secret. */
  readonly redact?: (text: string) => string;
  /** Removes known secrets only, and leaves the rest unchanged. */
  readonly hide?: (text: string) => string;
}

const ANSWER_LIMIT = 64_000;

/** Creates the client of one receipt analysis service. `close` aborts running requests; a request aborted this way counts as sent. */
export function createReceiptService(options: ReceiptServiceOptions): {
  readonly service: ReceiptService;
  readonly tokens: TokenSource;
  /** Tokens of an account; null for the default one. */
  readonly tokensOf: (account: string | null) => TokenSource;
} {
  const bare = redacted(createTransport(options), options.redact);
  const transport = hidden(bare, options.hide);
  const closing = new AbortController();
  const tokenSource = (credentials: CredentialsSource, account: string | null): TokenSource =>
    createTokenSource({
      transport: bare,
      credentials,
      account,
      clock: options.clock,
      log: options.log,
      closed: closing.signal,
    });
  const tokens = tokenSource(options.credentials, null);
  const others = new Map(
    [...(options.accounts ?? [])].map(([name, credentials]) => [name, tokenSource(credentials, name)]),
  );
  const tokensOf = (account: string | null): TokenSource => {
    const found = account === null ? tokens : others.get(account);
    if (found === undefined) throw new Error(`The account ${account} does not exist.`);
    return found;
  };
  const service: ReceiptService = {
    upload: (request, signal, progress = {}) =>
      upload(transport, request, signal, progress, options.answerLimit ?? ANSWER_LIMIT),
    whoami: async (signal, account = null) => whoami(transport, tokensOf(account), signal),
    createEndpoint: async (request, signal) =>
      createEndpoint(transport, tokensOf(request.account ?? null), request, signal),
    dropIdle: () => transport.dropIdle(),
    async close() {
      closing.abort(new Error('The service client was closed.'));
      await transport.close();
    },
  };
  return { service, tokens, tokensOf };
}

/** Redacts error answers: their text ends up in errors, ledger and logs, and may repeat the client's secret. */
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

/** A record is kept verbatim, except for secrets of ours that it repeats. */
function hidden(transport: Transport, hide: (text: string) => string = (text) => text): Transport {
  return {
    ...transport,
    async exchange(request, signal) {
      const answer = await transport.exchange(request, signal);
      // If a secret is part of the document's name, hiding it would make the name unrecognizable in the record.
      const isNamed = hide(request.path) !== request.path;
      if (answer.kind === 'fault' || isNamed) return answer;
      const { body, large } = answer;
      return { ...answer, body: hide(body), ...(large && { large: hiddenFields(large, hide) }) };
    },
  };
}

function hiddenFields<L extends { readonly record: Readonly<Record<string, unknown>> | null }>(
  large: L,
  hide: (text: string) => string,
): L {
  if (large.record === null) return large;
  const fields = Object.entries(large.record);
  const hidden = fields.map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value]);
  return { ...large, record: Object.fromEntries(hidden) as Record<string, unknown> };
}
