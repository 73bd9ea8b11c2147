import { expect, it, describe, onTestFinished } from 'vitest';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { freshDatabase, needsPostgres, startCluster } from '../../support/postgres.ts';
import { startProxy } from '../../support/tcpProxy.ts';
import { createAuthority, hasOpenssl } from '../../api/certificates.ts';

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
