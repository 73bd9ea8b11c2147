import { errors } from 'undici';
import { systemCode } from '../core/domain/errors.ts';
import type { Answer } from '../core/domain/outcome.ts';
import { ProxyTrouble } from './proxyTrouble.ts';

export type RequestFault = Extract<Answer, { kind: 'fault' }>;

/**
 * Turns a failed request into an answer. `connecting`: it failed while connecting, TLS included. Only then, or if the request never
 * left this process, it is certain that nothing was sent.
 */
export function asFault(
  error: unknown,
  peer: { readonly at: 'service' | 'forward'; readonly host: string },
  connecting: boolean,
): RequestFault {
  if (error instanceof ProxyTrouble) {
    return { kind: 'fault', sent: false, code: error.code, fault: error.fault };
  }
  const code = codeOf(error);
  const sent = !connecting && code !== 'UND_ERR_CLOSED' && code !== 'UND_ERR_INVALID_ARG';
  return { kind: 'fault', sent, code, fault: { ...peer, code, isConnecting: connecting, other: null } };
}

function codeOf(error: unknown): string {
  // undici fails a request with this message only for an unexpected 100 (Continue); otherwise it is about idle connections.
  if (error instanceof errors.SocketError && error.message === 'bad response') return 'UNASKED_CONTINUE';
  // undici has no parser code if the answer does not even start like HTTP.
  return systemCode(error) ?? (error instanceof errors.HTTPParserError ? 'HPE_INVALID' : 'UNKNOWN');
}

/** Errors of a TLS handshake with a plain HTTP port; some servers just close the connection. */
const NO_TLS = /^(?:ECONNRESET|EPROTO|UND_ERR_SOCKET|ERR_SSL_.*)$/;
/** Errors of plain HTTP on a TLS port. */
const NO_HTTP = /^(?:ECONNRESET|UND_ERR_SOCKET|HPE_.*)$/;

/** Suggests the other one of HTTP and HTTPS if the service never answered and the error fits. */
export function withOtherScheme(fault: RequestFault, { protocol }: URL, connecting: boolean): RequestFault {
  const { code, fault: fact } = fault;
  if (fact.at !== 'service') return fault;
  if (protocol === 'https:' && connecting && NO_TLS.test(code))
    return { ...fault, fault: { ...fact, other: 'http' } };
  if (protocol === 'http:' && NO_HTTP.test(code)) return { ...fault, fault: { ...fact, other: 'https' } };
  return fault;
}
