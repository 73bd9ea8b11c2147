import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { systemCode } from '../core/domain/errors.ts';
import { bare } from './noProxy.ts';
import { ProxyTrouble } from './proxyTrouble.ts';

export interface TunnelOptions {
  readonly proxy: URL;
  readonly authorization: string | null;
  /** Host and port of the destination. */
  readonly authority: string;
  readonly limitMs: number;
  readonly lookup?: LookupFunction | undefined;
  readonly secureContext?: SecureContext | undefined;
}

/**
 * Opens a connection through the proxy (CONNECT, RFC 9110 9.3.6).
 * @throws ProxyTrouble
 */
export function openTunnel(options: TunnelOptions): Promise<Socket> {
  const { proxy, authority, authorization, lookup, secureContext } = options;
  const host = bare(proxy.hostname);
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? https : http).request({
      host,
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        'user-agent': 'receiptd',
        // Node would send `close`, which makes some proxies end the tunnel too.
        connection: 'keep-alive',
        ...(authorization !== null && { 'proxy-authorization': authorization }),
      },
      agent: false,
      autoSelectFamily: true,
      // Otherwise taken from the Host header, which names the service.
      servername: isIP(host) === 0 ? host : '',
      ...(lookup && { lookup }),
      ...(secureContext && { secureContext }),
    } as https.RequestOptions);
    const timer = setTimeout(() => request.destroy(trouble(proxy, 'TIMEOUT')), options.limitMs);
    request.once('connect', (response, socket: Socket, head) => {
      clearTimeout(timer);
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) {
        socket.on('error', () => {}).destroy();
        reject(refusal(proxy, authority, status));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.on('error', (error) => {
      clearTimeout(timer);
      reject(error instanceof ProxyTrouble ? error : trouble(proxy, systemCode(error) ?? 'UNKNOWN'));
    });
    request.end();
  });
}

function trouble(proxy: URL, code: string): ProxyTrouble {
  return new ProxyTrouble({ at: 'proxy', host: proxy.host, code });
}

/** Also used for the answer to a forwarded request. */
export function refusal(proxy: URL, authority: string, status: number): ProxyTrouble {
  return new ProxyTrouble({ at: 'proxyAnswer', host: proxy.host, authority, status });
}
