import type { Fault } from './fault.ts';

/** How a connection ends that begins TLS where plain HTTP is spoken; some servers just close it. */
const NO_TLS = /^(?:ECONNRESET|EPROTO|UND_ERR_SOCKET|ERR_SSL_.*)$/;
/** And one that begins with HTTP where TLS is spoken. */
const NO_HTTP = /^(?:ECONNRESET|UND_ERR_SOCKET|HPE_.*)$/;

/** What to try where a service that never answered may speak the other of HTTP and HTTPS; to follow a sentence. */
export function otherScheme({ protocol, host }: URL, { code }: Fault, connecting: boolean): string {
  if (protocol === 'https:' && connecting && NO_TLS.test(code))
    return ` If it speaks plain HTTP, try http://${host} as service.baseUrl.`;
  if (protocol === 'http:' && NO_HTTP.test(code))
    return ` If it speaks HTTPS, try https://${host} as service.baseUrl.`;
  return '';
}
