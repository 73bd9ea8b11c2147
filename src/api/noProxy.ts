import { BlockList, isIP } from 'node:net';

/**
 * Whether NO_PROXY exempts an address, with curl's rules: names including their subdomains, addresses or networks (10.0.0.0/8),
 * each with an optional port, separated by commas or spaces; `*` exempts all.
 */
export function isExempt(noProxy: string, { hostname, port }: { hostname: string; port: string }): boolean {
  const host = bare(hostname).toLowerCase().replace(/\.$/, '');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && (entry === '*' || matches(entry, host, port)));
}

function matches(entry: string, host: string, port: string): boolean {
  const [, name = '', wantedPort] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = bare(name)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  if (isIP(host) === 0) return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
  return inNetwork(wanted, host);
}

function inNetwork(wanted: string, host: string): boolean {
  const [network = '', bits] = wanted.split('/');
  const family = isIP(network);
  if (family === 0) return false;
  const most = family === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > most) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

/** Removes the brackets of an IPv6 address. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
