import type { LookupFunction, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import type { HostRoute } from './route.ts';
import { openTunnel } from './tunnel.ts';

export interface ConnectorOptions {
  readonly base: URL;
  readonly route: HostRoute;
  /** Milliseconds for each step: to the proxy, through it, and TLS with the service. */
  readonly limitMs: number;
  readonly secureContext?: SecureContext | undefined;
  readonly lookup?: LookupFunction | undefined;
}

/** Opens connections to the service. Each one resolves the host name again and uses the first address that answers. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { base, route, limitMs, secureContext, lookup } = options;
  const direct = buildConnector({
    timeout: limitMs,
    autoSelectFamily: true,
    ...(secureContext && { secureContext }),
    ...(lookup && { lookup }),
  });
  if (route.kind !== 'tunnel') return direct;
  const authority = `${base.hostname}:${base.port || '443'}`;
  return (target, callback) => {
    const connect = async (): Promise<void> => {
      let httpSocket: Socket;
      try {
        httpSocket = await openTunnel({ ...route, authority, limitMs, lookup, secureContext });
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
        return;
      }
      direct({ ...target, httpSocket }, callback);
    };
    void connect();
  };
}
