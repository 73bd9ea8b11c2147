import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointId } from '../../../src/core/domain/document.ts';
import { openPostgresLedger } from '../../../src/ledger/openPostgres.ts';
import { openPostgresReports } from '../../../src/ledger/fleet/openReports.ts';
import { verifyPostgresLedger } from '../../../src/ledger/fleet/verify.ts';
import { SCHEMA_VERSION } from '../../../src/ledger/postgres/tables.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { admission, OFFICE, rowsOf, seen, send } from '../../contract/ledger/support.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { agentOptions, ask } from '../support/agents.ts';
import { targetOf } from './place.ts';

/** Two agents that share the folder `tray`, each under its own path. The ledger is read as a third agent, which has stopped. */
describe.skipIf(!needsPostgres())('a ledger that two agents share', () => {
  let database: FreshDatabase;
  let one: Ledger;
  let two: Ledger;
  beforeAll(async () => {
    database = await freshDatabase();
    const { url } = database;
    one = await openPostgresLedger(agentOptions(url, 'one', { shares: new Map([['/mnt/tray', 'tray']]) }));
    two = await openPostgresLedger(agentOptions(url, 'two', { shares: new Map([['/tray', 'tray']]) }));
  });
  afterAll(async () => {
    await Promise.all([one?.close(), two?.close()]);
    await database?.remove();
  });

  async function accepted(ledger: Ledger, path: string, content: string, folder: string): Promise<number> {
    const { document } = await ledger.admit(admission('', content, { file: seen(path, 1, folder) }));
    const answer = { serviceStatus: 'DONE', response: `{"person":"${content}"}` };
    await send(ledger, document.id, { message: content, transition: { state: 'accepted', ...answer } });
    return document.id;
  }

  async function pathsOf(ledger: Pick<Ledger, 'list'>, filter = {}): Promise<string[]> {
    return (await rowsOf(ledger, filter)).map(({ path }) => path);
  }

  it('shows each folder at the reader’s path, and finds it by that path', async () => {
    await one.admit(admission('', 'a', { file: seen('sub/a.jpg', 1, '/scans') }));
    await one.admit(admission('', 'b', { file: seen('b.jpg', 1, '/mnt/tray'), at: 1_001 }));
    expect(await pathsOf(one)).toEqual(['/scans/sub/a.jpg', '/mnt/tray/b.jpg']);
    expect(await pathsOf(two)).toEqual(['one:/scans/sub/a.jpg', '/tray/b.jpg']);
    expect(await pathsOf(two, { search: 'one:/scans/sub/' })).toEqual(['one:/scans/sub/a.jpg']);
    expect(await pathsOf(two, { search: '/tray/b' })).toEqual(['/tray/b.jpg']);
    expect(await pathsOf(two, { search: '/mnt' })).toEqual([]);
    expect(await pathsOf(two, { folder: 'one:/scans' })).toEqual(['one:/scans/sub/a.jpg']);
    expect(await pathsOf(two, { folder: '/tray' })).toEqual(['/tray/b.jpg']);
    const third = await openPostgresReports({
      target: targetOf(database.url),
      agent: 'three',
      shares: new Map(),
    });
    expect(await pathsOf(third)).toEqual(['one:/scans/sub/a.jpg', 'share:tray/b.jpg']);
    expect((await third.documentCounts()).map(({ folder }) => folder).sort()).toEqual([
      'one:/scans',
      'share:tray',
    ]);
    expect(await third.head()).toBeNull();
    expect(await third.fleet?.agents()).toMatchObject([{ name: 'one', queued: 2 }, { name: 'two' }]);
    await third.close();
    const asTwo = await openPostgresReports({
      target: targetOf(database.url),
      agent: 'two',
      shares: new Map([['/tray', 'tray']]),
    });
    expect(await pathsOf(asTwo)).toEqual(['one:/scans/sub/a.jpg', '/tray/b.jpg']);
    expect(await asTwo.head()).toEqual(await two.head());
    await asTwo.close();
  });

  it('shares pauses of a shared folder and of an endpoint; other holds are each agent’s own', async () => {
    const hold = { message: 'm', since: 5, until: null, demandedUntil: null };
    await one.putHold({ ...hold, scope: 'folder', key: '/mnt/tray', reason: 'PAUSED' });
    await one.putHold({ ...hold, scope: 'endpoint', key: endpointId(OFFICE), reason: 'HTTP_403', since: 6 });
    expect(await two.holds()).toMatchObject([{ scope: 'folder', key: '/tray', reason: 'PAUSED' }]);
    expect(await one.holds()).toMatchObject([{ key: '/mnt/tray' }, { reason: 'HTTP_403' }]);
    expect(await two.documentCounts()).toContainEqual({
      endpoint: OFFICE,
      folder: '/tray',
      state: 'held',
      count: 1,
    });
    await two.clearHold('endpoint', endpointId(OFFICE));
    expect(await one.holds()).toHaveLength(2);
    await two.clearHold('folder', '/tray', 'PAUSED');
    expect(await one.holds()).toMatchObject([{ reason: 'HTTP_403' }]);
    await one.clearHold('endpoint', endpointId(OFFICE));
  });

  it('erases a document in the chain of every agent involved, and keeps all chains intact', async () => {
    // The file was no image at first, so the chain has its path before any document.
    const scan = seen('anna.jpg', 1, '/mnt/tray');
    const note = {
      verdict: 'incomplete',
      reason: 'WHY',
      message: 'm',
      sha256: null,
      policy: 'p',
      at: 900,
    } as const;
    await one.note(scan, note);
    const id = await accepted(one, 'anna.jpg', 'anna', '/mnt/tray');
    await two.admit(admission('', 'anna', { file: seen('copy-of-anna.jpg', 2, '/own') }));
    const kept = await accepted(one, 'bert.jpg', 'bert', '/mnt/tray');
    expect(await two.erase([id, kept + 1_000], 9_000)).toBe(1);
    const lines = await ask<{ personal: string; entry: string }>(
      database.url,
      'SELECT personal, entry FROM chain',
    );
    const said = lines.map(({ personal }) => personal).join('\n');
    expect(said).not.toMatch(/anna/i);
    expect(said).toContain('bert.jpg');
    const { journal, ledger } = await verifyPostgresLedger(targetOf(database.url), 'one', null);
    expect([...journal.findings, ...ledger.findings]).toEqual([]);
    // What it said of the file, and the admission, request, answer and second file.
    expect(journal.erased).toBeGreaterThanOrEqual(4);
    expect(journal.entries).toBe(lines.length);
    expect(journal.head).toEqual(await one.head());
    // Both continue their chains afterwards.
    await accepted(one, 'c.jpg', 'c', '/mnt/tray');
    await accepted(two, 'd.jpg', 'd', '/own');
    const after = await verifyPostgresLedger(targetOf(database.url), 'one', await two.head());
    expect([...after.journal.findings, ...after.ledger.findings]).toEqual([]);
  });

  it('reports at once that it can’t be reached or does not exist yet', async () => {
    const empty = await freshDatabase();
    const as = { agent: 'three', shares: new Map<string, string>() };
    const opened = () => openPostgresReports({ target: targetOf(empty.url), ...as });
    await expect(opened()).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
    await (await openPostgresLedger(agentOptions(empty.url))).close();
    for (const [version, behind, code] of [
      [0, null, 'LEDGER_OLDER'],
      [99, null, 'LEDGER_NEWER'],
      [SCHEMA_VERSION, 7, 'LEDGER_UNREACHABLE'],
    ] as const) {
      await ask(empty.url, 'UPDATE tables SET version = $1, behind = $2', [version, behind]);
      await expect(opened()).rejects.toMatchObject({ code });
    }
    await empty.remove();
    const nowhere = targetOf('postgres://postgres@127.0.0.1:1/ledger');
    await expect(openPostgresReports({ target: nowhere, ...as })).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringContaining('127.0.0.1:1/ledger'),
    });
  });

  it('is not backed up by the agent, because its administrators do that', async () => {
    await expect(one.backup(null)).rejects.toMatchObject({
      code: 'BACKUP_FAILED',
      hint: expect.stringContaining('pg_dump'),
    });
    expect([await one.isInPlace(), await one.check(), await one.lastBackup()]).toEqual([true, null, null]);
  });
});
