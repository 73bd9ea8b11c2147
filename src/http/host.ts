import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * Whether a request names this machine, against DNS rebinding: a page whose own name was pointed here could read the answer.
 * No page can have an address, `localhost` or the machine's own name as its name, or one from the configuration.
 */
export function namesThisMachine(request: IncomingMessage, names: readonly string[]): boolean {
  if (hasSeveralHosts(request)) return false;
  const host = (request.headers.host ?? '').toLowerCase();
  const [, bracketed, plain = ''] = /^(?:\[([^[\]]*)\]|([^:@/?#\\]*))(?::\d*)?$/.exec(host) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  if (plain === '') return false;
  return (
    isIP(plain) === 4 ||
    plain === 'localhost' ||
    isOwnName(plain) ||
    names.some((name) => name === host || name === plain)
  );
}

function isOwnName(name: string): boolean {
  const own = hostname().toLowerCase();
  return own !== '' && (name === own || name === own.split('.', 1)[0]);
}

export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((each, at) => at % 2 === 0 && each.toLowerCase() === 'host').length > 1;
}
