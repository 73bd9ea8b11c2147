import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveShared } from '../../../src/wiring/sharedLedger/archive.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { openPostgresLedger } from '../../../src/ledger/postgres/open.ts';
import { verifyPostgresLedger } from '../../../src/ledger/postgres/verify.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { agentOptions, ask, targetOf, UNUSED } from './place.ts';

const MARCH = Date.UTC(2025, 2, 1);

describe.skipIf(!needsPostgres())('archiving the history', () => {
  let database: FreshDatabase;
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'receiptd-archive-'));
    database = await freshDatabase(UNUSED);
    for (const agent of ['one', 'two']) await act(agent, 30);
    // As if they had worked since January.
    for (const month of [1, 2]) {
      const from = `2025-0${month}-01Z`;
      await ask(
        database.url,
        `CREATE TABLE history_2025_0${month} PARTITION OF history FOR VALUES FROM ('${from}') TO ('2025-0${month + 1}-01Z')`,
      );
      await ask(
        database.url,
        `UPDATE history SET recorded_at = '2025-0${month}-15Z' WHERE seq > ${(month - 1) * 10} AND seq <= ${month * 10}`,
      );
    }
  });
  afterEach(async () => {
    await database.remove();
    await rm(dir, { recursive: true, force: true });
  });

  async function act(agent: string, count: number): Promise<void> {
    const ledger = await openPostgresLedger(agentOptions(database.url, agent));
    for (let n = 0; n < count; n += 1)
      await ledger.recordAct({ at: n, kind: 'retry', by: 'ann', detail: `Nr. ${n}` });
    await ledger.close();
  }

  function archive(more: { gzip?: boolean; keep?: boolean; before?: number } = {}) {
    const { gzip = false, keep = false, before = MARCH } = more;
    return archiveShared(targetOf(database.url), { dir, gzip, keep, before });
  }

  it('moves whole months from the database into verifiable journals', async () => {
    expect((await archive({ before: MARCH - 1 })).files.map(({ file }) => file)).toHaveLength(2);
    const { files } = await archive();
    expect(files).toMatchObject([
      { agent: 'one', fromSeq: 11, toSeq: 20 },
      { agent: 'two', fromSeq: 11, toSeq: 20 },
    ]);
    const names = (await readdir(dir)).sort();
    expect(names).toEqual(
      ['one', 'two'].flatMap((agent) => [1, 2].map((month) => `history-${agent}-2025-0${month}.journal`)),
    );
    // The files of one agent, concatenated, are its journal from the beginning.
    const texts = await Promise.all(names.slice(0, 2).map((name) => readFile(join(dir, name), 'utf8')));
    const whole = join(dir, 'whole.journal');
    await writeFile(whole, texts.join(''));
    expect(await verifyJournal(whole)).toMatchObject({ entries: 20, lastSeq: 20, findings: [] });
    const kept = await ask<{ first: number; parts: string }>(
      database.url,
      `SELECT min(seq)::integer AS first, (SELECT string_agg(file, ' ' ORDER BY file) FROM archives) AS parts FROM history`,
    );
    expect(kept).toEqual([{ first: 21, parts: names.join(' ') }]);
    const [head] = await ask<{ hash: string }>(
      database.url,
      `SELECT to_hash AS hash FROM archives a JOIN agents g ON g.id = a.agent_id WHERE g.name = 'one' AND to_seq = 20`,
    );
    const [next] = await ask<{ prev: string }>(
      database.url,
      `SELECT entry::jsonb ->> 'prev' AS prev FROM history h JOIN agents g ON g.id = h.agent_id WHERE g.name = 'one' AND seq = 21`,
    );
    expect(next?.prev).toBe(head?.hash);
    // The agents continue, and the chains are verified from there.
    await act('one', 1);
    const verified = await verifyPostgresLedger(targetOf(database.url), 'one', null);
    expect([...verified.journal.findings, ...verified.ledger.findings]).toEqual([]);
    expect(verified.journal.remarks.join()).toContain(
      'Agent one: Entries 1 to 20 were archived and not verified. The last of their files is history-one-2025-02.journal.',
    );
  });

  it('replaces no file of another ledger, because it may be the only copy', async () => {
    const theirs = join(dir, 'history-one-2025-01.journal');
    await archive({ keep: true });
    const text = await readFile(theirs, 'utf8');
    const foreign = text.replaceAll(/\t[0-9a-f]{64}\t/g, `\t${'0'.repeat(64)}\t`);
    for (const other of [foreign, 'something else']) {
      await writeFile(theirs, other);
      await expect(archive()).rejects.toMatchObject({ code: 'HISTORY_KEPT' });
      expect(await readFile(theirs, 'utf8')).toBe(other);
    }
    expect(await ask(database.url, 'SELECT count(*)::integer AS count FROM history')).toEqual([
      { count: 62 },
    ]);
    // Its own file is replaced, because data may have been erased since it was written.
    await writeFile(theirs, text);
    expect((await archive()).files).toHaveLength(4);
  });

  it('removes nothing from a history that fails verification', async () => {
    await ask(database.url, `UPDATE history SET entry = replace(entry, 'ann', 'bob') WHERE seq = 5`);
    await ask(database.url, `UPDATE history SET personal = replace(personal, 'Nr.', 'No.') WHERE seq = 15`);
    await expect(archive()).rejects.toMatchObject({ code: 'HISTORY_KEPT' });
    expect(await ask(database.url, 'SELECT count(*)::integer AS count FROM history')).toEqual([
      { count: 62 },
    ]);
  });

  it('is refused for a role that does not own the history and for an unwritable directory', async () => {
    const role = `agents_${database.name}`;
    await ask(database.url, `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA receiptd TO ${role}`);
    await ask(database.url, `GRANT SELECT ON ALL TABLES IN SCHEMA receiptd TO ${role}`);
    const target = targetOf(database.url.replace('postgres@', `${role}@`));
    await expect(
      archiveShared(target, { dir, gzip: false, keep: false, before: MARCH }),
    ).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
    await ask(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    const nowhere = join(dir, 'nowhere');
    await expect(
      archiveShared(targetOf(database.url), { dir: nowhere, gzip: false, keep: false, before: MARCH }),
    ).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' });
  });
});
