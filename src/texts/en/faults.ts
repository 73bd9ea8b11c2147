import type { Fault, FaultFact } from '../fault.ts';
import type { Format } from '../format.ts';

const FAULTS: Readonly<Record<Fault, string>> = {
  refused: 'refused the connection',
  unknownHost: 'could not be found by name',
  noRoute: 'cannot be reached from this network',
  late: 'could not be reached in time',
  stalled: 'stopped taking the upload',
  early: 'reported success before the upload was complete',
  continue: 'or a proxy in front of it sends "100 Continue" without being asked',
  noAnswer: 'did not answer in time',
  answerStopped: 'stopped sending in the middle of its answer',
  tooLarge: 'sent an answer larger than 16 MiB',
  stopping: 'was not contacted, because the agent is stopping',
  expired: "has an expired certificate, or this machine's clock is wrong",
  notYetValid: "has a certificate that is not valid yet, or this machine's clock is wrong",
  otherName: 'has a certificate for a different address',
  inspected:
    'has a certificate that this machine does not trust, perhaps from a proxy that inspects traffic (service.ca adds trusted authorities)',
  untrusted: 'has a certificate that this machine does not trust',
  notConnected: 'could not be connected to',
  notHttp: 'answered with something that is not HTTP',
  closed: 'closed the connection before its answer was complete',
};

function refusalOf({ authority, status }: Extract<FaultFact, { at: 'proxyAnswer' }>): string {
  if (status === 407) return 'requires a user name and password, or rejects the ones in service.proxy';
  if (status === 502 || status === 503 || status === 504) return `cannot reach ${authority}`;
  return `does not allow this machine to connect to ${authority}`;
}

/** Why a request got no answer, as a sentence or two. */
export function faultText(p: FaultFact, { faultOf }: Pick<Format, 'faultOf'>): string {
  switch (p.at) {
    case 'service':
    case 'forward': {
      // The HTTP client's own codes say no more than the words.
      const code = p.code.startsWith('UND_ERR_') ? '' : ` (${p.code})`;
      const advice =
        p.other === null
          ? ''
          : ` If it speaks ${p.other === 'http' ? 'plain HTTP' : 'HTTPS'}, try ${p.other}://${p.host} as service.baseUrl.`;
      const who = p.at === 'forward' ? `The proxy ${p.host}` : p.host;
      return `${who} ${FAULTS[faultOf(p.code, p.isConnecting)]}${code}.${advice}`;
    }
    case 'proxy':
      return `The proxy ${p.host} ${FAULTS[faultOf(p.code, true)]} (PROXY_${p.code}).`;
    case 'proxyAnswer':
      return `The proxy ${p.host} ${refusalOf(p)} (PROXY_HTTP_${p.status}).`;
    case 'name':
      break;
  }
  return 'The name cannot be put into an address.';
}
