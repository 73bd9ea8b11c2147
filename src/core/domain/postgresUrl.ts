/**
 * PostgreSQL connection URLs in libpq syntax: `postgres://user@host:5432/database`, several hosts separated by
 * commas, or a Unix socket's directory as `?host=/run/postgresql`. `URL` can't parse several hosts.
 */
export interface PostgresUrl {
  readonly user: string;
  readonly hasPassword: boolean;
  /** Without ports and brackets; a directory for a Unix socket. */
  readonly hosts: readonly string[];
  readonly database: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const SHAPE = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^@/?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.%-]+)(?::([1-9]\d{0,4}))?$/;
const MOST_PORT = 65_535;

/** Null for an invalid URL. Does not check that it suffices to connect. */
export function readPostgresUrl(text: string): PostgresUrl | null {
  const [found, userinfo = '', authority = '', database = '', query = ''] = SHAPE.exec(text) ?? [];
  if (found === undefined) return null;
  try {
    const parameters = parametersIn(query);
    const hosts = authority === '' ? socketOf(parameters) : authority.split(',').map(hostOf);
    const [user = '', ...password] = userinfo.split(':');
    return {
      user: decodeURIComponent(user),
      hasPassword: password.length > 0 || parameters.has('password'),
      hosts,
      database: decodeURIComponent(database),
      parameters,
    };
  } catch (error) {
    if (error instanceof URIError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Sets a query parameter, replacing any value it has. */
export function withParameter(url: string, name: string, value: string): string {
  const [before = '', query = ''] = url.split('?');
  const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
  return `${before}?${[...others, `${name}=${encodeURIComponent(value)}`].join('&')}`;
}

function parametersIn(query: string): Map<string, string> {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    }),
  );
}

function socketOf(parameters: ReadonlyMap<string, string>): string[] {
  const host = parameters.get('host');
  return host === undefined ? [] : [host];
}

function hostOf(text: string): string {
  const [, host = '', port = '1'] = HOST.exec(text) ?? [];
  if (host === '' || Number(port) > MOST_PORT) throw new RangeError(text);
  return decodeURIComponent(host.replace(/^\[(.*)\]$/, '$1'));
}
