import { describe, expect, it } from 'vitest';
import { admission, ledgerOfEachTest, type LedgerPlace, seen } from './support.ts';
import { describeIntake } from './intake.ts';
import { describeAdmit } from './admit.ts';
import { describePages } from './pages.ts';
import { describeQueue } from './queue.ts';
import { describeAttempts } from './attempts.ts';
import { describeDisposals } from './disposals.ts';
import { describeResults } from './results.ts';
import { describeHolds } from './holds.ts';
import { describeAdmin } from './admin.ts';
import { describeLists } from './lists.ts';
import { describeReports } from './reports.ts';
import { begin } from '../../support/uploads.ts';

/** The contract of every ledger implementation, a file for each role of the port. `create` makes an empty location. */
export function describeLedgerContract(name: string, create: () => Promise<LedgerPlace>): void {
  describe(`${name} keeps the ledger's contract`, () => {
    const use = ledgerOfEachTest(create);
    const { ledger, reopen, rows } = use;
    describeIntake(use);
    describeAdmit(use);
    describePages(use);
    describeQueue(use);
    describeAttempts(use);
    describeDisposals(use);
    describeResults(use);
    describeHolds(use);
    describeAdmin(use);
    describeLists(use);
    describeReports(use);

    it('rejects only the faulty operation of a group', async () => {
      const results = await Promise.allSettled([
        ledger.admit(admission('a', 'a')),
        ledger.admit(admission('b', 'b', { naming: [] })),
        begin(ledger, 999, 1, 1),
        ledger.admit(admission('c', 'c')),
      ]);
      expect(results.map((result) => result.status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ]);
      expect((await rows()).map((row) => row.name)).toEqual(['doc-a', 'doc-c']);
      expect(await ledger.known(seen('b'))).toBeNull();
    });

    it('commits queued operations before it closes, and refuses later ones', async () => {
      const admitted = Promise.all(
        Array.from({ length: 300 }, (_, n) => ledger.admit(admission(`f${n}`, `${n}`))),
      );
      await reopen(async () => {
        expect(await admitted).toHaveLength(300);
        const closed = { code: 'LEDGER_WRITE_FAILED' };
        await expect(ledger.admit(admission('late', 'late'))).rejects.toMatchObject(closed);
        await expect(ledger.find('x')).rejects.toMatchObject(closed);
      });
      expect(await rows()).toHaveLength(300);
    });
  });
}
