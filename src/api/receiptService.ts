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
  /** The default account's. */
  readonly credentials: CredentialsSource;
  /** The other accounts', by name. */
  readonly accounts?: ReadonlyMap<string, CredentialsSource>;
  readonly log: Log;
  /** Bytes of an answer to an upload that are kept. */
  readonly answerLimit?: number;
  /** Takes secrets out of a text that may have been cut, and whatever looks like one. */
  readonly redact?: (text: string) => string;
  /** Takes the secrets that are known out of a text, and leaves the rest as it is. */
  readonly hide?: (text: string) => string;
}

const ANSWER_LIMIT = 64_000;

/**
 * The client of one receipt analysis service. `close` ends what is still running; a request that is cut
 * short by it counts as sent.
 */
export function createReceiptService(options: ReceiptServiceOptions): {
  readonly service: ReceiptService;
  readonly tokens: TokenSource;
  /** Of an account; null: the default one. */
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
