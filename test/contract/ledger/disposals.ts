import { describe, expect, it } from 'vitest';
import {
  ACCEPTED,
  admission,
  FAILED,
  hashOf,
  identity,
  type LedgerUse,
  note,
  seen,
  SHOP,
} from './support.ts';

export function describeDisposals({ ledger, reopen, queued, upload, toDispose, rows }: LedgerUse): void {
  describe('sources and disposal', () => {
    it('lists where bytes were seen, newest first, including archives', async () => {
      const { id, sha256 } = await queued('a', 'a');
      await ledger.admit(admission('', 'a', { file: seen('b', 2, '/other') }));
      await upload(id, ACCEPTED);
      const [disposal] = await toDispose('/scans', 0, 10, null);
      await ledger.disposed(disposal!.fileId, 'archived', '/archive/a', 5_000);
      expect(await ledger.sources(sha256)).toMatchObject([
        { folder: '/other', path: 'b', identity: identity(2), archivedTo: null },
        { folder: '/scans', path: 'a', identity: identity(), archivedTo: '/archive/a' },
      ]);
      expect(await ledger.sources(hashOf('never'))).toEqual([]);
      expect(await rows({ states: ['accepted'] })).toMatchObject([{ archivedTo: '/archive/a' }]);
      expect((await ledger.detail(id))?.files[0]).toMatchObject({
        disposed: 'archived',
        goneAt: 5_000,
      });
    });

    it('does not list a location where the agent deleted the file', async () => {
      const { id, sha256 } = await queued('a', 'a');
      await upload(id, ACCEPTED);
      const [disposal] = await toDispose('/scans', 0, 10, null);
      await ledger.disposed(disposal!.fileId, 'deleted', null, 5_000);
      expect(await ledger.sources(sha256)).toEqual([]);
      expect(await ledger.known(seen('a'))).toBeNull();
    });

    it('a document whose only file was moved to another endpoint, sent and deleted there is lost', async () => {
      const { id, sha256 } = await queued('a', 'a');
      const moved = await queued('b', 'a', { endpoint: SHOP, file: seen('b', 2, '/other') });
      await upload(moved.id, ACCEPTED);
      const [disposal] = await toDispose('/other', 0, 10, null);
      await ledger.disposed(disposal!.fileId, 'deleted', null, 5_000);
      await ledger.markLost(id, 'Gone.', 6_000, await ledger.filesWith(sha256));
      expect(await ledger.document(id)).toMatchObject({ state: 'lost' });
    });

    it('disposes of files only after acceptance, duplicates included, each once', async () => {
      const a = await queued('a', 'a', { file: seen('sub/a', 4) });
      const b = await queued('b', 'b');
      await ledger.admit(admission('copy', 'a'));
      await ledger.note(seen('x'), note('rejected'));
      expect(await toDispose('/scans', 0, 10, null)).toEqual([]);
      await upload(a.id, ACCEPTED);
      await upload(b.id, FAILED, 'refused');
      const due = await toDispose('/scans', 0, 10, null);
      expect(due.map(({ file, sha256 }) => [file, sha256])).toEqual([
        [seen('sub/a', 4), hashOf('a')],
        [seen('copy'), hashOf('a')],
      ]);
      expect(await toDispose('/scans', due[0]!.fileId, 10, null)).toEqual([due[1]]);
      expect(await toDispose('/scans', 0, 1, null)).toEqual([due[0]]);
      expect(await toDispose('/other', 0, 10, null)).toEqual([]);
      await ledger.keepOriginal(due[0]!, 5_000);
      await ledger.gone('/scans', ['copy'], 5_000);
      expect(await toDispose('/scans', 0, 10, null)).toEqual([]);
      expect(await ledger.known(seen('sub/a'))).not.toBeNull();
    });

    it('disposes of a file that was kept for its other bytes once it has those that were sent again', async () => {
      const { id } = await queued('a', 'a');
      await upload(id, ACCEPTED);
      const [due] = await toDispose('/scans', 0, 10, null);
      await ledger.keepOriginal(due!, 5_000);
      const again = { ...admission('a', 'a'), file: seen('a', 9) };
      expect(await ledger.admit(again)).toMatchObject({ kind: 'duplicate' });
      expect(await toDispose('/scans', 0, 10, null)).toMatchObject([{ file: seen('a', 9) }]);
    });

    it('disposes of a file whose place got the bytes that were sent again just before others were to be kept there', async () => {
      const { id } = await queued('a', 'a');
      await upload(id, ACCEPTED);
      const [due] = await toDispose('/scans', 0, 10, null);
      const again = { ...admission('a', 'a'), file: seen('a', 9) };
      expect(await ledger.admit(again)).toMatchObject({ kind: 'known' });
      await ledger.keepOriginal(due!, 5_000);
      expect(await toDispose('/scans', 0, 10, null)).toMatchObject([{ file: seen('a', 9) }]);
    });
  });

  describe('the rule for originals', () => {
    const stays = async (rule: string, existing: 'leave' | 'include' = 'leave') =>
      (await ledger.setOriginalsRule('/scans', rule, existing, 4_000)).stays;
    const paths = async (from: number) =>
      (await toDispose('/scans', 0, 10, null, from)).map(({ file }) => file.path);

    it('leaves alone images seen before it was set, under any name, and applies to later ones', async () => {
      const { id } = await queued('a', 'a');
      await queued('waits', 'w');
      await upload(id, ACCEPTED);
      expect(await ledger.originalsRule('/scans')).toBeNull();
      expect(await ledger.acceptedOriginals('/scans', null)).toBe(1);
      const from = await stays('delete');
      expect(await ledger.originalsRule('/scans')).toEqual({ rule: 'delete', stays: from });
      expect(await ledger.originalsRule('/other')).toBeNull();
      await upload((await queued('b', 'b')).id, ACCEPTED);
      expect(await paths(from)).toEqual(['b']);
      expect(await paths(0)).toEqual(['a', 'b']);
      // Renamed, copied or temporarily missing: the image was there before.
      await ledger.gone('/scans', ['a'], 5_000);
      await ledger.admit(admission('renamed', 'a', { file: seen('renamed', 7) }));
      await ledger.admit(admission('a', 'a', { file: seen('a', 9) }));
      expect(await paths(from)).toEqual(['b']);
      expect(await ledger.acceptedOriginals('/scans', from)).toBe(2);
      expect(await ledger.acceptedOriginals('/scans', null)).toBe(3);
    });

    it('leaves earlier files alone if their folder has another path now', async () => {
      const { id } = await queued('a', 'a', { file: seen('a', 1, '/former') });
      await upload(id, ACCEPTED);
      const from = await stays('delete');
      await ledger.admit(admission('a', 'a'));
      const { document } = await ledger.admit(admission('b', 'b'));
      await upload(document.id, ACCEPTED);
      expect(await paths(from)).toEqual(['b']);
    });

    it('stays in force until another one is set, which leaves alone files seen by then', async () => {
      await upload((await queued('a', 'a')).id, ACCEPTED);
      const first = await stays('delete');
      await upload((await queued('b', 'b')).id, ACCEPTED);
      expect(await stays('delete')).toBe(first);
      expect(await stays('delete', 'include')).toBe(first);
      expect(await stays('archive')).toBeGreaterThan(first);
      expect(await paths(await stays('archive'))).toEqual([]);
      expect(await stays('archive, all', 'include')).toBe(0);
      expect(await paths(0)).toEqual(['a', 'b']);
    });

    it('of a new folder leaves alone images seen before in other folders', async () => {
      const elsewhere = await queued('a', 'a', { file: seen('a', 1, '/former') });
      await upload(elsewhere.id, ACCEPTED);
      await upload((await queued('b', 'b')).id, ACCEPTED);
      await ledger.admit(admission('a', 'a'));
      const { stays: from } = await ledger.setOriginalsRule('/scans', 'delete', 'new', 4_000);
      expect(await paths(from)).toEqual(['b']);
    });

    it('is durable, even for a folder in which no file was seen yet', async () => {
      const { stays: none } = await ledger.setOriginalsRule('/empty', 'delete', 'leave', 4_000);
      await upload((await queued('a', 'a')).id, ACCEPTED);
      const from = await stays('delete on DONE');
      await reopen();
      expect(await ledger.originalsRule('/scans')).toEqual({ rule: 'delete on DONE', stays: from });
      expect(await ledger.originalsRule('/empty')).toEqual({ rule: 'delete', stays: none });
    });
  });

  describe('a disposal', () => {
    it('is recorded before the file is touched, until it ends or is undone', async () => {
      const { id } = await queued('a', 'a');
      await upload(id, ACCEPTED);
      await ledger.admit(admission('copy', 'a'));
      const [first, second] = await toDispose('/scans', 0, 10, null);
      await ledger.disposing(first!.fileId, 'archived', 5_000);
      await ledger.disposing(second!.fileId, 'deleted', 5_000);
      await reopen();
      expect(await ledger.begunDisposals('/scans')).toEqual([
        { ...first, how: 'archived' },
        { ...second, how: 'deleted' },
      ]);
      await ledger.disposed(first!.fileId, 'archived', '/archive/a', 6_000);
      await ledger.disposing(second!.fileId, null, 6_000);
      expect(await ledger.begunDisposals('/scans')).toEqual([]);
      expect(await toDispose('/scans', 0, 10, null)).toEqual([second]);
      expect(await ledger.begunDisposals('/other')).toEqual([]);
    });
  });
}
