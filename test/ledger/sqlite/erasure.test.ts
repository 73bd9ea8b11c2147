import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pagePath } from '../../../src/core/domain/pages.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { Split } from '../../../src/core/ports/ledgerPages.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { admission, hashOf, OFFICE, seen, send } from '../../contract/ledger/support.ts';
import { createPlace } from './place.ts';

/** A file whose only page is lost. */
async function erasePages(ledger: Ledger): Promise<void> {
  const file = seen('schmidt.pdf');
  const plan = { endpoint: OFFICE, file, sha256: hashOf('pdf'), at: 4_000 };
  const split = (await ledger.beginSplit(plan)) as Split;
  const page = { file: { ...file, path: pagePath(file.path, 1) }, page: { split: split.id, page: 1 } };
  const { document } = await ledger.admit(admission('page', 'page', page));
  await ledger.endSplit(split, { at: 4_000, pages: 1, reason: null, message: null, policy: null });
  await ledger.markLost(document.id, 'Gone.', 4_000);
  expect(await ledger.erase([document.id], 6_000)).toBe(1);
}

it('an erasure removes personal data from every file, also what is recorded in the same moment, and keeps the chain verifiable', async () => {
  const place = await createPlace();
  try {
    const ledger = await place.open();
    const { document } = await ledger.admit(admission('dr-schmidt-invoice.jpg', 'a'));
    await ledger.admit(admission('copy/dr-schmidt-copy.jpg', 'a'));
    await ledger.admit(admission('other.jpg', 'other'));
    const response = '{"patient":"Schmidt"}';
    const transition = { state: 'accepted', serviceStatus: 'DONE', response } as const;
    await send(ledger, document.id, { transition });
    expect(await ledger.erasable(5_000)).toEqual([document.id]);
    const result = { at: 4_000, baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name: document.name, status: null };
    const [, erased] = await Promise.all([
      ledger.recordResult({ ...result, payload: Buffer.from('{"for":"Dr. Schmidt"}') }),
      ledger.erase([document.id, 2, 777], 6_000),
    ]);
    expect(erased).toBe(1);
    expect(await ledger.erasable(5_000)).toEqual([]);
    await erasePages(ledger);
    for (const file of fs.readdirSync(place.dir)) {
      const text = fs.readFileSync(path.join(place.dir, file), 'latin1').toLowerCase();
      expect([file, text.includes('schmidt')]).toEqual([file, false]);
      expect(text.includes('doc-a') || !file.endsWith('journal')).toBe(true);
    }
    expect(await ledger.detail(document.id)).toMatchObject({
      document: { name: 'doc-a', sha256: hashOf('a'), state: 'accepted', path: '' },
      response: null,
    });
    await ledger.close();
    const journal = path.join(place.dir, 'ledger.journal');
    expect(await verifyJournal(journal)).toMatchObject({ findings: [] });
    expect((await compareWithJournal(place.path, journal)).findings).toEqual([]);
  } finally {
    await place.remove();
  }
});
