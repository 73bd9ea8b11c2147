import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { freshDatabase, needsPostgres, startCluster } from '../../support/postgres.ts';
import { startProxy } from '../../support/tcpProxy.ts';
import { createAuthority, hasOpenssl } from '../../api/certificates.ts';
import { examineLedger } from '../../../src/ledger/postgres/examine.ts';
import { openPostgresLedger } from '../../../src/ledger/openPostgres.ts';
import { admission } from '../../contract/ledger/support.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { needsPgbouncer, pooled } from '../../support/pgbouncer.ts';
import { agentOptions } from '../support/agents.ts';
import { targetOf } from './place.ts';

describe.skipIf(!needsPostgres() || !hasOpenssl)('a connection to PostgreSQL whose server is silent', () => {
  it.each(['plain', 'TLS'])('is closed at once by destroy: %s', async (kind) => {
    const authority = createAuthority();
    onTestFinished(() => authority.remove());
    const tls = kind === 'TLS' ? authority.issue('IP:127.0.0.1') : undefined;
    // Without TLS, the shared server of the run is enough.
    const server = tls ? await startCluster({ tls }) : await freshDatabase();
    onTestFinished(() => server.remove());
    const proxy = await startProxy(Number(new URL(server.url).port));
    onTestFinished(() => proxy.close());
    const url = `postgres://postgres@127.0.0.1:${proxy.port}/postgres?sslmode=${tls ? 'verify-full' : 'disable'}`;
    const caFile = tls ? authority.file : null;
    // Without a limit of its own: nothing but `destroy` ends the statement.
    const connector = new Connector({ url, passwordFile: null, caFile }, { answerWithinMs: 0 });
    const connection = await connector.connect('receiptd-test');
    const ssl = await connection.get<{ ssl: boolean }>(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    );
    expect(ssl).toEqual({ ssl: kind === 'TLS' });
    proxy.hang();
    const failure = connection.get('SELECT 1').then(
      () => null,
      (error: unknown) => error,
    );

    connection.destroy();

    expect(connection.isOpen).toBe(false);
    expect(await failure).toMatchObject({ code: 'LEDGER_UNREACHABLE' });
    await expect(connection.lost).resolves.toEqual(expect.any(String));
    // A silent link does not pass on the end; the server sees it once the link works again.
    proxy.heal();
    await expect.poll(() => proxy.connections()).toBe(0);
  });
});

it('a connection whose server ends its answer early is given up in one sentence', async () => {
  // PostgreSQL's protocol, version 3: a type, the length of the rest, the rest.
  const message = (type: string, rest: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(rest.length + 4, 1);
    return Buffer.concat([head, rest]);
  };
  const [ready, accepted, done] = [
    message('Z', Buffer.from('I')),
    message('R', Buffer.alloc(4)),
    message('C', Buffer.from('SET\0')),
  ];
  const server = createServer((socket) => {
    socket.once('data', () => socket.write(Buffer.concat([accepted, ready])));
    socket.on('data', (data) => {
      if (data.toString('latin1').startsWith('Q')) socket.write(Buffer.concat([done, ready]));
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `postgres://a@127.0.0.1:${port}/a?sslmode=disable`;
  const connector = new Connector({ url, passwordFile: null, caFile: null }, { answerWithinMs: 60_000 });
  await expect(connector.connect('receiptd-test')).rejects.toMatchObject({
    code: 'LEDGER_UNREACHABLE',
    message: expect.stringContaining('did not answer completely'),
  });
});

describe.skipIf(!needsPostgres() || !needsPgbouncer())('a pooler before the database', () => {
  it('that pools transactions is refused with one sentence, by check and at startup', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    await (await openPostgresLedger(agentOptions(database.url))).close();
    const url = await pooled(database.url, 'transaction');
    const refused = {
      code: 'LEDGER_REFUSED',
      message: expect.stringContaining(
        'a pooler in between gives each transaction another session',
      ) as string,
    };
    await expect(examineLedger(targetOf(url), Date)).rejects.toMatchObject(refused);
    await expect(openPostgresLedger(agentOptions(url))).rejects.toMatchObject(refused);
  });

  it('that pools sessions makes no difference: agents work and notify each other', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const url = await pooled(database.url, 'session');
    const shares = (path: string) => new Map([[path, 'scans']]);
    const [a, b] = await Promise.all([
      openPostgresLedger(agentOptions(url, 'a', { shares: shares('/a') })),
      openPostgresLedger(agentOptions(url, 'b', { shares: shares('/b') })),
    ]);
    cleanUp(() => Promise.all([a.close(), b.close()]));
    const heard = new Promise<string>((resolve) => b.fleet?.onSignal(resolve));
    await a.admit(admission('x.jpg', 'x', { file: { ...admission('x.jpg', 'x').file, folder: '/a' } }));
    expect(await heard).toBe('queue');
    expect(await b.counts()).toMatchObject([{ state: 'queued', count: 1 }]);
    expect(await examineLedger(targetOf(url), Date)).toMatchObject({ lacks: [] });
  });
});
