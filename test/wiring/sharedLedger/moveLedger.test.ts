import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedger } from '../../../src/wiring/ledger.ts';
import { moveLedger, type MovedLedger } from '../../../src/wiring/sharedLedger/moveLedger.ts';
import { prepareShared } from '../../../src/wiring/sharedLedger/prepare.ts';
import { acquireInstanceLock } from '../../../src/state-dir/instanceLock.ts';
import { verifyPostgresLedger } from '../../../src/ledger/fleet/verify.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { ask, AT, Machine, OFFICE } from './ownLedger.ts';
import { nextOf } from '../../support/uploads.ts';

const OPTIONS = { version: '1.0.0', log: new RecordedLog(), onMended: () => {}, onWentBack: () => {} };

describe.skipIf(!needsPostgres())('moving a ledger into a shared one', () => {
  let database: FreshDatabase;
  const machines: Machine[] = [];

  async function machine(): Promise<Machine> {
    const made = await Machine.make();
    machines.push(made);
    return made;
  }

  /** Moves like the command; `during` runs while the agent does, before the end. */
  async function move(
    from: Machine,
    agent: string,
    during?: () => Promise<void>,
    url = database.url,
  ): Promise<MovedLedger | null> {
    const lock = during ? await acquireInstanceLock(from.config.stateDir) : null;
    if (!during) await from.ledger.close();
    try {
      return await command(from, agent, url, () =>
        during?.()
          .then(() => from.ledger.close())
          .then(() => lock?.release()),
      );
    } finally {
      await from.open();
    }
  }

  function command(
    from: Machine,
    agent: string,
    url = database.url,
    onAgentRuns: () => unknown = () => {},
  ): Promise<MovedLedger | null> {
    return moveLedger(from.config, {
      target: { url, passwordFile: null, caFile: null },
      agent,
      version: '1.0.0',
      onProgress: () => {},
      onAgentRuns,
      signal: AbortSignal.timeout(60_000),
    });
  }

  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    for (const each of machines.splice(0)) await each.remove();
    await database.remove();
  });

  it('takes over every row, and changes made during the move', async () => {
    const office = await machine();
    const { ledger } = office;
    await ledger.recordEndpoint(OFFICE, 'Office', '{"name":"Office"}', AT);
    await office.work(0, 1_050);
    await ledger.setFolderMark(office.folder, 'disk 1', AT);
    await ledger.recordResult({
      at: AT,
      baseUrl: OFFICE.baseUrl,
      uid: null,
      name: 'nobody',
      status: 'DONE',
      payload: Buffer.from('a\0b'),
    });
    const moved = await move(office, 'scan-pc', async () => {
      await office.work(1_050, 120);
      await office.ledger.retry(await office.ledger.retriable(0, 1_000, AT + 9_999), AT + 9_999);
      // Becoming due is not an event.
      await nextOf(office.ledger, {
        endpoint: OFFICE,
        lane: 'fresh',
        limit: 5,
        now: AT + 10_000_000,
        exceptFolders: [],
        freshSince: AT + 100_000,
        longestWaitMs: 1_000_000_000,
      });
    });
    expect(moved?.rows).toMatchObject({ documents: 1_170 });
    expect(moved?.merged).toEqual({ twins: 0, failed: 0, renamed: 0 });
    expect(Object.keys(moved?.head ?? {})).toEqual(['ledger', 'seq', 'hash']);
    const counts = await ask<{ state: string; count: string }>(
      database.url,
      'SELECT state, count(*) FROM documents GROUP BY 1 ORDER BY 1',
    );
    const counted = await ask<{ state: string; count: string }>(
      database.url,
      `SELECT state, sum(n)::text AS count FROM counts WHERE state IN (SELECT state FROM documents) GROUP BY 1 HAVING sum(n) > 0 ORDER BY 1`,
    );
    expect(counted).toEqual(counts);
    // Requests that were in progress may have arrived.
    expect(counts.map(({ state }) => state)).toEqual(['accepted', 'queued']);
    const target = { url: database.url, passwordFile: null, caFile: null };
    const verified = await verifyPostgresLedger(target, 'scan-pc', null);
    expect([...verified.journal.findings, ...verified.ledger.findings]).toEqual([]);
    expect(verified.ledger).toMatchObject({ documents: 1_170 });
    // Its folders are the agent's, with what is known of them.
    const folders = await ask(database.url, 'SELECT owner, path, mark FROM folders');
    expect(folders).toEqual([{ owner: 'agent:scan-pc', path: office.folder, mark: 'disk 1' }]);
    const [last] = await ask<{ entry: string }>(
      database.url,
      'SELECT entry FROM chain ORDER BY seq DESC LIMIT 1',
    );
    expect(JSON.parse(last?.entry ?? '')).toMatchObject({ kind: 'shared' });
  });

  it('refuses to work on the old ledger afterwards, and lets the shared one be used', async () => {
    const office = await machine();
    await office.work(0, 5);
    const shared = { ...office.config, ledger: office.sharedAt(database.url, 'scan-pc') };
    await expect(openLedger(shared, OPTIONS)).rejects.toMatchObject({ code: 'LEDGER_EXISTS' });
    expect(await move(office, 'scan-pc')).not.toBeNull();
    await expect(openLedger(office.config, OPTIONS)).rejects.toMatchObject({
      code: 'LEDGER_MOVED',
    });
    expect(await move(office, 'scan-pc')).toBeNull();
  });

  it('names a difference, and leaves the old ledger in use', async () => {
    const office = await machine();
    await office.work(0, 30);
    const moved = move(office, 'scan-pc', async () => {
      await ask(
        database.url,
        `UPDATE documents SET name = 'other' WHERE id = (SELECT min(id) FROM documents)`,
      );
      await ask(database.url, `DELETE FROM attempts WHERE id = (SELECT max(id) FROM attempts)`);
    });
    await expect(moved).rejects.toMatchObject({ code: 'MOVE_DIFFERS' });
    await expect(moved).rejects.toThrow(
      /Document \d+ in the ledger does not match the journal\. Upload request \d+ is in the journal but missing/,
    );
    const ledger = await openLedger(office.config, OPTIONS);
    await ledger.close();
  });

  it('reports in one sentence that its role has no rights', async () => {
    const office = await machine();
    await office.work(0, 2);
    await prepareShared({ url: database.url, passwordFile: null, caFile: null }, null);
    const role = `nobody_${database.name}`;
    await ask(database.url, `CREATE ROLE ${role} LOGIN`);
    const url = database.url.replace('postgres@', `${role}@`);
    await expect(move(office, 'scan-pc', undefined, url)).rejects.toMatchObject({
      code: 'LEDGER_REFUSED',
      message: expect.stringContaining('permission denied') as string,
    });
    await ask(database.url, `DROP ROLE ${role}`);
  });

  it('refuses a name that another agent has used', async () => {
    const [first, second] = [await machine(), await machine()];
    await first.work(0, 2);
    await second.work(0, 2);
    await move(first, 'scan-pc');
    await expect(move(second, 'scan-pc')).rejects.toMatchObject({ key: 'MOVE_REFUSED.agentNameTaken' });
  });

  it('says so if this ledger is being moved under another name, or by another command', async () => {
    const office = await machine();
    await office.work(0, 30);
    await expect(
      move(office, 'scan-pc', async () => {
        await ask(database.url, 'DELETE FROM attempts');
      }),
    ).rejects.toMatchObject({ code: 'MOVE_DIFFERS' });
    await expect(move(office, 'other')).rejects.toMatchObject({ key: 'MOVE_REFUSED.asAnotherAgent' });
    let refused: unknown;
    const moved = move(office, 'scan-pc', async () => {
      refused = await command(office, 'scan-pc').catch((error: unknown) => error);
    });
    await expect(moved).rejects.toMatchObject({ code: 'MOVE_DIFFERS' });
    expect(refused).toMatchObject({ key: 'MOVE_REFUSED.underWay' });
  });
});
