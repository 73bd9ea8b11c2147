import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIntake } from '../../../src/ledger/postgres/intake.ts';
import type { Admitted, LedgerIntake } from '../../../src/core/ports/ledgerIntake.ts';
import { admission, colliding, hashOf, OFFICE, seen, SHOP } from '../../contract/ledger/support.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { ask, openStore, UNUSED, type OpenStore } from './place.ts';

const IMAGES = 500;

describe.skipIf(!needsPostgres())('the intake of two agents on one ledger', () => {
  let database: FreshDatabase;
  let stores: OpenStore[];
  let agents: LedgerIntake[];

  beforeEach(async () => {
    database = await freshDatabase(UNUSED);
    stores = await Promise.all(['one', 'two'].map((name) => openStore(database.url, name)));
    agents = stores.map(({ store }) => createIntake(store));
  });
  afterEach(async () => {
    await Promise.all(stores.map((open) => open.close()));
    await database.remove();
  });

  it('names each image once, whichever agent is first, and gives the other agent the same name', async () => {
    const admitted = (agent: LedgerIntake, files: readonly number[]): Promise<Admitted[]> =>
      Promise.all(
        files.map((n) => {
          const content = `content ${n}`;
          return agent.admit(admission(`f${n}`, content, { naming: colliding(n, content) }));
        }),
      );
    const files = Array.from({ length: IMAGES }, (_, n) => n);
    const [first, second] = agents as [LedgerIntake, LedgerIntake];
    // They start at opposite ends, so that each is first at least once; both are connected before.
    const [begin, end] = [await admitted(first, files.slice(0, 1)), await admitted(second, files.slice(-1))];
    const [mostOfOne, mostOfTwo] = await Promise.all([
      admitted(first, files.slice(1)),
      admitted(second, files.slice(0, -1).toReversed()),
    ]);
    const one = [...begin, ...mostOfOne];
    const two = [...mostOfTwo.toReversed(), ...end];
    for (const [n, mine] of one.entries()) {
      const theirs = two[n] as Admitted;
      expect([mine.kind, theirs.kind].sort()).toEqual(['duplicate', 'queued']);
      expect(theirs.document).toMatchObject({ id: mine.document.id, name: mine.document.name });
      // The folder is that of the agent that was first.
      const isMine = mine.kind === 'queued';
      expect(mine.document.folder).toBe(isMine ? '/scans' : 'two:/scans');
      expect(theirs.document.folder).toBe(isMine ? 'one:/scans' : '/scans');
    }
    expect(new Set(one.map(({ kind }) => kind)).size).toBe(2);
    expect(
      await ask(
        database.url,
        `SELECT count(*)::integer AS documents, count(DISTINCT name)::integer AS names, count(DISTINCT line)::integer AS lines,
                (SELECT next_seq::integer FROM endpoints) AS seq FROM documents`,
      ),
    ).toEqual([{ documents: IMAGES, names: IMAGES, lines: IMAGES, seq: 1 + Math.floor((IMAGES * 2) / 3) }]);
    expect(
      await ask(
        database.url,
        'SELECT verdict, count(*)::integer AS count FROM sightings GROUP BY verdict ORDER BY verdict',
      ),
    ).toEqual([
      { verdict: 'document', count: IMAGES },
      { verdict: 'duplicate', count: IMAGES },
    ]);
  });

  it('keeps endpoints separate, without a deadlock if their order differs', async () => {
    const [one, two] = agents as [LedgerIntake, LedgerIntake];
    const admitted = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const [endpoint, other] = n % 2 === 0 ? [OFFICE, SHOP] : [SHOP, OFFICE];
        return Promise.all([
          one.admit(admission(`f${n}`, `${n}`, { endpoint })),
          two.admit(admission(`f${n}`, `${n}`, { endpoint: other })),
        ]);
      }),
    );
    expect(new Set(admitted.flat().map(({ kind }) => kind))).toEqual(new Set(['queued']));
    expect(new Set(admitted.flat().map(({ document }) => document.id)).size).toBe(120);
  });

  it('keeps folders, their marks and known files separate for each agent', async () => {
    const [one, two] = agents as [LedgerIntake, LedgerIntake];
    await one.setFolderMark('/scans', 'ext4 1', 1);
    await one.admit(admission('a.jpg', 'a'));
    expect(await one.folderMark('/scans')).toBe('ext4 1');
    expect(await two.folderMark('/scans')).toBeNull();
    expect(await two.known(seen('a.jpg'))).toBeNull();
    await two.gone('/scans', ['a.jpg'], 2);
    expect(await one.known(seen('a.jpg'))).toMatchObject({ verdict: 'document' });
  });

  it('stores text with a character that the database cannot represent', async () => {
    const [one] = agents as [LedgerIntake];
    const note = { verdict: 'rejected', reason: 'WHY', policy: null, at: 1, sha256: hashOf('x') } as const;
    await one.note(seen('a.jpg'), { ...note, message: 'It begins with \0\ud800.' });
    expect(await ask(database.url, 'SELECT message FROM sightings')).toEqual([
      { message: 'It begins with \ufffd\ufffd.' },
    ]);
    expect(stores[0]?.trouble.trouble()).toBeNull();
  });
});

describe.skipIf(!needsPostgres())('the intake of a shared folder', () => {
  it('has one current sighting for each path, wherever the folder is mounted', async () => {
    const database = await freshDatabase();
    const [near, far] = await Promise.all([
      openStore(database.url, 'near', { shares: new Map([['/mnt/scans', 'scans']]) }),
      openStore(database.url, 'far', { shares: new Map([['/srv/scans', 'scans']]) }),
    ]);
    try {
      const [one, two] = [createIntake(near.store), createIntake(far.store)];
      const found = await Promise.all(
        Array.from({ length: 40 }, (_, n) => n).flatMap((n) => [
          one.admit(admission('', `${n}`, { file: seen(`f${n}`, 1, '/mnt/scans') })),
          two.admit(admission('', `${n}`, { file: seen(`f${n}`, 2, '/srv/scans') })),
        ]),
      );
      const kinds = found.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'queued')).toHaveLength(40);
      expect(kinds.filter((kind) => kind === 'known')).toHaveLength(40);
      expect(found[0]?.document.folder).toBe('/mnt/scans');
      expect(found[1]?.document.folder).toBe('/srv/scans');
      expect([...(await two.knownIn('/srv/scans', '', ['f0', 'f39'])).keys()].sort()).toEqual(['f0', 'f39']);
      expect(await ask(database.url, 'SELECT place, path FROM folders')).toEqual([
        { place: 'share:scans', path: '' },
      ]);
    } finally {
      await Promise.all([near.close(), far.close()]);
      await database.remove();
    }
  });
});
