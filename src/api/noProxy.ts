import { BlockList, isIP } from 'node:net';

/**
 * Whether NO_PROXY exempts an address, as curl reads it: names with everything below them, addresses, networks
 * (10.0.0.0/8), each with a port if wanted, separated by commas or spaces; `*` exempts all.
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

/** An IPv6 address without its brackets. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
