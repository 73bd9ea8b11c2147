import { DatabaseSync } from '@photostructure/sqlite';
import * as fc from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { MISCOUNTED } from '../../../src/ledger/sqlite/sql/reports.ts';
import {
  ACCEPTED,
  admission,
  ended,
  FAILED,
  hashOf,
  later,
  OFFICE,
  rowsOf,
  seen,
} from '../../contract/ledger/support.ts';
import { filesOfEachTest, fill, withoutTimes } from './ledgerFiles.ts';
import { createPlace } from './place.ts';

const { place, during, alter } = filesOfEachTest();

describe('comparing ledger and journal', () => {
  async function findings(): Promise<readonly string[]> {
    return (await compareWithJournal(place.path, place.journal, 9_000)).findings;
  }

  it('finds no difference in an untouched ledger, even while it is being written', async () => {
    await during(async (ledger) => {
      await fill(ledger);
      expect(await findings()).toEqual([]);
    });
    expect(await findings()).toEqual([]);
    expect(fs.readdirSync(place.dir).filter((name) => name.startsWith('.verify'))).toEqual([]);
  });

  // On Windows, the damaged copy stays open until it is collected, and the test's directory can't be removed.
  it.skipIf(process.platform === 'win32')(
    'reports damage in one line, under the name of the ledger',
    async () => {
      await during(fill);
      const bytes = fs.readFileSync(place.path);
      for (let page = 4096; page < bytes.length; page += 4096) bytes.fill(0xff, page, page + 64);
      fs.writeFileSync(place.path, bytes);
      await expect(findings()).rejects.toMatchObject({
        code: 'LEDGER_DAMAGED',
        message: expect.stringMatching(/^The ledger \S+ledger\.db is damaged: [^*\n]+\.$/),
      });
    },
  );

  it.each([
    [
      "UPDATE documents SET state = 'accepted' WHERE name = 'doc-b'",
      'Document 2 in the ledger does not match the journal.',
    ],
    ['DELETE FROM attempts WHERE id = 2', 'Upload request 2 is in the journal but missing from the ledger.'],
    [
      "UPDATE sightings SET verdict = 'skipped' WHERE verdict = 'rejected'",
      'in the ledger does not match the journal.',
    ],
    [
      "INSERT INTO acts VALUES (99, 1, 'retry', 'eve', '')",
      'Act 99 is in the ledger but not in the journal.',
    ],
  ])('finds %s', async (change, finding) => {
    await during(fill);
    alter((db) => db.exec(change));
    expect(await findings()).toEqual([expect.stringContaining(finding)]);
  });
});

describe('after any sequence of operations', () => {
  it('the journal matches the ledger', async () => {
    const contents = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({
        do: fc.constant('admit' as const),
        path: fc.constantFrom('1', '2', 'x/3'),
        content: contents,
      }),
      fc.record({
        do: fc.constant('send' as const),
        how: fc.constantFrom('accepted', 'failed', 'queued', 'open'),
      }),
      fc.record({ do: fc.constant('gone' as const), path: fc.constantFrom('1', '2', 'x/3') }),
      fc.record({ do: fc.constantFrom('retry', 'recover', 'lost', 'resend', 'erase', 'dispose') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const own = await createPlace();
        try {
          const ledger = await own.open();
          let at = 1_000;
          for (const each of steps) await take(ledger, each, (at += 10)).catch(refusedOnly);
          const rows = await rowsOf(ledger);
          await ledger.close();
          expectCounted(own.path);
          const journal = path.join(own.dir, 'ledger.journal');
          expect((await verifyJournal(journal)).findings).toEqual([]);
          expect((await compareWithJournal(own.path, journal, 1)).findings).toEqual([]);
          fs.rmSync(own.path);
          const again = await own.open();
          expect(withoutTimes(await rowsOf(again))).toEqual(withoutTimes(rows));
          await again.close();
          expectCounted(own.path);
        } finally {
          await own.remove();
        }
      }),
      { numRuns: 15 },
    );
  });
});

function expectCounted(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare(MISCOUNTED).all()).toEqual([]);
  db.close();
}

type Step = { do: string; path?: string; content?: string; how?: string };

/** A step that does not fit the current state is refused and changes nothing. */
function refusedOnly(error: unknown): void {
  expect(error).toMatchObject({ code: expect.stringMatching(/^DOCUMENT_/) });
}

async function take(
  ledger: Ledger,
  { do: what, path: at = '1', content = 'a', how }: Step,
  now: number,
): Promise<void> {
  const documents = await Promise.all(
    ['a', 'b', 'c', 'd'].map((each) => ledger.bySha256(OFFICE, hashOf(each))),
  );
  const some = documents.filter((document) => document !== null);
  const one = some[now % Math.max(1, some.length)];
  switch (what) {
    case 'admit':
      const file = seen(at, now);
      // The same bytes have the same size, whatever else changed about the file.
      await ledger.admit(
        admission(at, content, { at: now, file: { ...file, identity: { ...file.identity, size: 100 } } }),
      );
      return;
    case 'gone':
      await ledger.gone('/scans', [at], now);
      return;
    case 'recover':
      await ledger.recover(now);
      return;
    case 'retry':
      await ledger.retry(await ledger.retriable(0, 1_000, now), now);
      return;
    case 'dispose': {
      const first = { afterSightingId: 0, limit: 1, stays: 0, statuses: null };
      const [disposal] = await ledger.toDispose('/scans', first);
      if (!disposal) return;
      await ledger.disposing(disposal.sightingId, 'archived', now);
      await ledger.disposed(disposal.sightingId, 'archived', '/archive/1', now);
      return;
    }
    case 'lost':
      if (one) await ledger.markLost(one.id, 'Gone.', now);
      return;
    case 'resend':
      if (one) await ledger.resend(one.id, now);
      return;
    case 'erase':
      if (one) await ledger.erase([one.id], now);
      return;
    case 'send': {
      if (!one) return;
      const attempt = await ledger.begin(one.id, now, 10);
      const requeue = { documentIds: [one.id], reason: 'MANY_REFUSALS', message: 'Many.' };
      const lost = later(0, { answerLost: true, serverError: true });
      if (how === 'accepted') await ledger.finish(attempt, ended('accepted', ACCEPTED, now));
      else if (how === 'failed') await ledger.finish(attempt, ended('refused', FAILED, now), requeue);
      else if (how === 'queued') await ledger.finish(attempt, ended('unknown', lost, now));
    }
  }
}
