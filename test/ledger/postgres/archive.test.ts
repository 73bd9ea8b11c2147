import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { archiveShared } from '../../../src/wiring/sharedLedger/archive.ts';
import { CHAIN } from '../../../src/ledger/entries.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import type { Member } from '../../../src/ledger/fleet/member.ts';
import { verifyPostgresLedger } from '../../../src/ledger/fleet/verify.ts';
import type { AdmitItem } from '../../../src/core/messages.ts';
import type { LedgerCore } from '../../../src/ledger/ledger.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { freshDatabase, needsPostgres, type FreshDatabase, type Template } from '../../support/postgres.ts';
import { ask, openPostgres } from '../support/agents.ts';
import { sha } from '../support/history.ts';
import { connected, prepared, removeWithRole, targetOf } from './place.ts';

const JANUARY = Date.UTC(2025, 0, 15);
const FEBRUARY = Date.UTC(2025, 1, 15);
const MARCH = Date.UTC(2025, 2, 1);
const APRIL = Date.UTC(2025, 3, 1);

/** Two agents, each with months of scans that were sent; made once and copied for each test. */
const MONTHS: Template = {
  name: `months_of_two_agents_${process.pid}`,
  async fill(url) {
    const agents: [string, Member][] = [];
    const client = await connected(url);
    for (const name of ['one', 'two']) {
      const agent = await openPostgres(url, name);
      agents.push([name, agent]);
      // A chain begins when its agent joins: as if it had joined in January.
      await client.query('DELETE FROM chain WHERE agent = $1', [agent.session.agent]);
      const { rows } = await client.query<{ ledger: string }>(
        `UPDATE agents SET seq = 0, hash = repeat('0', 64) WHERE name = $1 RETURNING ledger`,
        [name],
      );
      const { engine } = agent.core;
      await engine.begin();
      const entry = { kind: 'begun', ledger: rows[0]?.ledger ?? '', because: 'joined' } as const;
      await engine.record([{ entry, at: JANUARY - 1 }]);
      await engine.commit();
    }
    for (const [count, at] of [
      [3, JANUARY],
      [4, FEBRUARY],
      [2, MARCH],
    ] as const)
      for (const [name, { core }] of agents) await scan(core, name, count, at);
    for (const [, agent] of agents) await agent.close();
    await client.end();
  },
};

let made = 0;
/** Each is sent, which the service confirms. */
async function scan(core: LedgerCore, agent: string, count: number, at: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    made += 1;
    const image: AdmitItem = {
      folder: { owner: `agent:${agent}`, path: '/scans' },
      path: `${made}.jpg`,
      size: 1,
      identity: '1',
      at,
      endpoint: { baseUrl: 'https://service.example', uid: 'office' },
      sha256: sha(`image ${made}`),
      type: 'jpeg',
      priority: 0,
      naming: [`R-${made}`],
    };
    const [[admitted]] = await core.run([['admit', [image]]]);
    const { document } = admitted as { document: number };
    const [[begun]] = await core.run([['begin', [{ document, bytes: 1, at }]]]);
    const { attempt } = begun as { attempt: number };
    const next = { state: 'accepted', status: 'NEW', response: '{}' } as const;
    await core.run([
      ['end', [{ attempt, document, outcome: 'accepted', http: 201, message: null, next, at }]],
    ]);
  }
}

describe.skipIf(!needsPostgres())('archiving the history', () => {
  let database: FreshDatabase;
  let dir: string;
  const open: Member[] = [];

  beforeEach(async () => {
    dir = await mkdtemp(join(memoryDirectory(), 'receiptd-archive-'));
    database = await freshDatabase(MONTHS);
  });
  afterEach(async () => {
    for (const agent of open.splice(0)) await agent.close();
    await removeWithRole(database);
    await rm(dir, { recursive: true, force: true });
  });

  async function start(name: string): Promise<LedgerCore> {
    const agent = await openPostgres(database.url, name);
    open.push(agent);
    return agent.core;
  }

  function archive(more: { gzip?: boolean; keep?: boolean; before?: number } = {}) {
    const { gzip = false, keep = false, before = MARCH } = more;
    return archiveShared(targetOf(database.url), { dir, gzip, keep, before });
  }

  const verify = () => verifyPostgresLedger(targetOf(database.url), 'one', null);
  const lines = async () =>
    (await ask<{ n: number }>(database.url, 'SELECT count(*)::int AS n FROM chain'))[0]?.n;

  it('moves whole months from the database into verifiable journals, and leaves a ledger that is verified and used from there', async () => {
    const before = await lines();
    expect((await archive({ before: MARCH - 1 })).files.map(({ agent }) => agent)).toEqual(['one', 'two']);
    const { files } = await archive();
    // Begun, an endpoint and a folder, then three entries for each document.
    expect(files).toMatchObject([
      { agent: 'one', fromSeq: 13, toSeq: 24 },
      { agent: 'two', toSeq: (files[1]?.fromSeq ?? 0) + 11 },
    ]);
    expect((await archive()).files).toEqual([]);
    const names = (await readdir(dir)).sort();
    expect(names).toEqual(
      ['one', 'two'].flatMap((agent) => [1, 2].map((month) => `history-${agent}-2025-0${month}.journal`)),
    );
    // The files of one agent, concatenated, are its journal from the beginning.
    const texts = await Promise.all(names.slice(0, 2).map((name) => readFile(join(dir, name), 'utf8')));
    const whole = join(dir, 'whole.journal');
    await writeFile(whole, texts.join(''));
    expect(await verifyJournal(whole)).toMatchObject({ entries: 24, lastSeq: 24, findings: [] });
    expect(await lines()).toBe((before ?? 0) - 24 - (files[1]?.toSeq ?? 0));
    const noted = await ask(
      database.url,
      `SELECT g.name, a.to_seq::int AS "toSeq", a.file FROM archives a JOIN agents g ON g.id = a.agent ORDER BY 3`,
    );
    expect(noted).toMatchObject([
      { name: 'one', toSeq: 12, file: names[0] },
      { name: 'one', toSeq: 24, file: names[1] },
      { name: 'two', file: names[2] },
      { name: 'two', file: names[3] },
    ]);

    // Agents go on, and the ledger is verified from there.
    const [one, two] = [await start('one'), await start('two')];
    await scan(one, 'one', 2, APRIL);
    const { journal, ledger } = await verify();
    expect([...journal.findings, ...ledger.findings]).toEqual([]);
    expect(ledger).toMatchObject({ documents: 20, compared: 6 });
    expect(journal.remarks).toContainEqual({
      is: 'ofAgent',
      agent: 'one',
      finding: { is: 'archivedBefore', seq: 24, file: 'history-one-2025-02.journal' },
    });
    // A head that was kept where the archive ends is confirmed.
    const [end] = await ask<{ seq: number; hash: string }>(
      database.url,
      `SELECT to_seq::int AS seq, to_hash AS hash FROM archives a JOIN agents g ON g.id = a.agent WHERE g.name = 'one' ORDER BY to_seq DESC LIMIT 1`,
    );
    const kept = await verifyPostgresLedger(targetOf(database.url), 'one', end ?? null);
    expect(kept.journal.findings).toEqual([]);

    // Rows whose entries are here are compared, those before them are not.
    const [old] = await ask<{ id: string }>(database.url, 'SELECT min(id) AS id FROM documents');
    const [young] = await ask<{ id: string }>(
      database.url,
      'SELECT max(id) AS id FROM documents WHERE id < $1',
      [CHAIN * 2],
    );
    // What entries of the months that remain change in older rows is kept.
    await two.run([['move', [{ documents: [Number(old?.id)], move: 'resend', at: APRIL }]]]);
    const after = await verify();
    expect([...after.journal.findings, ...after.ledger.findings]).toEqual([]);
    await ask(database.url, `UPDATE documents SET size = 2 WHERE id IN ($1, $2)`, [old?.id, young?.id]);
    expect((await verify()).ledger.findings).toEqual([
      { is: 'rowDiffers', table: 'documents', id: Number(young?.id) },
    ]);

    // Nothing makes the tables anew from what remains.
    const refused = { code: 'LEDGER_REFUSED', message: expect.stringContaining('was archived') as string };
    for (const change of ['version = 0', 'version = 1, behind = 0']) {
      await ask(database.url, `UPDATE tables SET ${change}`);
      await expect(openPostgres(database.url, 'three')).rejects.toMatchObject(refused);
    }
    expect(await ask(database.url, 'SELECT count(*)::int AS n FROM documents')).toEqual([{ n: 20 }]);
  });

  it('is verified if an agent joined late, with images that are older', async () => {
    const three = await start('three');
    await scan(three, 'three', 2, JANUARY);
    await scan(three, 'three', 2, APRIL);
    const newest = await archive();
    expect(newest.files.map(({ agent }) => agent)).toEqual(['one', 'two', 'one', 'two']);
    const { journal, ledger } = await verify();
    expect([...journal.findings, ...ledger.findings]).toEqual([]);
  });

  it('leaves the last entry of each agent, and what follows a time in the future', async () => {
    const [one, two] = [await start('one'), await start('two')];
    await two.run([
      ['record', [{ record: 'act', act: 'retry', by: 'ann', detail: 'x', at: Date.UTC(2099, 0, 1) }]],
    ]);
    await scan(two, 'two', 1, MARCH);
    const { files } = await archive({ before: Date.UTC(2026, 0, 1) });
    expect(files.map(({ file }) => file.slice(dir.length + 1)).sort()).toEqual(
      ['one', 'two'].flatMap((agent) => [1, 2, 3].map((month) => `history-${agent}-2025-0${month}.journal`)),
    );
    const left = await ask(
      database.url,
      'SELECT g.name, count(*)::int AS n FROM chain c JOIN agents g ON g.id = c.agent GROUP BY 1 ORDER BY 1',
    );
    expect(left).toEqual([
      { name: 'one', n: 1 },
      { name: 'two', n: 4 },
    ]);
    // Entries that come later with an older time belong to the month after.
    await scan(one, 'one', 1, MARCH);
    const later = await archive({ before: Date.UTC(2026, 0, 1) });
    expect(later.files.map(({ file }) => file.slice(dir.length + 1))).toEqual([
      'history-one-2025-04.journal',
    ]);
    const { journal, ledger } = await verify();
    expect([...journal.findings, ...ledger.findings]).toEqual([]);
  });

  it('takes nothing out if something is erased meanwhile', async () => {
    const [document] = await ask<{ id: number }>(database.url, 'SELECT min(id)::float8 AS id FROM documents');
    const holder = await connected(database.url);
    await holder.query('SELECT pg_advisory_lock(7267339)');
    const archived = archive();
    archived.catch(() => {});
    await vi.waitFor(async () => {
      const waits = await holder.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(waits.rowCount).toBe(1);
    });
    await (await start('one')).run([['erase', [{ documents: [document?.id ?? 0], at: APRIL }]]]);
    const before = await lines();
    await holder.query('SELECT pg_advisory_unlock(7267339)');
    await holder.end();
    await expect(archived).rejects.toMatchObject({
      code: 'HISTORY_KEPT',
      message: expect.stringContaining('2025-01') as string,
    });
    expect(await lines()).toBe(before);
    expect(await ask(database.url, 'SELECT FROM archives')).toEqual([]);
    expect((await archive()).files).toHaveLength(4);
  });

  it('replaces no file of another ledger, because it may be the only copy', async () => {
    const theirs = join(dir, 'history-one-2025-01.journal');
    await archive({ keep: true });
    const before = await lines();
    const text = await readFile(theirs, 'utf8');
    const foreign = text.replaceAll(/\t[0-9a-f]{64}\t/g, `\t${'0'.repeat(64)}\t`);
    for (const other of [foreign, 'something else']) {
      await writeFile(theirs, other);
      await expect(archive()).rejects.toMatchObject({ code: 'HISTORY_KEPT' });
      expect(await readFile(theirs, 'utf8')).toBe(other);
    }
    expect(await lines()).toBe(before);
    // Its own file is replaced, because data may have been erased since it was written.
    await writeFile(theirs, text);
    expect((await archive()).files).toHaveLength(4);
  });

  it('removes nothing from a history that fails verification', async () => {
    const before = await lines();
    for (const change of [
      `entry = replace(entry, '"size":1', '"size":2') WHERE entry LIKE '%"kind":"admitted"%'`,
      `personal = replace(personal, 'jpg', 'png')`,
    ]) {
      await ask(database.url, `UPDATE chain SET ${change}`);
      await expect(archive()).rejects.toMatchObject({ code: 'HISTORY_KEPT' });
      expect(await lines()).toBe(before);
      await ask(database.url, `UPDATE chain SET entry = replace(entry, '"size":2', '"size":1')`);
    }
  });

  it('is refused for a role that does not own the history and for an unwritable directory', async () => {
    const target = targetOf(await prepared(database));
    await expect(
      archiveShared(target, { dir, gzip: false, keep: false, before: MARCH }),
    ).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
    const nowhere = join(dir, 'nowhere');
    await expect(
      archiveShared(targetOf(database.url), { dir: nowhere, gzip: false, keep: false, before: MARCH }),
    ).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' });
  });
});
