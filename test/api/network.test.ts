import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compile } from '../support/scripts.ts';
import { createAuthority, hasOpenssl, tlsServer, type Authority } from './certificates.ts';
import { client, HandClock, never, UID, uploadRequest } from './client.ts';
import { sendJson } from './scriptedServer.ts';
import { meaningOf } from './faultMeaning.ts';

const run = promisify(execFile);
const record = { name: 'receipt.jpg', endpointUid: UID, status: 'PROCESSING' };
const okay = { kind: 'response', httpStatus: 200 };

type Address = { readonly address: string; readonly family: number };

/** DNS that answers as the test wants. */
function names(answers: () => readonly Address[]): { lookup: LookupFunction; asked: () => number } {
  let asked = 0;
  const lookup: LookupFunction = (_name, _options, callback) => {
    asked += 1;
    process.nextTick(() => callback(null, [...answers()]));
  };
  return { lookup, asked: () => asked };
}

async function serverAt(host: string, port = 0): Promise<{ port: number; hits: string[]; close(): void }> {
  const hits: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((message, response) => {
    message.resume().on('end', () => {
      hits.push(message.headers.connection ?? '');
      sendJson(response, 200, record);
    });
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  return { port: (server.address() as AddressInfo).port, hits, close };
}

describe('a name', () => {
  it.skipIf(process.platform !== 'linux')(
    'is reached at another address if one drops all packets',
    async () => {
      const alive = await serverAt('127.0.0.1');
      // A stopped process with a full queue: the system drops what would connect.
      const script = `
      const net = require('node:net');
      net.createServer().listen({ host: '127.0.0.2', port: ${alive.port}, backlog: 1 }, () => console.log('up'));`;
      const mute = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void mute.kill('SIGKILL'));
      await once(mute.stdout, 'data');
      mute.kill('SIGSTOP');
      const { connect } = await import('node:net');
      const fillers = Array.from({ length: 4 }, () => connect(alive.port, '127.0.0.2').on('error', () => {}));
      onTestFinished(() => fillers.forEach((socket) => socket.destroy()));
      await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, 'connect')));
      const { lookup } = names(() => [
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
      const { service } = client(`http://service.example:${alive.port}`, { lookup });
      expect(await service.upload(uploadRequest(), never)).toMatchObject(okay);
      expect(alive.hits).toHaveLength(1);
    },
  );

  it('is followed to a new address at the end of a connection’s lifetime, even if the old one still answers', async () => {
    const before = await serverAt('127.0.0.1');
    const after = await serverAt('127.0.0.2', before.port);
    let address = '127.0.0.1';
    const { lookup, asked } = names(() => [{ address, family: 4 }]);
    const clock = new HandClock();
    const { service } = client(`http://service.example:${before.port}`, { lookup, clock, connections: 1 });
    // All connections of the pool at once: none may be left that nobody wakes.
    const both = () => Promise.all([1, 2].map(() => service.upload(uploadRequest(), never)));
    expect(await both()).toMatchObject([okay, okay]);
    address = '127.0.0.2';
    clock.elapsed += 4 * 60_000;
    expect(await both()).toMatchObject([okay, okay]);
    expect(after.hits).toHaveLength(0);
    expect(asked()).toBe(2);
    clock.elapsed += 2 * 60_000;
    // The last on the old connections, which says that it is; a lone upload may leave the other one for later.
    for (let round = 0; round < 3; round += 1) expect(await both()).toMatchObject([okay, okay]);
    expect(before.hits).toEqual(['keep-alive', 'keep-alive', 'keep-alive', 'keep-alive', 'close', 'close']);
    expect(after.hits).toEqual(['keep-alive', 'keep-alive', 'keep-alive', 'keep-alive']);
  });

  it('is looked up again after a failure', async () => {
    const before = await serverAt('127.0.0.1');
    const after = await serverAt('127.0.0.2', before.port);
    let address = '127.0.0.1';
    const { lookup } = names(() => [{ address, family: 4 }]);
    const { service } = client(`http://service.example:${before.port}`, { lookup });
    expect(await service.upload(uploadRequest(), never)).toMatchObject(okay);
    before.close();
    address = '127.0.0.2';
    await service.upload(uploadRequest(), never);
    expect(await service.upload(uploadRequest(), never)).toMatchObject(okay);
    expect(after.hits.length).toBeGreaterThan(0);
  });
});

it('an IPv6 address as the base URL is reached', async () => {
  const server = await serverAt('::1');
  const { service } = client(`http://[::1]:${server.port}`);
  expect(await service.upload(uploadRequest(), never)).toMatchObject(okay);
});

describe.skipIf(!hasOpenssl)('a private certificate authority', () => {
  let authority: Authority;
  let other: Authority;
  let dir: string;
  beforeAll(async () => {
    authority = createAuthority();
    other = createAuthority();
    dir = await mkdtemp(join(tmpdir(), 'receiptd-ca-'));
  });
  afterAll(async () => {
    authority.remove();
    other.remove();
    await rm(dir, { recursive: true, force: true });
  });

  it('is trusted only if configured, and only for its own certificates', async () => {
    const server = await tlsServer(authority.issue('IP:127.0.0.1'), record);
    const baseUrl = `https://127.0.0.1:${server.port}`;
    for (const ca of [null, other.file]) {
      const answer = await client(baseUrl, { ca }).service.upload(uploadRequest(), never);
      expect(answer).toMatchObject({ kind: 'fault', sent: false });
      expect(meaningOf(answer)).toBe('inspected');
    }
    expect(server.received).toEqual([]);
    expect(
      await client(baseUrl, { ca: authority.file }).service.upload(uploadRequest(), never),
    ).toMatchObject(okay);
  });

  it('is trusted as soon as its file is renewed, and until that holds a certificate again', async () => {
    const ca = join(dir, 'renewed.pem');
    await writeFile(ca, await readFile(other.file));
    const server = await tlsServer(authority.issue('IP:127.0.0.1'), record);
    const { service, clock } = client(`https://127.0.0.1:${server.port}`, { ca });
    const upload = () => {
      clock.elapsed += 3_000;
      return service.upload(uploadRequest(), never);
    };
    expect(await upload()).toMatchObject({ kind: 'fault', sent: false });
    await writeFile(ca, await readFile(authority.file));
    expect(await upload()).toMatchObject(okay);
    for (const spoil of [() => writeFile(ca, 'half writ'), () => rm(ca)]) {
      await spoil();
      service.dropIdle?.();
      expect(await upload()).toMatchObject(okay);
    }
  });

  it('does not replace those of NODE_EXTRA_CA_CERTS', async () => {
    const server = await tlsServer(authority.issue('IP:127.0.0.1'), record);
    const { url } = await compile('api/authorities.ts');
    // In a separate process, because Node 24 reads the variable once at startup.
    const code = `
      import { connect } from 'node:tls';
      import { trusting } from ${JSON.stringify(url)};
      const secureContext = trusting(process.argv[1], process.env);
      connect({ host: '127.0.0.1', port: ${server.port}, secureContext })
        .on('secureConnect', function () { console.log('trusted'); this.destroy(); })
        .on('error', ({ code }) => console.log(code));`;
    const connected = async (env: NodeJS.ProcessEnv): Promise<string> => {
      const args = ['--input-type=module', '-e', code, other.file];
      return (await run(process.execPath, args, { env: { ...process.env, ...env } })).stdout.trim();
    };
    expect(await connected({ NODE_EXTRA_CA_CERTS: authority.file })).toBe('trusted');
    expect(await connected({ NODE_EXTRA_CA_CERTS: '' })).toMatch(/^(?:UNABLE_TO|SELF_SIGNED)/);
  });

  it.each([
    ['DNS:other.example', 1, 'otherName'],
    ['IP:127.0.0.1', -1, 'expired'],
  ])('does not vouch for %s, %d day', async (name, days, meaning) => {
    const server = await tlsServer(authority.issue(name, days), record);
    const { service } = client(`https://127.0.0.1:${server.port}`, { ca: authority.file });
    const answer = await service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ kind: 'fault', sent: false });
    expect(meaningOf(answer)).toBe(meaning);
  });

  it('that is unusable is reported in one sentence', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const files: [string, string | null, object][] = [
      ['missing.pem', null, { flaw: 'unreadable', system: 'ENOENT' }],
      ['empty.pem', '', { flaw: 'noCertificate' }],
      ['key.pem', authority.issue('IP:127.0.0.1').key, { flaw: 'noCertificate' }],
      ['cut.pem', broken, { flaw: 'broken', number: 1 }],
    ];
    for (const [name, text, params] of files) {
      const file = join(dir, name);
      if (text !== null) await writeFile(file, text);
      expect(() => client('https://127.0.0.1:1', { ca: file })).toThrow(
        expect.objectContaining({
          key: 'CONFIG_INVALID.authorities',
          params: expect.objectContaining({ file, ...params }) as object,
        }) as Error,
      );
    }
  });
});
