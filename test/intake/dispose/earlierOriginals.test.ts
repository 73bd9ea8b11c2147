import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OriginalsDecision } from '../../../src/intake/dispose/originalsRule.ts';
import { watchingPlace } from '../watching.ts';
import { DELETE, run } from './disposing.ts';

const KEEP = {};
const GO = { afterUpload: 'delete' } as const;
const LEAVE = { ...GO, afterUploadExisting: 'leave' } as const;

/** Runs with these settings, one after another, before each of which a file arrives; and the files that are left after each. */
const HISTORIES = {
  'that were accepted while originals were kept in between': [
    [GO, []],
    [GO, []],
    [KEEP, ['2.jpg']],
    [GO, ['2.jpg', '3.jpg']],
  ],
  'if only the awaited status changes': [
    [{ ...GO, afterUploadOn: ['DONE'] }, ['0.jpg']],
    [GO, ['0.jpg', '1.jpg']],
  ],
  // As after the restore of a backup that was taken before 1.jpg was accepted.
  'that a restored ledger does not know': [
    [KEEP, ['0.jpg']],
    [GO, ['0.jpg', '1.jpg']],
    [GO, ['0.jpg', '1.jpg']],
  ],
  'in a new folder, if the configuration says `leave`': [
    [LEAVE, ['0.jpg']],
    [LEAVE, ['0.jpg']],
  ],
} as const;

describe('originals that were there before afterUpload was set', () => {
  it.each(Object.entries(HISTORIES))('stay %s', async (_, history) => {
    const place = await watchingPlace();
    for (const [index, [settings, left]] of history.entries()) {
      await place.drop(`${index}.jpg`);
      expect((await run(place, settings)).toSorted()).toEqual(left);
    }
  });

  it('stay after their folder was moved and they were renamed', async () => {
    const place = await watchingPlace();
    await place.drop('old.jpg');
    await run(place, KEEP);
    const moved = join(place.dir, 'moved');
    await rename(place.scans, moved);
    await mkdir(place.scans);
    await rename(join(moved, 'old.jpg'), join(moved, 'renamed.jpg'));
    expect(await run(place, { ...GO, path: moved })).toEqual(['renamed.jpg']);
  });

  it('are not distinguished from later ones until the whole folder has been scanned', async () => {
    const place = await watchingPlace();
    let isThrough = false;
    const { settings } = place.create(DELETE);
    const { ledger, clock, log } = place;
    const isLookedThroughSince = () => isThrough;
    const rule = new OriginalsDecision({ settings, ledger, clock, log, isLookedThroughSince });
    await rule.begin(false);
    expect(await rule.stays()).toBeNull();
    await place.drop('old.jpg');
    await place.once();
    isThrough = true;
    const last = await ledger.lastFile();
    expect(await rule.stays()).toBe(last);
  });
});
