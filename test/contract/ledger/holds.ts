import { describe, expect, it } from 'vitest';
import { credentialsKey } from '../../../src/core/domain/account.ts';
import { endpointId } from '../../../src/core/domain/document.ts';
import { EVERYTHING } from '../../../src/core/domain/hold.ts';
import { ACCEPTED, hold, type LedgerUse, OFFICE, seen, SHOP } from './support.ts';

export function describeHolds({ ledger, reopen, queued, upload, rows }: LedgerUse): void {
  describe('holds', () => {
    it('coexist as pause and other hold, are replaced within a kind, and are cleared separately', async () => {
      await ledger.putHold(hold());
      await ledger.putHold(hold({ reason: 'PAUSED', since: 2_000 }));
      await ledger.putHold(hold({ reason: 'HTTP_404', since: 3_000, until: 9_000 }));
      await reopen();
      expect(await ledger.holds()).toEqual([
        hold({ reason: 'PAUSED', since: 2_000 }),
        hold({ reason: 'HTTP_404', since: 3_000, until: 9_000 }),
      ]);
      await ledger.clearHold('endpoint', endpointId(OFFICE), 'HTTP_403');
      expect(await ledger.holds()).toHaveLength(2);
      await ledger.clearHold('endpoint', endpointId(OFFICE));
      await ledger.clearHold('endpoint', endpointId(OFFICE));
      expect(await ledger.holds()).toMatchObject([{ reason: 'PAUSED' }]);
      await ledger.clearHold('endpoint', endpointId(OFFICE), 'PAUSED');
      expect(await ledger.holds()).toEqual([]);
    });

    it('of every scope are shown with their reason for the documents that wait', async () => {
      await queued('a', 'a');
      const accepted = await queued('b', 'b');
      await upload(accepted.id, ACCEPTED);
      for (const [scope, key, shown] of [
        ['endpoint', endpointId(OFFICE), 'held'],
        ['folder', '/scans', 'held'],
        ['credentials', OFFICE.baseUrl, 'held'],
        ['service', OFFICE.baseUrl, 'queued'],
      ] as const) {
        await ledger.putHold(hold({ scope, key }));
        expect([scope, await rows()]).toMatchObject([
          scope,
          [
            { state: shown, reason: 'HTTP_403', message: 'Not allowed.' },
            { state: 'accepted', reason: null },
          ],
        ]);
        expect(await rows({ states: [shown] })).toHaveLength(1);
        const office = { endpoint: OFFICE, folder: '/scans', count: 1 };
        expect(await ledger.counts()).toContainEqual({ ...office, state: shown });
        await ledger.clearHold(scope, key);
        expect(await rows({ states: ['held'] })).toEqual([]);
      }
    });

    it('show only documents waiting for the account whose credentials are on hold', async () => {
      await queued('a', 'a');
      await queued('b', 'b', { endpoint: SHOP, file: seen('b', 1, '/other') });
      const states = async () =>
        Object.fromEntries((await rows()).map((row) => [row.endpointUid, row.state]));
      await ledger.putHold(hold({ scope: 'credentials', key: credentialsKey(SHOP.baseUrl, 'nobody') }));
      expect(await states()).toEqual({ [OFFICE.uid]: 'queued', [SHOP.uid]: 'queued' });
      await ledger.putHold(hold({ scope: 'credentials', key: OFFICE.baseUrl }));
      expect(await states()).toEqual({ [OFFICE.uid]: 'held', [SHOP.uid]: 'held' });
    });

    it('hold the documents of every endpoint by a pause of everything, unlike trouble of the service', async () => {
      await queued('a', 'a');
      await queued('b', 'b', { endpoint: SHOP });
      await ledger.putHold(hold({ scope: 'service', key: OFFICE.baseUrl, reason: 'HTTP_503' }));
      expect((await rows()).map(({ state }) => state)).toEqual(['queued', 'queued']);
      await ledger.putHold(hold({ scope: 'service', key: EVERYTHING, reason: 'PAUSED', until: 90_000 }));
      expect((await rows()).map(({ state, reason }) => [state, reason])).toEqual([
        ['held', 'PAUSED'],
        ['held', 'PAUSED'],
      ]);
      await ledger.clearHold('service', EVERYTHING, 'PAUSED');
      expect((await ledger.holds()).map(({ reason }) => reason)).toEqual(['HTTP_503']);
    });

    it('show a pause in preference to another hold, and leave other folders and endpoints alone', async () => {
      await queued('a', 'a');
      await queued('b', 'b', { endpoint: SHOP, file: seen('b', 1, '/other') });
      await ledger.putHold(hold({ scope: 'folder', key: '/scans', reason: 'FOLDER_MISSING' }));
      await ledger.putHold(hold({ reason: 'PAUSED' }));
      expect((await rows()).map((row) => [row.state, row.reason])).toEqual([
        ['held', 'PAUSED'],
        ['queued', null],
      ]);
    });
  });
}
