import { ReceiptdError } from '../core/domain/errors.ts';
import { isExempt } from './noProxy.ts';

/**
 * How to connect to the service:
 *
 *   direct    no proxy
 *   tunnel    https: CONNECT, so that the proxy sees neither token nor image
 *   forward   http: the full URL in the request line, because most proxies refuse CONNECT to ports other than 443
 */
export type HostRoute =
  | { readonly kind: 'direct' }
  | {
      readonly kind: 'tunnel' | 'forward';
      /** URL without user and password. */
      readonly proxy: URL;
      /** The value of Proxy-Authorization. */
      readonly authorization: string | null;
      /** Every form in which the password may appear. */
      readonly secrets: readonly string[];
    };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param setting `auto`, `direct` or a URL
 * @throws ReceiptdError CONFIG_INVALID
 */
export function routeOf(setting: string, base: URL, env: Environment): HostRoute {
  if (setting === 'direct') return { kind: 'direct' };
  if (setting !== 'auto') return through(setting, 'service.proxy', base);
  const port = base.port || (base.protocol === 'https:' ? '443' : '80');
  if (isExempt(first(env, ['no_proxy', 'NO_PROXY']).value, { hostname: base.hostname, port })) {
    return { kind: 'direct' };
  }
  const { name, value } = first(env, namesFor(base, env));
  return value === '' ? { kind: 'direct' } : through(value, name, base);
}

function namesFor(base: URL, env: Environment): readonly string[] {
  const general = ['all_proxy', 'ALL_PROXY'];
  if (base.protocol === 'https:') return ['https_proxy', 'HTTPS_PROXY', ...general];
  // Under CGI, HTTP_PROXY comes from a request header named Proxy.
  return env['REQUEST_METHOD'] === undefined
    ? ['http_proxy', 'HTTP_PROXY', ...general]
    : ['http_proxy', ...general];
}

/** The first variable that is set. As in curl, an empty one means "none" and overrides those after it. */
function first(env: Environment, names: readonly string[]): { name: string; value: string } {
  const name = names.find((candidate) => env[candidate] !== undefined);
  return name === undefined ? { name: '', value: '' } : { name, value: (env[name] ?? '').trim() };
}

function through(text: string, source: string, base: URL): HostRoute {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.hostname === '' || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // The value is not shown, because it may contain a password.
    throw new ReceiptdError('CONFIG_INVALID.notProxy', { source });
  }
  const kind = base.protocol === 'https:' ? 'tunnel' : 'forward';
  const proxy = new URL(url.origin);
  if (url.username === '' && url.password === '') return { kind, proxy, authorization: null, secrets: [] };
  const user = decoded(url.username);
  const password = decoded(url.password);
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const secrets = [password, url.password, basic, Buffer.from(password).toString('base64')];
  return { kind, proxy, authorization: `Basic ${basic}`, secrets: secrets.filter((value) => value !== '') };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
