import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OriginalsDecision } from '../../../src/intake/dispose/originalsRule.ts';
import { watchingPlace } from '../watching.ts';
import { DELETE, never, run } from './disposing.ts';

describe('originals that were accepted before afterUpload was set', () => {
  /** A document accepted under `keep`. */
  async function accepted() {
    const place = await watchingPlace();
    await place.drop('old.jpg', 'old');
    await place.once();
    await place.acceptAll();
    return place;
  }

  it('stay, like those accepted while originals were kept in between', async () => {
    const place = await watchingPlace();
    expect(await run(place, { afterUpload: 'delete' })).toEqual([]);
    await place.drop('a.jpg', 'a');
    expect(await run(place, { afterUpload: 'delete' })).toEqual([]);
    await place.drop('b.jpg', 'b');
    expect(await run(place, {})).toEqual(['b.jpg']);
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['b.jpg']);
  });

  it('stay if only the awaited status changes', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg', 'a');
    expect(await run(place, { afterUpload: 'delete', afterUploadOn: ['DONE'] })).toEqual(['a.jpg']);
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['a.jpg']);
  });

  it('stay although an older ledger was restored', async () => {
    const place = await accepted();
    // Accepted after the backup was taken, so the restored ledger does not know it.
    await place.drop('since.jpg', 'since');
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['old.jpg', 'since.jpg']);
    await place.drop('new.jpg', 'new');
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['old.jpg', 'since.jpg']);
  });

  it('stay after their folder was moved and they were renamed', async () => {
    const place = await accepted();
    await rename(place.scans, join(place.dir, 'moved'));
    await mkdir(place.scans);
    await rename(join(place.dir, 'moved', 'old.jpg'), join(place.dir, 'moved', 'renamed.jpg'));
    const moved = join(place.dir, 'moved');
    const { intake } = await place.once({ settings: { path: moved, afterUpload: 'delete' } });
    await place.acceptAll();
    await intake.dispose(never);
    expect(await readdir(moved)).toEqual(['renamed.jpg']);
  });

  it('are not distinguished from later ones until the whole folder has been scanned', async () => {
    const place = await watchingPlace();
    let isThrough = false;
    const { settings } = place.create(DELETE);
    const { ledger, clock, log } = place;
    const rule = new OriginalsDecision({
      settings,
      ledger,
      clock,
      log,
      isLookedThroughSince: () => isThrough,
    });
    await rule.begin(false);
    expect(await rule.stays()).toBeNull();
    await place.drop('old.jpg');
    await place.once();
    isThrough = true;
    const last = await ledger.lastFile();
    expect(await rule.stays()).toBe(last);
  });

  it('include every file in a new folder, if the configuration says `leave`', async () => {
    const place = await watchingPlace();
    await place.drop('old.jpg', 'old');
    const leave = { afterUpload: 'delete', afterUploadExisting: 'leave' } as const;
    expect(await run(place, leave)).toEqual(['old.jpg']);
    await place.drop('new.jpg', 'new');
    expect(await run(place, leave)).toEqual(['old.jpg']);
  });
});
