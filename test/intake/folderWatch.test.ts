import { chmod, chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemError } from '../../src/core/domain/errors.ts';
import type { WatchedFolder } from '../../src/core/ports/folder.ts';
import { drawReceipt } from '../support/images.ts';
import { asOrdinaryUser, ordinaryOwner } from '../support/ordinaryUser.ts';
import { watchingPlace } from './watching.ts';

describe('a folder', () => {
  it('is listed and watched again after another folder has taken its place', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const { admitted } = await place.watch();
    await place.clock.advanceUntil(() => admitted.length === 1);
    const other = join(place.dir, 'other');
    await mkdir(other);
    await writeFile(join(other, 'b.jpg'), await drawReceipt({ type: 'jpeg', seed: 'b' }));
    await rename(place.scans, join(place.dir, 'away'));
    await rename(other, place.scans);
    await place.clock.advanceUntil(() => admitted.length === 2);
    await place.drop('c.jpg');
    await place.clock.advanceUntil(() => admitted.length === 3);
    // The first folder returns, as a remounted share does, and its files are known.
    await rename(place.scans, other);
    await rename(join(place.dir, 'away'), place.scans);
    await place.clock.advanceUntil(() => admitted.length === 4);
    expect(admitted[3]?.document.id).toBe(admitted[0]?.document.id);
    expect((await place.rows()).filter(({ state }) => state === 'queued')).toHaveLength(3);
  });

  it('with an unreadable directory loses none of the files in it', async () => {
    const place = await watchingPlace();
    const { uid, gid } = ordinaryOwner();
    for (const path of [place.dir, place.scans]) await chown(path, uid, gid);
    await place.drop('sub/deep/a.jpg');
    await place.drop('b.jpg');
    for (const path of ['sub', 'sub/deep']) await chown(join(place.scans, path), uid, gid);
    await asOrdinaryUser(async () => {
      await place.once({ settings: { recursive: true } });
      await chmod(join(place.scans, 'sub'), 0);
      const { intake, admitted } = await place.once({ settings: { recursive: true } });
      expect(admitted).toEqual([]);
      expect(intake.unreadableDirs).toBe(1);
      expect(await place.ledger.known({ folder: place.scans, path: 'sub/deep/a.jpg' })).not.toBeNull();
      await chmod(join(place.scans, 'sub'), 0o700);
    });
    await rm(join(place.scans, 'sub'), { recursive: true });
    await place.once({ settings: { recursive: true } });
    expect(await place.ledger.known({ folder: place.scans, path: 'sub/deep/a.jpg' })).toBeNull();
    expect(await place.ledger.known({ folder: place.scans, path: 'b.jpg' })).not.toBeNull();
  });

  it('with an unreadable directory is a problem until the directory can be read or is gone', async () => {
    const place = await watchingPlace();
    const { uid, gid } = ordinaryOwner();
    for (const path of [place.dir, place.scans]) await chown(path, uid, gid);
    await place.drop('sub/a.jpg');
    await chown(join(place.scans, 'sub'), uid, gid);
    const problem = () =>
      place.incidents.list().find(({ key }) => key === `SUBFOLDERS_UNREADABLE ${place.scans}`);
    await asOrdinaryUser(async () => {
      await chmod(join(place.scans, 'sub'), 0);
      const { admitted } = await place.watch({ settings: { recursive: true } });
      expect(problem()).toMatchObject({
        code: 'SUBFOLDERS_UNREADABLE',
        params: { count: 1, system: 'EACCES', subfolders: ['sub'], isAway: false },
      });
      await chmod(join(place.scans, 'sub'), 0o700);
      await place.clock.advanceUntil(() => admitted.length === 1, 500);
      expect(problem()).toBeUndefined();
    });
  });

  it('that can be reached but not listed is reported as unreachable or unreadable, and watched again afterwards', async () => {
    const place = await watchingPlace();
    let code: string | null = null;
    const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
      async *list(...all) {
        if (code !== null) throw systemError(code, 'a listing');
        yield* real.list(...all);
      },
    });
    const { intake, admitted, watching } = await place.watch({ folder });
    for (const [failure, state] of [
      ['EIO', 'unreachable'],
      ['EINVAL', 'unreadable'],
    ] as const) {
      code = failure;
      intake.woke();
      await place.clock.advanceUntil(() => intake.status.state === state, 500);
      const { since } = intake.status;
      await place.clock.advance(60_000);
      expect(intake.status).toMatchObject({ state, since, why: { system: failure } });
      code = null;
      await place.drop(`${failure}.jpg`);
      await watching();
      await place.clock.advanceUntil(
        () => admitted.some(({ document }) => document.name.startsWith(failure)),
        500,
      );
      expect(place.incidents.list()).toEqual([]);
    }
  });

  it('whose subfolders hold images is a problem, unless they are watched or ignored', async () => {
    const place = await watchingPlace();
    await place.drop('2026/a.jpg');
    const problems = () => place.incidents.list().map(({ code }) => code);
    const { stop } = await place.watch();
    await place.clock.advanceUntil(() => problems().includes('SUBFOLDERS_UNWATCHED'), 500);
    await stop();
    const ignoring = await place.watch({ opened: { ignore: ['2026'] } });
    await place.clock.advanceUntil(() => problems().length === 0, 500);
    await ignoring.stop();
    await place.watch({ settings: { recursive: true } });
    expect(problems()).toEqual([]);
  });

  it('of hundreds of files keeps only a limited number in memory, and admits all', async () => {
    const place = await watchingPlace();
    const bytes = await drawReceipt({ type: 'png', seed: 'many', width: 4, height: 4 });
    for (let i = 0; i < 800; i += 1) {
      await writeFile(join(place.scans, `${i}.png`), Buffer.concat([bytes, Buffer.from(String(i))]));
    }
    const { intake, admitted, watching } = place.start();
    let most = 0;
    await place.clock.advanceUntil(() => {
      most = Math.max(most, intake.status.settling);
      return admitted.length === 800;
    }, 20);
    // The limit, plus the batch that was looked up when there was still room.
    expect(most).toBeGreaterThanOrEqual(500);
    expect(most).toBeLessThanOrEqual(500 + 256);
    await watching();
    expect((await place.ledger.counts()).reduce((sum, { count }) => sum + count, 0)).toBe(800);
  });
});
