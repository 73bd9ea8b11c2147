import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lane } from '../../../src/core/domain/document.ts';
import * as DISPOSALS from '../../../src/ledger/sqlite/sql/disposals.ts';
import {
  DOCUMENT_BY_BYTES,
  DOCUMENT_BY_ID,
  DOCUMENTS_BY_NAME,
} from '../../../src/ledger/sqlite/sql/documents.ts';
import { NEXT_NUMBERS } from '../../../src/ledger/sqlite/sql/endpoints.ts';
import * as PAGES from '../../../src/ledger/sqlite/sql/pages.ts';
import * as QUEUE from '../../../src/ledger/sqlite/sql/queue.ts';
import * as LISTS from '../../../src/ledger/sqlite/sql/list.ts';
import * as REPORTS from '../../../src/ledger/sqlite/sql/reports.ts';
import * as SIGHTINGS from '../../../src/ledger/sqlite/sql/sightings.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { admission, OFFICE, seen } from '../../contract/ledger/support.ts';
import { createPlace } from './place.ts';

const BACKLOG = 20_000;

/** First the documents of /big, then those of /small; every tenth document of /big is due at 50,000 only. */
const FILL = `
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${BACKLOG})
INSERT INTO documents (endpoint_id, folder_id, path, name, sha256, type, size, lane, line, not_before, created_at,
                       updated_at)
SELECT e.id, (SELECT id FROM folders WHERE path = CASE WHEN i <= 19000 THEN '/big' ELSE '/small' END),
       'p' || i, 'n' || i, printf('%064d', i), 'jpeg', 1, 'backlog', 1000 + i,
       CASE WHEN i <= 19000 AND i % 10 = 0 THEN 50000 ELSE 0 END, 1000 + i, 1000 + i
  FROM n, endpoints e;
INSERT INTO sightings (folder_id, dir, name, size, mtime_ns, ctime_ns, inode, verdict, document_id, sha256, seen_at,
                       updated_at)
SELECT folder_id, 'd' || (id % 100), path, 1, 1, 1, 1, 'document', id, sha256, created_at, created_at FROM documents
 WHERE lane = 'backlog';`;

describe('a backlog of 20,000 documents', () => {
  let place: Awaited<ReturnType<typeof createPlace>>;
  let ledger: Ledger;
  let db: DatabaseSyncInstance;

  beforeAll(async () => {
    place = await createPlace();
    ledger = await place.open();
    await ledger.admit(admission('', 'b', { file: seen('first', 1, '/big') }));
    await ledger.admit(admission('', 's', { file: seen('first', 1, '/small') }));
    db = new DatabaseSync(place.path);
    db.exec(`BEGIN; ${FILL} COMMIT;`);
  });
  afterAll(async () => {
    db.close();
    await ledger.close();
    await place.remove();
  });

  async function claim(limit: number, now: number, lane: Lane = 'backlog'): Promise<string[]> {
    const documents = await ledger.claim({
      endpoint: OFFICE,
      lane,
      limit,
      now,
      exceptFolders: [],
      freshSince: 0,
      longestWaitMs: 3_600_000,
    });
    return documents.map((document) => document.name);
  }

  it('is claimed from its head, folder by folder in turn, and apart from fresh scans', async () => {
    expect(await claim(6, 1)).toEqual(['n1', 'n19001', 'n2', 'n19002', 'n3', 'n19003']);
    expect(await claim(4, 1)).toEqual(['n4', 'n19004', 'n5', 'n19005']);
    expect(await claim(10, 1, 'fresh')).toEqual(['doc-b', 'doc-s']);
  });

  it('skips documents that are not due, and claims them in order of arrival once they are', async () => {
    const before = await claim(12, 49_999);
    expect(before.filter((name) => name.startsWith('n190'))).toHaveLength(6);
    expect(before).toContain('n9');
    expect(before).not.toContain('n10');
    expect(await ledger.nextDue(OFFICE, 1)).toBe(50_000);
    expect((await claim(4, 50_000)).slice(0, 1)).toEqual(['n10']);
  });

  it('is counted and listed completely', async () => {
    const counts = await ledger.counts();
    expect(counts.map(({ folder, count }) => [folder, count])).toEqual([
      ['/big', 19_001],
      ['/small', 1_001],
    ]);
    let rows = 0;
    for await (const row of ledger.list({ folder: '/small' })) rows += row.state === 'queued' ? 1 : 0;
    expect(rows).toBe(1_001);
  });

  const queries: [string, string][] = [
    ['the folders that have due documents', QUEUE.NEXT_DUE_FOLDER],
    ['the due documents of a folder', QUEUE.DUE_IN_FOLDER],
    ['what has fallen due', QUEUE.FALLEN_DUE],
    ['making one due', QUEUE.MAKE_DUE],
    ['the next due time', QUEUE.NEXT_DUE_TIME],
    ['what was interrupted', QUEUE.UPLOADING],
    ['an open attempt', QUEUE.DOCUMENT_STANDING],
    ['whose attempt it is, and whether results came', QUEUE.OPEN_ATTEMPT],
    ['the next numbers in an endpoint', NEXT_NUMBERS],
    ['attempt times', QUEUE.ATTEMPT_TIMES],
    ['the number of attempts', QUEUE.COUNT_ATTEMPTS],
    ['uploads of a time', REPORTS.UPLOADS],
    ['how many of them were accepted', REPORTS.COUNT_ACCEPTED],
    ['a document by id', DOCUMENT_BY_ID],
    ['a document by its bytes', DOCUMENT_BY_BYTES],
    ['documents by name', DOCUMENTS_BY_NAME],
    ['the current sighting at a path', SIGHTINGS.CURRENT_SIGHTING],
    ['the current files of a directory', SIGHTINGS.CURRENT_IN_DIRECTORY],
    ['the names of a directory', SIGHTINGS.CURRENT_NAMES],
    ["a document's own sighting", SIGHTINGS.OWN_SIGHTING],
    ['sources', DISPOSALS.SOURCES],
    ['what is to be disposed of', DISPOSALS.ORIGINALS.DISPOSABLE],
    ['files of pages that are to be disposed of', DISPOSALS.ORIGINALS.DISPOSABLE_SPLIT],
    ['the first file of a folder', DISPOSALS.ORIGINALS.FIRST_SEEN],
    ['its first file of pages', DISPOSALS.ORIGINALS.FIRST_SPLIT_SEEN],
    ['what was accepted and stays', DISPOSALS.ORIGINALS.STAYING_ORIGINALS],
    ['files of pages that were accepted and stay', DISPOSALS.ORIGINALS.STAYING_SPLIT_ORIGINALS],
    ['what is being taken apart', PAGES.OPEN_SPLITS],
    ['the pages of a file', PAGES.PAGES],
    ['one of them', PAGES.PAGE],
    ['the pages of files with the same bytes', PAGES.PAGES_OF_BYTES],
    ['whose bytes are wanted', QUEUE.WANTED_FILES],
    ['a file that is gone', SIGHTINGS.GONE],
    ['where a window of documents ends', LISTS.DOCUMENTS.oldest.windowEnd],
    ['where one ends, newest first', LISTS.DOCUMENTS.newest.windowEnd],
    ['where a window of unsettled documents ends', LISTS.UNSETTLED_DOCUMENTS.oldest.windowEnd],
    ['where one of these ends, newest first', LISTS.UNSETTLED_DOCUMENTS.newest.windowEnd],
    ['where a window of other files ends', LISTS.SIGHTINGS.oldest.windowEnd],
    ['where one of these ends, newest first ', LISTS.SIGHTINGS.newest.windowEnd],
  ];

  function plan(sql: string): string[] {
    const names = new Set([...sql.matchAll(/:(\w+)/g)].map((found) => found[1]!));
    const params = Object.fromEntries([...names].map((name) => [name, 1]));
    const steps: { detail: string }[] = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(params);
    return steps.map((step) => step.detail);
  }

  it.each(queries)('needs only an index for %s, without scanning or sorting', (_what, sql) => {
    const steps = plan(sql);
    expect(steps.length).toBeGreaterThan(0);
    // `endpoints` (a handful of rows) may be scanned to find a name in each, and so may the caller's own list.
    expect(steps.filter((step) => /^SCAN (?!ne\b|e\b|wanted\b)|TEMP B-TREE/.test(step))).toEqual([]);
  });

  it('is counted without reading any document', () => {
    expect(plan(REPORTS.COUNT_DOCUMENTS).join()).not.toMatch(/\bdocuments\b|TEMP B-TREE/);
  });

  it('is searched for unsettled documents through an index of these alone', () => {
    const { oldest, newest } = LISTS.UNSETTLED_DOCUMENTS;
    const [all, found] = [
      { needles: 0, values: 0, spanMs: 900_000 },
      { needles: 2, values: 1, spanMs: 3_600_000 },
    ];
    db.function('fold', (text: unknown) => text);
    const texts = [oldest, newest].flatMap(({ windowEnd, rows, tally }) => [
      windowEnd,
      ...[all, found].flatMap((wanted) => [rows(wanted), tally(wanted)]),
    ]);
    for (const sql of texts)
      expect(plan(sql).join()).toMatch(/SEARCH d USING (COVERING )?INDEX documents_unsettled/);
  });

  it('is walked through the index of due documents, which contains nothing else', () => {
    expect(plan(QUEUE.DUE_IN_FOLDER)).toEqual([
      'SEARCH documents USING COVERING INDEX documents_due (endpoint_id=? AND lane=? AND folder_id=?)',
    ]);
    expect(plan(QUEUE.FALLEN_DUE).join()).toContain('INDEX documents_waiting');
  });
});
