import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { locateOriginal } from '../../../src/keeper/locateBytes.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { Looks } from '../../../src/intake/looks.ts';
import { inItsPlace } from '../../../src/intake/presence/mountIdentity.ts';
import { currentFiles, mounted } from './share.ts';

describe('an empty directory in place of an unmounted share', () => {
  it('does not count as the share because a scanner writes a file with a known name into it', async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('SCAN0001.jpg', 'monday');
    await place.drop('SCAN0002.jpg', 'tuesday');
    const first = await place.once({ opened });
    expect(first.admitted).toHaveLength(2);
    await share.unmount();
    await place.drop('SCAN0001.jpg', 'wednesday');
    const { admitted, intake } = place.start({ opened });
    await place.clock.advanceUntil(() => admitted.length === 1);
    await place.clock.advance(30_000);
    expect(intake.status.state).toBe('unreachable');
    expect(await currentFiles(place)).toEqual(['SCAN0001.jpg', 'SCAN0002.jpg']);
  });

  it.each(['read', 'looked at'])(
    'does not count as the share because its first file was %s just before',
    async (step) => {
      const share = await mounted();
      const { place, opened } = share;
      await place.drop('a.jpg');
      let hasLeft = false;
      const leave = async (at: string): Promise<void> => {
        if (at !== step || hasLeft) return;
        await share.unmount();
        hasLeft = true;
      };
      const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
        read: async (...all) => {
          const read = await real.read(...all);
          await leave('read');
          return read;
        },
      });
      const looks = new Looks({
        ledger: place.ledger,
        inspector: createImageInspector(),
        papers: null,
        measure: async () => {
          await leave('looked at');
          return null;
        },
      });
      const { admitted, watching } = place.start({
        opened,
        folder,
        settings: { qualityCheck: 'warn' },
        deps: { looks },
      });
      await place.clock.advanceUntil(() => hasLeft);
      await place.clock.advance(60_000);
      // Admitted there, it would later count as gone.
      expect(admitted).toEqual([]);
      await share.mount();
      await watching();
      await place.clock.advanceUntil(() => admitted.length === 1);
      expect(await currentFiles(place)).toEqual(['a.jpg']);
      expect(await place.ledger.folderMark(place.scans)).toContain('nfs');
    },
  );

  it('has nothing archived or deleted from it', async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    const settings = { afterUpload: 'delete' } as const;
    await place.once({ opened, settings });
    await place.acceptAll();
    await share.unmount();
    await place.drop('a.jpg');
    // No proof of the share: it was written at another time.
    await utimes(join(place.scans, 'a.jpg'), 0, 0);
    const { intake } = place.start({ opened, settings });
    await place.clock.advanceUntil(() => intake.status.state === 'unreachable');
    await place.clock.advance(10_000);
    await intake.dispose(new AbortController().signal);
    expect(await readdir(place.scans)).toEqual(['a.jpg']);
  });

  it("makes a document's bytes count as away, not as lost", async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    const { admitted, real } = await place.once({ opened });
    const document = admitted[0]?.document;
    if (!document) throw new Error('not admitted');
    const open = (): WatchedFolder => inItsPlace(real, place.ledger);
    expect((await locateOriginal(document, place.ledger, open)).kind).toBe('bytes');
    await share.unmount();
    expect((await locateOriginal(document, place.ledger, open)).kind).toBe('away');
  });

  it("is not watched for the first time in the share's absence if the ledger knows files of the share", async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    // As after a kill right after deferred images were recorded: known files, but no first watch.
    await place.once({ opened, ledger: () => ({ markWatched: async () => {} }) });
    expect(await place.states()).toEqual({ 'a.jpg': 'queued' });
    expect(await place.ledger.isFirstWatch(place.scans)).toBe(true);
    await share.unmount();
    expect(await place.once({ opened })).toMatchObject({ present: false });
    const { intake, watching } = place.start({ opened });
    await place.clock.advance(60_000);
    expect(intake.status.state).toBe('unreachable');
    expect(await currentFiles(place)).toEqual(['a.jpg']);
    expect(await place.ledger.isFirstWatch(place.scans)).toBe(true);
    await share.mount();
    await watching();
    expect(await currentFiles(place)).toEqual(['a.jpg']);
    expect(await place.ledger.isFirstWatch(place.scans)).toBe(false);
  });

  it('becomes the folder once a person confirms it', async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    await place.once({ opened });
    await share.unmount();
    const { intake, watching } = place.start({ opened });
    await place.clock.advanceUntil(() => intake.status.state === 'unreachable');
    await intake.takeOver();
    await watching();
    expect(await currentFiles(place)).toEqual([]);
  });
});
