// Reports show paths as the platform writes them.
import { normalize as native } from 'node:path';
import { describe, expect, it } from 'vitest';
import { admission, hashOf, identity, type LedgerUse, note, seen } from './support.ts';

export function describeIntake({ ledger, reopen, queued, rows, state }: LedgerUse): void {
  describe('watching folders', () => {
    it('watches a folder for the first time once, also across restarts', async () => {
      expect(await ledger.isFirstWatch('/scans')).toBe(true);
      await ledger.admit(admission('a.jpg', 'a'));
      expect(await ledger.isFirstWatch('/scans')).toBe(true);
      await ledger.markWatched('/scans', [seen('old.jpg'), seen('sub/old.jpg')], note('skipped'));
      await reopen();
      expect(await ledger.isFirstWatch('/scans')).toBe(false);
      expect(await ledger.isFirstWatch('/other')).toBe(true);
      expect(await ledger.known(seen('sub/old.jpg'))).toMatchObject({
        identity: identity(),
        verdict: 'skipped',
        policy: 'p1',
      });
    });

    it('keeps existing documents and duplicates when their folder is first watched', async () => {
      await ledger.admit(admission('a.jpg', 'a'));
      await ledger.admit(admission('again.jpg', 'a', { file: seen('again.jpg', 2) }));
      await ledger.admit(admission('changed.jpg', 'c', { file: seen('changed.jpg', 3) }));
      await ledger.note(seen('torn.jpg', 4), note('incomplete'));
      const before = await rows();
      const files = [seen('a.jpg'), seen('again.jpg', 2), seen('changed.jpg', 9), seen('torn.jpg', 4)];
      await ledger.markWatched('/scans', [...files, seen('old.jpg', 5)], note('skipped'));
      await reopen();
      const known = await ledger.knownIn('/scans', '', [...files.map(({ path }) => path), 'old.jpg']);
      expect(Object.fromEntries([...known].map(([name, { verdict }]) => [name, verdict]))).toEqual({
        'a.jpg': 'document',
        'again.jpg': 'duplicate',
        // The file has other bytes now.
        'changed.jpg': 'skipped',
        'torn.jpg': 'skipped',
        'old.jpg': 'skipped',
      });
      const after = await rows();
      for (const path of [native('/scans/a.jpg'), native('/scans/again.jpg')])
        expect(after.filter((row) => row.path === path)).toEqual(before.filter((row) => row.path === path));
      expect(await ledger.isFirstWatch('/scans')).toBe(false);
    });

    it('counts a file once that was skipped and is judged after its times have changed', async () => {
      await ledger.markWatched('/scans', [seen('a.jpg'), seen('b.jpg')], note('skipped'));
      const touched = { ...seen('a.jpg'), identity: { ...identity(), ctimeNs: 99n, inode: 99n } };
      await ledger.admit(admission('a.jpg', 'a', { file: touched }));
      const counts = await ledger.seenCounts(null, null);
      expect(counts.map(({ state, count }) => [state, count]).sort()).toEqual([
        ['queued', 1],
        ['skipped', 1],
      ]);
      expect((await rows()).map(({ state }) => state).sort()).toEqual(['queued', 'skipped']);
    });

    it('knows the files of one directory by name, and no others', async () => {
      await ledger.admit(admission('a.jpg', 'a'));
      await ledger.note(seen('b.txt', 2), note('rejected'));
      await ledger.note(seen('sub/c.txt', 3), note('rejected'));
      await ledger.note(seen('d.txt', 4, '/other'), note('rejected'));
      const known = await ledger.knownIn('/scans', '', ['a.jpg', 'b.txt', 'c.txt', 'd.txt', 'no.jpg']);
      expect([...known.keys()].sort()).toEqual(['a.jpg', 'b.txt']);
      expect(known.get('b.txt')).toMatchObject({
        identity: identity(2),
        verdict: 'rejected',
        policy: 'p1',
      });
      expect(known.get('a.jpg')).toMatchObject({ identity: identity(), verdict: 'document', policy: null });
      expect([...(await ledger.knownIn('/scans', 'sub', ['a.jpg', 'c.txt'])).keys()]).toEqual(['c.txt']);
      expect(await ledger.knownIn('/nowhere', '', ['a.jpg'])).toEqual(new Map());
      expect(await ledger.known(seen('nothing.jpg'))).toBeNull();
    });

    it('reads the last file in order with concurrent admissions', async () => {
      const before = await ledger.lastFile();
      const [, last] = await Promise.all([
        ledger.admit(admission('a.jpg', 'a')),
        ledger.lastFile(),
        ledger.admit(admission('b.jpg', 'b')),
      ]);
      const known = await ledger.knownIn('/scans', '', ['a.jpg', 'b.jpg']);
      expect(last).toBeGreaterThan(before);
      expect(known.get('a.jpg')?.fileId).toBe(last);
      expect(known.get('b.jpg')?.fileId).toBeGreaterThan(last);
    });

    it('keeps 64-bit identities and 255-byte Unicode names exactly', async () => {
      const exact = {
        size: 3,
        mtimeNs: 2n ** 60n + 1n,
        ctimeNs: -(2n ** 59n) - 3n,
        inode: 2n ** 63n - 25n,
      };
      const decomposed = `e\u0301 🧾 ${'ش'.repeat(120)}.jpg`;
      const long = decomposed + 'x'.repeat(255 - Buffer.byteLength(decomposed));
      expect(Buffer.byteLength(long)).toBe(255);
      const file = { folder: '/scans/ÄÖ', path: `sub ü/${long}`, identity: exact };
      const { document } = await ledger.admit(admission('', 'a', { file, naming: [long] }));
      await reopen();
      expect(await ledger.known(file)).toMatchObject({ identity: exact });
      expect((await ledger.knownIn(file.folder, 'sub ü', [long])).get(long)?.identity).toEqual(exact);
      const [from] = await ledger.knownFrom(file.folder, 'sub ü', { after: '', upTo: null }, 10);
      expect(from).toMatchObject({ name: long, identity: exact });
      expect((await ledger.sources(document.sha256))[0]).toMatchObject({ ...file, archivedTo: null });
      expect(await state(document.id)).toMatchObject({ name: long, path: file.path, folder: file.folder });
      expect(await ledger.find(long)).toHaveLength(1);
      expect(await ledger.find(long.normalize('NFC'))).toHaveLength(0);
    });

    it('lists the names in a directory, and the directories at or below one', async () => {
      for (const path of ['a/1', 'a/b/2', 'a-b/3', 'ab/4', '5', 'a/gone', 'z/gone']) {
        await ledger.note(seen(path), note('rejected'));
      }
      await ledger.gone('/scans', ['a/gone', 'z/gone', 'never-seen'], 2_000);
      expect(await namesIn('')).toEqual(['5']);
      expect(await namesIn('a')).toEqual(['1']);
      expect(await namesIn('z')).toEqual([]);
      expect(await ledger.dirs('/scans', '')).toEqual(['', 'a', 'a-b', 'a/b', 'ab']);
      expect(await ledger.dirs('/scans', 'a')).toEqual(['a', 'a/b']);
      expect(await ledger.dirs('/scans', 'z')).toEqual([]);
    });

    it('pages through more names than one batch holds, each once', async () => {
      const many = Array.from({ length: 1_100 }, (_, n) => `f${n}`);
      const files = many.map((name) => seen(`d/${name}`));
      await ledger.markWatched('/scans', files, note('skipped'));
      expect(await namesIn('d')).toEqual(many.sort());
    });

    async function namesIn(dir: string): Promise<string[]> {
      const found: string[] = [];
      for await (const batch of ledger.namesIn('/scans', dir)) found.push(...batch);
      return found;
    }

    it('forgets the current file at a path that is gone, and keeps its history', async () => {
      const { id } = await queued('a.jpg', 'a');
      await ledger.gone('/scans', ['a.jpg'], 2_000);
      await ledger.gone('/scans', ['a.jpg'], 3_000);
      expect(await ledger.known(seen('a.jpg'))).toBeNull();
      expect((await ledger.detail(id))?.files).toMatchObject([
        { path: native('/scans/a.jpg'), goneAt: 2_000 },
      ]);
    });

    it('remembers the file system of a folder once it is watched', async () => {
      expect(await ledger.folderMark('/scans')).toBeNull();
      await ledger.markWatched('/scans', [], note('skipped'));
      await ledger.setFolderMark('/scans', 'nfs server:/scans', 1_000);
      await reopen();
      expect(await ledger.folderMark('/scans')).toBe('nfs server:/scans');
      await ledger.doubtFolderMark('/scans', 'nfs server:/scans\nwith witnesses');
      await reopen();
      expect(await ledger.folderMark('/scans')).toBe('nfs server:/scans\nwith witnesses');
    });
  });

  describe('noting files', () => {
    it('replaces an earlier note about the same file instead of adding to it', async () => {
      await ledger.note(seen('a.jpg', 1), note('incomplete'));
      await ledger.note(seen('a.jpg', 2), note('incomplete', { at: 2_000 }));
      await ledger.note(seen('a.jpg', 3), note('rejected', { at: 3_000 }));
      await ledger.note(seen('a.jpg', 3), note('rejected', { at: 4_000, policy: 'p2' }));
      expect(await rows()).toMatchObject([
        { state: 'rejected', path: native('/scans/a.jpg'), name: null, size: 103 },
      ]);
      expect(await ledger.known(seen('a.jpg'))).toMatchObject({
        identity: identity(3),
        verdict: 'rejected',
        policy: 'p2',
      });
    });

    it('keeps a rejection when other bytes take the path', async () => {
      await ledger.note(seen('a.jpg', 1), note('rejected', { sha256: hashOf('x') }));
      await ledger.admit(admission('a.jpg', 'a', { file: seen('a.jpg', 2), at: 2_000 }));
      expect((await rows()).map((row) => row.state)).toEqual(['rejected', 'queued']);
    });

    it('replaces a note by an admission of the same bytes', async () => {
      await ledger.note(seen('a.jpg', 1), note('skipped'));
      await ledger.note(seen('b.jpg', 1), note('rejected', { sha256: hashOf('b') }));
      await queued('a.jpg', 'a');
      await queued('b.jpg', 'b', { file: seen('b.jpg', 9) });
      expect((await rows()).map((row) => row.state)).toEqual(['queued', 'queued']);
    });

    it('lists incomplete and unreadable files only while they are current', async () => {
      await ledger.note(seen('a'), note('incomplete'));
      await ledger.note(seen('b'), note('unreadable'));
      await ledger.note(seen('c'), note('rejected'));
      expect((await rows()).map((row) => row.state)).toEqual(['incomplete', 'unreadable', 'rejected']);
      await ledger.gone('/scans', ['a', 'b', 'c'], 2_000);
      expect((await rows()).map((row) => row.state)).toEqual(['rejected']);
    });
  });
}
