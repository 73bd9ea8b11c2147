import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { requirement } from '../support/requires.ts';
import type { Received } from './scriptedServer.ts';
import { listen } from '../support/ports.ts';

export const hasOpenssl = requirement(
  'openssl',
  spawnSync('openssl', ['version']).status === 0,
  'apt-get install openssl',
);

export interface Authority {
  /** The PEM file of the authority. */
  readonly file: string;
  /** A certificate that it signed. */
  issue(name: string, days?: number): { readonly key: string; readonly cert: string };
  remove(): void;
}

/** A real certificate authority, which no machine trusts. */
export function createAuthority(): Authority {
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-ca-'));
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  );
  return {
    file: join(dir, 'ca.pem'),
    issue(name, days = 1) {
      writeFileSync(join(dir, 'ext'), `subjectAltName=${name}`);
      openssl('req', ...key, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/CN=leaf');
      const validity = days > 0 ? ['-days', String(days)] : ['-days', '-1'];
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'ext', ...validity];
      openssl('x509', '-req', '-in', 'leaf.csr', ...signed, '-out', 'leaf.pem');
      return {
        key: readFileSync(join(dir, 'leaf.key'), 'utf8'),
        cert: readFileSync(join(dir, 'leaf.pem'), 'utf8'),
      };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export interface TlsServer {
  readonly port: number;
  readonly received: Pick<Received, 'headers' | 'body' | 'url'>[];
  connections(): number;
}

/** A real HTTPS server that answers every request with the same JSON. */
export async function tlsServer(
  pair: { readonly key: string; readonly cert: string },
  answer: unknown,
  host = '127.0.0.1',
): Promise<TlsServer> {
  const received: TlsServer['received'] = [];
  let connections = 0;
  const server = createServer(pair, (message, response) => {
    void buffer(message).then(
      (body) => {
        received.push({ headers: message.headers, url: message.url ?? '', body });
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      },
      () => {},
    );
  });
  server.on('secureConnection', () => (connections += 1));
  const { port, close } = await listen(server, 0, host);
  onTestFinished(close);
  return { port, received, connections: () => connections };
}

/** TLS in front of a service that speaks plain HTTP; its base URL. */
export async function tlsFront(
  pair: { readonly key: string; readonly cert: string },
  target: string,
): Promise<string> {
  const server = createServer(pair, (message, response) => {
    const { method, headers } = message;
    const onward = forward(target + (message.url ?? ''), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    message.pipe(onward);
  });
  const { port, close } = await listen(server);
  onTestFinished(close);
  return `https://127.0.0.1:${port}`;
}
