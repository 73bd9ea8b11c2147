/** Why a request got no answer, or none that counts. */
export type FaultFact =
  | {
      /** `forward`: a proxy that requests are forwarded by, without a tunnel. */
      readonly at: 'service' | 'forward';
      readonly host: string;
      /** Of the system or the HTTP client. */
      readonly code: string;
      readonly isConnecting: boolean;
      /** It may speak this protocol instead of the configured one. */
      readonly other: 'http' | 'https' | null;
    }
  /** `code`: after PROXY_. */
  | { readonly at: 'proxy'; readonly host: string; readonly code: string }
  | { readonly at: 'proxyAnswer'; readonly host: string; readonly authority: string; readonly status: number }
  /** Half a surrogate pair has no UTF-8 form. */
  | { readonly at: 'name' };

const FAULTS: Readonly<Partial<Record<string, Fault>>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknownHost',
  EAI_AGAIN: 'unknownHost',
  ENETUNREACH: 'noRoute',
  EHOSTUNREACH: 'noRoute',
  UND_ERR_CONNECT_TIMEOUT: 'late',
  ETIMEDOUT: 'late',
  TIMEOUT: 'late',
  UPLOAD_STALLED: 'stalled',
  ANSWERED_EARLY: 'early',
  UNASKED_CONTINUE: 'continue',
  UND_ERR_HEADERS_TIMEOUT: 'noAnswer',
  UND_ERR_BODY_TIMEOUT: 'answerStopped',
  ANSWER_TOO_LARGE: 'tooLarge',
  UND_ERR_CLOSED: 'stopping',
  UND_ERR_DESTROYED: 'stopping',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'notYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'otherName',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'inspected',
  UNABLE_TO_GET_ISSUER_CERT: 'inspected',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'inspected',
  SELF_SIGNED_CERT_IN_CHAIN: 'inspected',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'inspected',
};

export type Fault =
  | 'refused'
  | 'unknownHost'
  | 'noRoute'
  | 'late'
  | 'stalled'
  | 'early'
  | 'continue'
  | 'noAnswer'
  | 'answerStopped'
  | 'tooLarge'
  | 'stopping'
  | 'expired'
  | 'notYetValid'
  | 'otherName'
  | 'inspected'
  | 'untrusted'
  | 'notConnected'
  | 'notHttp'
  | 'closed';

/** The code of the fault, which is also why a document waits. */
export function codeOfFault(fault: FaultFact): string {
  switch (fault.at) {
    case 'service':
    case 'forward':
      return fault.code;
    case 'proxy':
      return `PROXY_${fault.code}`;
    case 'proxyAnswer':
      return `PROXY_HTTP_${fault.status}`;
    case 'name':
      return 'NAME_NOT_UTF8';
  }
}

/** What a code means, to word it. */
export function faultOf(code: string, isConnecting: boolean): Fault {
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (known !== undefined) return known;
  if (/CERT|LEAF_SIGNATURE/.test(code)) return 'untrusted';
  if (isConnecting) return 'notConnected';
  return code.startsWith('HPE_') ? 'notHttp' : 'closed';
}
