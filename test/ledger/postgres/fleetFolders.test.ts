import { describe, expect, it, vi } from 'vitest';
import { verifyPostgresLedger } from '../../../src/ledger/postgres/verify.ts';
import type { Admission } from '../../../src/core/ports/ledgerIntake.ts';
import { crossCheck } from '../../../src/features/audit/accounting.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { FleetPlace, imageIn } from './fleetPlace.ts';
import { targetOf } from './place.ts';

describe.skipIf(!needsPostgres())('agents that share a ledger', () => {
  const place = FleetPlace.ofEachTest();

  it('are notified about folders that they reach, and no others', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const c = await place.open('c', { shares: new Map([['/mnt/c', 'other']]) });
    const heard: string[] = [];
    const unheard: string[] = [];
    b.fleet.onSignal((signal) => heard.push(signal));
    c.fleet.onSignal((signal) => unheard.push(signal));
    await a.admit(imageIn('/mnt/a', 'shared.jpg', 'shared'));
    await a.fleet.lead('/mnt/a');
    await vi.waitFor(() => expect(heard).toEqual(['queue', 'agents']), 20_000);
    // The others may now take its deferred documents and the folder.
    await a.close();
    await vi.waitFor(() => expect(heard.toSorted()).toEqual(['agents', 'agents', 'queue', 'queue']), 20_000);
    // Sent after those, and to all agents.
    await b.fleet.endHolds();
    await vi.waitFor(() => expect(unheard).toEqual(['holds']), 20_000);
  });

  it('lead a shared folder one at a time, and their own folders always', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const signals: string[] = [];
    b.fleet.onSignal((signal) => signals.push(signal));
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    expect(await b.fleet.lead('/mnt/b')).toBe(false);
    expect(await b.fleet.lead('/own')).toBe(true);
    expect(await a.fleet.agents()).toMatchObject([{ leads: ['scans'] }, { leads: [] }]);
    await b.fleet.endLead('/mnt/b');
    expect(await b.fleet.lead('/mnt/b')).toBe(false);
    signals.length = 0;
    await a.fleet.endLead('/mnt/a');
    await vi.waitFor(() => expect(signals).toContain('agents'), 20_000);
    expect(await b.fleet.lead('/mnt/b')).toBe(true);
    await b.close();
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
  });

  it('record a deferred image as a former file if the leader knows a newer file at its path by then', async () => {
    const [leader, late] = [await place.open('a'), await place.open('b')];
    await leader.fleet.lead('/mnt/a');
    const changed = (folder: string, path: string, content: string, ctimeNs: bigint): Admission => {
      const image = imageIn(folder, path, content);
      return { ...image, file: { ...image.file, identity: { ...image.file.identity, ctimeNs } } };
    };
    const known = async (path: string) => {
      const file = await leader.known({ folder: '/mnt/a', path });
      return file && { verdict: file.verdict, ctimeNs: file.identity.ctimeNs };
    };
    const filesOf = async (id: number) =>
      (await leader.detail(id))?.sightings.map(({ verdict, path, goneAt }) => [
        verdict,
        path,
        goneAt !== null,
      ]);
    const newer = { verdict: 'document', ctimeNs: 20n };
    await leader.admit(changed('/mnt/a', 'x.jpg', 'new', 20n));

    const older = await late.admit(changed('/mnt/b', 'x.jpg', 'old', 10n));
    expect(older).toMatchObject({ kind: 'queued' });
    expect(await known('x.jpg')).toEqual(newer);
    expect(await filesOf(older.document.id)).toEqual([['document', '/mnt/a/x.jpg', true]]);
    // As after a kill during the replay, or from another agent; then a file that has the same bytes again.
    expect(await late.admit(changed('/mnt/b', 'x.jpg', 'old', 10n))).toMatchObject({ kind: 'duplicate' });
    expect(await late.admit(changed('/mnt/b', 'x.jpg', 'new', 15n))).toMatchObject({ kind: 'known' });
    const elsewhere = { ...changed('/mnt/b', 'x.jpg', 'old', 30n), isElsewhere: true };
    expect(await late.admit(elsewhere)).toMatchObject({ kind: 'duplicate' });
    expect(await known('x.jpg')).toEqual(newer);
    await leader.admit(changed('/mnt/a', 'copy.jpg', 'old', 20n));
    expect(await known('copy.jpg')).toEqual(newer);
    await late.admit(changed('/mnt/b', 'copy.jpg', 'new', 10n));
    expect(await known('copy.jpg')).toEqual(newer);
    const file = changed('/mnt/b', 'copy.jpg', 'pages', 10n);
    const split = await late.beginSplit(file);
    expect(await late.openSplits(0, 10)).toEqual([split]);
    expect(await known('copy.jpg')).toEqual(newer);

    // A file that the leader sees is current, even if a clock was set back; so is a file that it has not seen yet.
    await leader.admit(changed('/mnt/a', 'x.jpg', 'last', 5n));
    expect(await known('x.jpg')).toEqual({ verdict: 'document', ctimeNs: 5n });
    await late.admit(changed('/mnt/b', 'x.jpg', 'old', 10n));
    expect(await known('x.jpg')).toEqual({ verdict: 'duplicate', ctimeNs: 10n });
    const verified = await verifyPostgresLedger(targetOf(place.url), 'b', null);
    expect(verified).toMatchObject({ journal: { findings: [] }, ledger: { findings: [] } });
    expect((await crossCheck(leader, systemClock, new AbortController().signal)).differences).toEqual([]);
  });
});
