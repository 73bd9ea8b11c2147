import { errors } from 'undici';
import { systemCode } from '../core/domain/errors.ts';
import type { Answer } from '../core/domain/outcome.ts';
import { ProxyTrouble } from './proxyTrouble.ts';

export type Fault = Extract<Answer, { kind: 'fault' }>;

/**
 * Turns a failed request into an answer. `connecting`: it failed while connecting, TLS included. Only then, or if the request never
 * left this process, it is certain that nothing was sent.
 */
export function asFault(error: unknown, host: string, connecting: boolean): Fault {
  if (error instanceof ProxyTrouble) {
    return { kind: 'fault', sent: false, code: error.code, message: `${error.message} (${error.code}).` };
  }
  const code = codeOf(error);
  const sent = !connecting && code !== 'UND_ERR_CLOSED' && code !== 'UND_ERR_INVALID_ARG';
  // The HTTP client's own codes say no more than the words.
  const end = code.startsWith('UND_ERR_') ? '.' : ` (${code}).`;
  return { kind: 'fault', sent, code, message: `${host} ${faultWords(code, connecting)}${end}` };
}

function codeOf(error: unknown): string {
  // undici fails a request with this message only for an unexpected 100 (Continue); otherwise it is about idle connections.
  if (error instanceof errors.SocketError && error.message === 'bad response') return 'UNASKED_CONTINUE';
  // undici has no parser code if the answer does not even start like HTTP.
  return systemCode(error) ?? (error instanceof errors.HTTPParserError ? 'HPE_INVALID' : 'UNKNOWN');
}

/** What went wrong, to append to the name of a host. */
export function faultWords(code: string, connecting: boolean): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'refused the connection';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'could not be found by name';
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      return 'cannot be reached from this network';
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return 'could not be reached in time';
    case 'UPLOAD_STALLED':
      return 'stopped taking the upload';
    case 'ANSWERED_EARLY':
      return 'reported success before the upload was complete';
    case 'UNASKED_CONTINUE':
      return 'or a proxy in front of it sends "100 Continue" without being asked';
    case 'UND_ERR_HEADERS_TIMEOUT':
      return 'did not answer in time';
    case 'UND_ERR_BODY_TIMEOUT':
      return 'stopped sending in the middle of its answer';
    case 'ANSWER_TOO_LARGE':
      return 'sent an answer larger than 16 MiB';
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return 'was not contacted, because the agent is stopping';
    case 'CERT_HAS_EXPIRED':
      return "has an expired certificate, or this machine's clock is wrong";
    case 'CERT_NOT_YET_VALID':
      return "has a certificate that is not valid yet, or this machine's clock is wrong";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'has a certificate for a different address';
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'has a certificate that this machine does not trust, perhaps from a proxy that inspects traffic (service.ca adds trusted authorities)';
    default:
      break;
  }
  if (/CERT|LEAF_SIGNATURE/.test(code)) return 'has a certificate that this machine does not trust';
  if (connecting) return 'could not be connected to';
  if (code.startsWith('HPE_')) return 'answered with something that is not HTTP';
  return 'closed the connection before its answer was complete';
}

/** Errors of a TLS handshake with a plain HTTP port; some servers just close the connection. */
const NO_TLS = /^(?:ECONNRESET|EPROTO|UND_ERR_SOCKET|ERR_SSL_.*)$/;
/** Errors of plain HTTP on a TLS port. */
const NO_HTTP = /^(?:ECONNRESET|UND_ERR_SOCKET|HPE_.*)$/;

/** Suggests the other one of HTTP and HTTPS if the service never answered and the error fits; to append to a sentence. */
export function otherScheme({ protocol, host }: URL, { code }: Fault, connecting: boolean): string {
  if (protocol === 'https:' && connecting && NO_TLS.test(code))
    return ` If it speaks plain HTTP, try http://${host} as service.baseUrl.`;
  if (protocol === 'http:' && NO_HTTP.test(code))
    return ` If it speaks HTTPS, try https://${host} as service.baseUrl.`;
  return '';
}
