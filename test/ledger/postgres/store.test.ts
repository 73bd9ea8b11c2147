import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isBad, parseLine } from '../../../src/ledger/journal/line.ts';
import { Verification } from '../../../src/ledger/journal/verification.ts';
import { freshDatabase, type FreshDatabase, needsPostgres, startCluster } from '../../support/postgres.ts';
import { startProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { ask, openStore, type OpenStore, UNUSED } from './place.ts';
import { ledgerFailure } from '../../../src/ledger/postgres/failure.ts';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { Readers } from '../../../src/ledger/postgres/readers.ts';
import { cleanUp } from '../../support/cleanUp.ts';

const COUNT = 'SELECT count(*) AS count FROM acts';

function act(store: OpenStore, detail = 'x'): Promise<void> {
  return store.store.write(async (sql) => sql.emit({ kind: 'act', act: 'retry', by: 'ann', detail }, 1));
}

async function count({ store }: OpenStore): Promise<number> {
  return (await store.read((sql) => sql.get<{ count: number }>(COUNT)))?.count ?? 0;
}

/** The chain of one agent as an auditor reads it: the lines of a journal. */
async function verified(url: string, agent = 'one') {
  const rows = await ask<{ line: string }>(
    url,
    `SELECT h.entry || chr(9) || h.hash || chr(9) || h.personal AS line
       FROM history h JOIN agents a ON a.id = h.agent_id WHERE a.name = $1 ORDER BY h.seq`,
    [agent],
  );
  const verification = new Verification();
  for (const { line } of rows) {
    const parsed = parseLine(Buffer.from(line));
    if (isBad(parsed)) verification.bad(parsed);
    else verification.line(parsed);
  }
  return verification.end(0);
}

describe.skipIf(!needsPostgres())('the store on PostgreSQL', () => {
  let database: FreshDatabase;
  let open: OpenStore;

  beforeEach(async () => {
    database = await freshDatabase(UNUSED);
    open = await openStore(database.url);
  });
  afterEach(async () => {
    await open.close();
    await database.remove();
  });

  it('writes all operations of one turn in one transaction, and reads them back', async () => {
    await Promise.all(Array.from({ length: 100 }, () => act(open)));
    await act(open);
    expect(await count(open)).toBe(101);
    const [{ commits } = { commits: 0 }] = await ask<{ commits: string }>(
      database.url,
      'SELECT count(DISTINCT xmin::text) AS commits FROM acts',
    );
    expect(Number(commits)).toBe(2);
    expect(open.trouble.trouble()).toBeNull();
  });

  it('makes brief reads over the connection for writes, and keeps writes out of them', async () => {
    const { store } = open;
    const readers = async () =>
      (
        await ask(
          database.url,
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'receiptd one reading'`,
        )
      ).length;
    const none = { count: 0 };
    const brief = () => store.readBriefly((sql) => sql.get(COUNT));
    expect(await Promise.all([brief(), brief(), brief()])).toEqual([none, none, none]);
    let writing = Promise.resolve();
    const counted = await store.readBriefly(async (sql) => {
      writing = act(open);
      await sql.get(COUNT);
      await setImmediate();
      return sql.get(COUNT);
    });
    expect(counted).toEqual(none);
    await writing;
    expect(await readers()).toBe(0);
    let end = (): void => {};
    const later = store.write(async (sql) => {
      await sql.get(COUNT);
      await new Promise<void>((resolve) => (end = resolve));
    });
    expect(await brief()).toEqual({ count: 1 });
    expect(await readers()).toBe(1);
    end();
    await later;
  });

  it('makes consecutive brief reads in one transaction, up to a write, a failure or a pause', async () => {
    const begun = async () =>
      (await open.store.readBriefly((sql) => sql.get<{ at: string }>('SELECT now()::text AS at')))?.at;
    const first = await begun();
    expect(await begun()).toBe(first);
    await act(open);
    const second = await begun();
    expect(second).not.toBe(first);
    await expect(open.store.readBriefly((sql) => sql.get('SELECT 1 / 0'))).rejects.toThrow(/zero/);
    expect(await begun()).not.toBe(second);
    const state = `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'receiptd one'`;
    await vi.waitFor(async () => expect(await ask(database.url, state)).toEqual([{ state: 'idle' }]), 20_000);
  });

  it('makes a brief read over another connection if the first one was lost', async () => {
    let tries = 0;
    const counted = await open.store.readBriefly((sql) => {
      tries += 1;
      return sql.get(tries === 1 ? 'SELECT pg_terminate_backend(pg_backend_pid())' : COUNT);
    });
    expect([tries, counted]).toEqual([2, { count: 0 }]);
  });

  it('chains the acts of each agent as the lines of a journal', async () => {
    const other = await openStore(database.url, 'other');
    await Promise.all([act(open, 'Über 🧾'), act(open), act(other), act(open)]);
    await act(open);
    const own = await verified(database.url);
    expect(own).toMatchObject({ entries: 5, lastSeq: 5, findings: [] });
    expect(await verified(database.url, 'other')).toMatchObject({ entries: 2, findings: [] });
    expect(
      await ask(
        database.url,
        `SELECT head_seq::integer AS seq, head_hash AS hash FROM agents WHERE name = 'one'`,
      ),
    ).toEqual([{ seq: 5, hash: own.head?.hash }]);
    await other.close();
  });

  it('continues its chain after a restart', async () => {
    await act(open);
    await open.close();
    open = await openStore(database.url);
    await act(open);
    expect(await verified(database.url)).toMatchObject({ entries: 3, findings: [] });
  });

  it('refuses only the faulty operation, whatever its fault', async () => {
    const thrown = open.store.write(async (sql) => {
      sql.emit({ kind: 'act', act: 'retry', by: 'bob', detail: 'never' }, 1);
      await sql.run('SELECT 1');
      throw new Error('a reason of its own');
    });
    const broken = open.store.write(async (sql) => {
      sql.send('INSERT INTO acts (agent_id, at, kind, by, detail) VALUES (:id, 1, :k, :k, :k)', {
        id: -1,
        k: 'x',
      });
      // Later statements fail as well, but are not the cause.
      await sql.get('SELECT 1 AS one');
    });
    const settled = await Promise.allSettled([act(open), thrown, act(open), broken, act(open)]);
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await expect(thrown).rejects.toThrow('a reason of its own');
    await expect(broken).rejects.toThrow(/foreign key/);
    expect(await count(open)).toBe(3);
    expect(await verified(database.url)).toMatchObject({ entries: 4, findings: [] });
    expect(open.trouble.trouble()).toBeNull();
    // The statements of the failed transaction are still good.
    await act(open);
    expect(await count(open)).toBe(4);
  });

  it('commits pending operations before it closes, and refuses later ones', async () => {
    const last = act(open);
    await open.close();
    await last;
    await expect(act(open)).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    expect(await ask(database.url, 'SELECT running FROM agents')).toEqual([{ running: false }]);
    expect(await ask(database.url, 'SELECT count(*)::integer AS count FROM acts')).toEqual([{ count: 1 }]);
  });
});

describe.skipIf(!needsPostgres())('the store and its server', () => {
  it('survives a server crash: refuses meanwhile, and then continues', async () => {
    const cluster = await startCluster();
    const open = await openStore(cluster.url);
    try {
      await act(open);
      await cluster.kill();
      await expect(act(open)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
      await vi.waitFor(() => expect(open.trouble.trouble()).toMatchObject({ code: 'LEDGER_UNREACHABLE' }));
      await expect(count(open)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
      await cluster.start();
      await vi.waitFor(() => expect(open.trouble.trouble()).toBeNull(), { timeout: 60_000 });
      await act(open);
      expect(await count(open)).toBe(2);
      expect(await verified(cluster.url)).toMatchObject({ entries: 3, findings: [] });
      expect(open.log.said("The ledger can't be reached")).toHaveLength(1);
      expect(open.log.said('The ledger can be reached again')).toHaveLength(1);
    } finally {
      await open.close();
      await cluster.remove();
    }
  });

  describe('a COMMIT without an answer', () => {
    let database: FreshDatabase;
    let proxy: TcpProxy;
    let open: OpenStore;

    beforeEach(async () => {
      database = await freshDatabase(UNUSED);
      const url = new URL(database.url);
      proxy = await startProxy(Number(url.port));
      url.port = String(proxy.port);
      open = await openStore(url.href);
      await act(open, 'before');
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await open.close();
      await proxy.close();
      await database.remove();
    });

    /** Runs just before the next COMMIT is sent. */
    function atCommit(then: () => void): void {
      // oxlint-disable-next-line typescript/unbound-method -- called on the same object
      const query = Client.prototype.query as (...args: unknown[]) => unknown;
      const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (
        this: Client,
        ...args: unknown[]
      ) {
        if (args[0] === 'COMMIT') {
          spy.mockRestore();
          then();
        }
        return query.apply(this, args) as never;
      });
    }

    async function details(): Promise<string[]> {
      const rows = await ask<{ detail: string }>(database.url, 'SELECT detail FROM acts ORDER BY id');
      return rows.map(({ detail }) => detail);
    }

    it('that arrived is recognized, and resolves its operations', async () => {
      atCommit(() => proxy.hang(true));
      const written = act(open, 'unanswered');
      await vi.waitFor(async () => expect(await details()).toContain('unanswered'), { timeout: 30_000 });
      proxy.cut();
      proxy.heal();
      await written;
      await vi.waitFor(() => expect(open.trouble.trouble()).toBeNull(), { timeout: 30_000 });
      await act(open, 'after');
      expect(await details()).toEqual(['before', 'unanswered', 'after']);
      expect(await verified(database.url)).toMatchObject({ entries: 4, findings: [] });
    });

    it('that did not arrive is recognized, and rejects its operations', async () => {
      atCommit(() => proxy.cut());
      const written = act(open, 'never');
      const outcome = written.catch((error: unknown) => error);
      await vi.waitFor(() => expect(open.trouble.trouble()).not.toBeNull());
      proxy.heal();
      expect(await outcome).toMatchObject({ code: 'LEDGER_UNREACHABLE' });
      await vi.waitFor(() => expect(open.trouble.trouble()).toBeNull(), { timeout: 30_000 });
      await act(open, 'after');
      expect(await details()).toEqual(['before', 'after']);
      expect(await verified(database.url)).toMatchObject({ entries: 3, findings: [] });
    });

    it('does not delay closing the store', async () => {
      atCommit(() => proxy.cut());
      const outcome = act(open, 'never').catch((error: unknown) => error);
      await vi.waitFor(() => expect(open.trouble.trouble()).not.toBeNull());
      await open.close();
      expect(await outcome).toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    });
  });
});

it.each([
  ['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ledger.ca'],
  ['self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN', 'ledger.ca'],
  ["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ['no pg_hba.conf entry for host "::1", user "a", no encryption', '28000', 'sslmode=verify-full'],
  ['password authentication failed for user "receiptd"', '28P01', 'ledger.passwordFile'],
  ['permission denied for schema receiptd', '42501', 'receiptd ledger prepare --role'],
  ['database "nodb" does not exist', '3D000', '`ledger`'],
])('%s is refused with a hint', (message, code, word) => {
  const failure = ledgerFailure(Object.assign(new Error(message), { code }), 'db.example/receiptd');
  expect(failure.code).toBe('LEDGER_REFUSED');
  expect(failure.message).toBe(`The ledger at db.example/receiptd can't be used: ${message}.`);
  expect(failure.hint).toContain(word);
});

it('a missing password is reported in plain words', () => {
  const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(ledgerFailure(error, 'db')).toMatchObject({
    code: 'LEDGER_REFUSED',
    message: "The ledger at db can't be used: the server asks for a password, and none was given.",
    hint: expect.stringContaining('ledger.passwordFile') as string,
  });
});

describe.skipIf(!needsPostgres())('connections for reading', () => {
  it('are closed after an idle time, every time', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const { url } = database;
    const readers = new Readers(new Connector({ url, passwordFile: null, caFile: null }), 'test', {
      idleMs: 200,
    });
    cleanUp(() => readers.close());
    const open = async () =>
      (await ask(url, `SELECT 1 FROM pg_stat_activity WHERE application_name = 'receiptd test reading'`))
        .length;
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.all([1, 2].map((n) => readers.use((sql) => sql.get('SELECT :n::integer', { n }))));
      expect(await open()).toBe(2);
      await expect.poll(open).toBe(0);
    }
  });
});
