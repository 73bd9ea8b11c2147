import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { ListRow } from '../../../src/core/ports/ledgerReports.ts';
import { openSqliteLedger } from '../../../src/ledger/adapter/open.ts';
import {
  admission,
  naming,
  note,
  OFFICE,
  REFUSAL,
  rowsOf,
  seen,
  send,
  SHOP,
} from '../../contract/ledger/support.ts';
import { clock, createPlace } from './place.ts';

/** A ledger on disk that tests damage and open again. Makes an empty location before each test. */
export function filesOfEachTest() {
  const place = { dir: '', path: '', journal: '' };
  /** What opening the ledger had to mend. */
  const stories: string[] = [];
  let remove = async (): Promise<void> => {};

  beforeEach(async () => {
    const made = await createPlace();
    const { dir } = made;
    Object.assign(place, { dir, path: made.path, journal: path.join(dir, 'ledger.journal') });
    stories.length = 0;
    remove = () => made.remove();
  });
  afterEach(() => remove());

  const open = (): Promise<Ledger> =>
    openSqliteLedger({ path: place.path, clock, onMended: (story) => void stories.push(story) });

  /** Runs `work` on the ledger and closes it. */
  async function using<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
    const ledger = await open();
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  }

  /** Runs `work` on the ledger and closes it; resolves what `list` shows then. */
  const during = (work: (ledger: Ledger) => Promise<unknown> = async () => {}): Promise<ListRow[]> =>
    using(async (ledger) => {
      await work(ledger);
      return rowsOf(ledger);
    });

  /** Changes the ledger behind its back. */
  function alter(change: (db: DatabaseSyncInstance) => void): void {
    const db = new DatabaseSync(place.path);
    change(db);
    db.close();
  }

  const ledgerFiles = (): string[] => ['', '-wal', '-shm'].map((suffix) => place.path + suffix);

  function removeLedger(): void {
    for (const file of ledgerFiles()) fs.rmSync(file, { force: true });
  }

  return { place, stories, open, using, during, alter, ledgerFiles, removeLedger };
}

/** One of each: an accepted, a failed, a lost and a waiting document, a duplicate, a rejected file, a pause. */
export async function fill(ledger: Ledger): Promise<void> {
  const documents = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const numbered = 'de'.includes(name) && { naming: naming('doc-{seq}', name) };
    documents.push((await ledger.admit(admission(`${name}.jpg`, name, { ...numbered }))).document);
  }
  await ledger.admit(admission('copy-of-a.jpg', 'a'));
  await ledger.admit(admission('shop.jpg', 'a', { endpoint: SHOP }));
  const [a, b, c, d] = documents;
  const response = '{"name":"doc-a"}';
  await send(ledger, a!.id, { transition: { state: 'accepted', serviceStatus: 'PROCESSING', response } });
  await send(ledger, b!.id, REFUSAL);
  await ledger.markLost(c!.id, 'Gone.', 4_000);
  const result = { at: 4_500, baseUrl: OFFICE.baseUrl, uid: null, payload: Buffer.from('{"total":"9.90"}') };
  await ledger.recordResult({ ...result, name: 'doc-b', status: 'READ' });
  await ledger.recordResult({ ...result, name: 'nobody', status: 'READ', payload: Buffer.from([0, 255]) });
  await ledger.postpone(d!.id, 9_000, 'HTTP_503', 'Down.', 4_000);
  await ledger.note(seen('note.txt'), note('rejected', { message: 'No image.', at: 5_000 }));
  await ledger.markWatched('/scans', [seen('old.jpg', 7)], note('skipped', { reason: 'EXISTING', at: 500 }));
  await ledger.gone('/scans', ['copy-of-a.jpg'], 6_000);
  const pause = { scope: 'folder', key: '/scans', reason: 'PAUSED', message: 'ann' } as const;
  await ledger.putHold({ ...pause, since: 6_500, until: null, demandedUntil: null });
  await ledger.recordAct({ at: 6_500, kind: 'pause', by: 'ann', detail: '/scans' });
  await ledger.recordEndpoint(OFFICE, 'Office', '{"uid":"office"}', 100);
}

export function withoutTimes(rows: readonly ListRow[]): unknown[] {
  return rows.map((row) => ({ ...row, updatedAt: null }));
}
