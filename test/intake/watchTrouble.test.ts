import { writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { createFolderHints } from '../../src/intake/folder/hints.ts';
import type { FolderHints, WatchedFolder } from '../../src/core/ports/folder.ts';
import type { Ledger, StorageTrouble } from '../../src/core/ports/ledger.ts';
import { drawReceipt } from '../support/images.ts';
import { asOrdinaryUser, ordinaryOwner } from '../support/ordinaryUser.ts';
import { failing } from '../flow/sending.ts';
import { countingReads, watchingPlace } from './watching.ts';

function limit(code: 'ENOSPC' | 'EMFILE'): ReceiptdError {
  const cause = Object.assign(new Error(code), { code });
  return new ReceiptdError(
    { code: 'WATCH_LIMIT', message: `The limit is reached (${code}).`, hint: 'Raise it.' },
    { cause },
  );
}

/** Real hints that fail with `fault` while it is set, or with what `fail` is called with. */
function failingHints(fault: () => Error | null = () => null) {
  let tries = 0;
  let fail: (error: Error) => void = () => {};
  const hints: FolderHints = {
    watch: async (path, recursive, onHint, onTrouble) => {
      tries += 1;
      const error = fault();
      if (error) onTrouble(error);
      fail = onTrouble;
      return createFolderHints().watch(path, recursive, error ? () => {} : onHint, onTrouble);
    },
  };
  return { hints, tries: () => tries, fail: (error: Error) => fail(error) };
}

describe('a folder that can’t be watched', () => {
  it('because of a limit is polled, reported once, and watched again when possible', async () => {
    const place = await watchingPlace();
    let error: Error | null = limit('ENOSPC');
    const late = await drawReceipt({ type: 'jpeg', seed: 'late' });
    const { hints, tries } = failingHints(() => {
      // Between the last listing and the first event.
      if (error === null) writeFileSync(join(place.scans, 'late.jpg'), late);
      return error;
    });
    const { intake, admitted } = await place.watch({ deps: { hints, pollEveryMs: 9_000 } });
    expect(intake.status.mode).toBe('polled');
    expect(place.incidents.list()).toMatchObject([{ code: 'WATCH_LIMIT', params: { system: 'ENOSPC' } }]);
    await place.drop('a.jpg');
    const from = place.clock.monotonic();
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(place.clock.monotonic() - from).toBeLessThan(10_000);
    await place.clock.advance(290_000);
    expect(tries()).toBe(1);
    await place.clock.advance(300_000);
    expect(tries()).toBe(2);
    expect(place.log.said('A problem began')).toHaveLength(1);
    error = null;
    await place.clock.advanceUntil(() => intake.status.mode === 'events', 5_000);
    expect(place.incidents.list()).toEqual([]);
    expect(tries()).toBe(3);
    for (const count of [2, 3]) {
      const event = place.clock.monotonic();
      await place.clock.advanceUntil(() => admitted.length === count);
      expect(place.clock.monotonic() - event).toBeLessThan(5_000);
      await place.drop(`${count}.jpg`);
    }
  });

  it('any more, because of a limit that a new directory exceeded, is polled until it is watched again', async () => {
    const place = await watchingPlace();
    const { hints, fail } = failingHints();
    const { intake } = await place.watch({ deps: { hints } });
    fail(limit('ENOSPC'));
    expect(intake.status.mode).toBe('polled');
    expect(place.incidents.list()).toMatchObject([{ code: 'WATCH_LIMIT' }]);
    await place.clock.advanceUntil(() => intake.status.mode === 'events', 5_000);
    expect(place.incidents.list()).toEqual([]);
  });

  it('for an unknown reason is polled, and reported once', async () => {
    const place = await watchingPlace();
    const { hints, tries } = failingHints(() => new Error('what is this?'));
    const { intake } = await place.watch({ deps: { hints, pollEveryMs: 30_000 } });
    await place.clock.advanceUntil(() => tries() === 3, 5_000);
    expect(intake.status.mode).toBe('polled');
    expect(place.log.said('Events from the folder are not reliable')).toHaveLength(1);
  });

  it('because of the same limit as another shares its incident, which stays open until one is watched and the other has ended', async () => {
    const place = await watchingPlace();
    const other = join(place.dir, 'other');
    await mkdir(other);
    const errors: (Error | null)[] = [limit('EMFILE'), limit('EMFILE')];
    const folders = [place.scans, other].map((path, index) => {
      const { hints } = failingHints(() => errors[index] ?? null);
      return place.start({ settings: { path }, deps: { hints, pollEveryMs: 30_000 } });
    });
    await place.clock.advanceUntil(() => folders.every(({ intake }) => intake.status.state === 'watching'));
    expect(place.incidents.list()).toHaveLength(1);
    expect(place.incidents.list()).toMatchObject([
      { params: { system: 'EMFILE', folders: expect.arrayContaining([place.scans, other]) as string[] } },
    ]);
    errors[0] = null;
    await place.clock.advanceUntil(() => folders[0]?.intake.status.mode === 'events', 5_000);
    expect(place.incidents.list()).toHaveLength(1);
    await folders[1]?.stop();
    expect(place.incidents.list()).toEqual([]);
    expect(place.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('a folder', () => {
  it('moved in as a whole is found with all its contents', async () => {
    const place = await watchingPlace();
    const elsewhere = join(place.dir, 'elsewhere', 'day');
    await mkdir(elsewhere, { recursive: true });
    await place.drop('seed.jpg');
    const { admitted } = await place.watch({ settings: { recursive: true } });
    await place.clock.advanceUntil(() => admitted.length === 1);
    await rename(join(place.scans, 'seed.jpg'), join(elsewhere, 'a.jpg'));
    await mkdir(join(elsewhere, 'deep'));
    await place.clock.advance(5_000);
    await rename(join(place.dir, 'elsewhere'), join(place.scans, 'moved'));
    await place.clock.advanceUntil(async () => (await currentIn('moved/day')).includes('a.jpg'), 500);
    await place.drop('moved/day/deep/b.jpg');
    await place.clock.advanceUntil(async () => (await currentIn('moved/day/deep')).includes('b.jpg'), 500);
    const queued = admitted.filter(({ kind }) => kind === 'queued').map(({ document }) => document.path);
    expect(queued).toEqual(['seed.jpg', 'moved/day/deep/b.jpg']);

    async function currentIn(dir: string): Promise<string[]> {
      const names: string[] = [];
      for await (const batch of place.ledger.namesIn(place.scans, dir)) names.push(...batch);
      return names;
    }
  });

  it('that loses and regains permission waits, loses nothing, and reads nothing again', async () => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg']) await place.drop(name);
    const owner = ordinaryOwner();
    for (const dir of [place.dir, place.scans]) await chown(dir, owner.uid, owner.gid);
    const { count, folder } = countingReads();
    const { intake, admitted, watching } = place.start({ folder });
    await watching();
    await place.clock.advanceUntil(() => admitted.length === 2);
    await asOrdinaryUser(async () => {
      await chmod(place.scans, 0);
      await place.clock.advanceUntil(() => intake.status.state === 'unreadable');
      await place.clock.advance(300_000);
      await chmod(place.scans, 0o755);
      await watching();
    });
    await place.clock.advance(120_000);
    expect(await place.states()).toEqual({ 'a.jpg': 'queued', 'b.jpg': 'queued' });
    expect(count.reads).toBe(2);
    expect(admitted).toHaveLength(2);
  });
});

describe('a temporarily unreadable file', () => {
  function refusing(codes: Map<string, string>) {
    const tried: { path: string; at: number }[] = [];
    return {
      tried,
      stand:
        (clock: { monotonic(): number }) =>
        (real: WatchedFolder): Partial<WatchedFolder> => ({
          read: async (path, ...rest) => {
            const code = codes.get(path);
            if (code === undefined) return real.read(path, ...rest);
            tried.push({ path, at: clock.monotonic() });
            return { kind: 'unreadable', code };
          },
        }),
    };
  }

  it('is tried again after growing pauses, and not reported if it is soon readable', async () => {
    const place = await watchingPlace();
    const codes = new Map(
      ['EBUSY', 'EPERM', 'EACCES', 'EAGAIN', 'ETXTBSY'].map((code) => [`${code}.jpg`, code]),
    );
    const { tried, stand } = refusing(codes);
    const names = [...codes.keys()];
    for (const name of names) await place.drop(name);
    const { admitted } = place.start({ folder: stand(place.clock) });
    const triesOf = (name: string) => tried.filter(({ path }) => path === name);
    await place.clock.advanceUntil(() => names.every((name) => triesOf(name).length >= 4), 250);
    for (const name of names) {
      const pauses = triesOf(name)
        .slice(0, 4)
        .map(({ at }, index, all) => at - (all[index - 1]?.at ?? at));
      expect([name, ...pauses]).toEqual([name, 0, 500, 1_000, 2_000]);
    }
    codes.clear();
    await place.clock.advanceUntil(() => admitted.length === names.length);
    expect(place.log.said('Not sent')).toEqual([]);
    expect(place.incidents.list()).toEqual([]);
  });

  it('is noted after ten seconds, reported once, retried, and admitted when readable', async () => {
    const place = await watchingPlace();
    const codes = new Map([
      ['a.jpg', 'EACCES'],
      ['b.jpg', 'EACCES'],
      ['c.jpg', 'EBUSY'],
    ]);
    const { tried, stand } = refusing(codes);
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg', 'good.jpg']) await place.drop(name);
    const { intake, admitted } = await place.watch({ folder: stand(place.clock) });
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(place.clock.monotonic()).toBeLessThan(3_000);
    await place.clock.advance(5_000);
    expect(await place.states()).toEqual({ 'good.jpg': 'queued' });
    await place.clock.advance(6_000);
    const unreadable = { 'a.jpg': 'unreadable', 'b.jpg': 'unreadable', 'c.jpg': 'unreadable' };
    expect(await place.states()).toEqual({ ...unreadable, 'good.jpg': 'queued' });
    expect(place.incidents.list()).toMatchObject([
      { code: 'FILE_UNREADABLE', params: { count: 3, system: 'EACCES, EBUSY' } },
    ]);
    expect(intake.status.settling).toBe(0);
    const before = tried.length;
    await place.clock.advance(600_000);
    expect(tried.length - before).toBeGreaterThanOrEqual(3 * 9);
    expect(tried.length - before).toBeLessThan(3 * 20);
    expect(place.log.said('Not sent: unreadable')).toHaveLength(3);
    codes.clear();
    await place.clock.advanceUntil(() => admitted.length === 4, 1_000);
    await place.clock.advance(100);
    expect(place.incidents.list()).toEqual([]);
    expect(new Set(Object.values(await place.states()))).toEqual(new Set(['queued']));
  });

  it('delays no good file, even among a thousand of its kind', async () => {
    const place = await watchingPlace();
    const codes = new Map(Array.from({ length: 1_050 }, (_, n) => [`bad${n}.jpg`, 'EACCES']));
    const bytes = await place.drop('bad0.jpg');
    for (const name of codes.keys()) await writeFile(join(place.scans, name), bytes);
    await place.drop('zgood.jpg');
    const { admitted } = place.start({ folder: refusing(codes).stand(place.clock) });
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(place.clock.monotonic()).toBeLessThan(30_000);
    expect(place.incidents.list()).toMatchObject([{ code: 'FILE_UNREADABLE' }]);
  });
});

describe('a ledger that can’t be written', () => {
  const WRITES = ['admit', 'note', 'gone', 'markWatched', 'setFolderMark', 'doubtFolderMark'] as const;

  function failingStorage() {
    let trouble: StorageTrouble | null = null;
    const listeners = new Set<() => void>();
    const storage = {
      trouble: () => trouble,
      onChange: (listener: () => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const writes = failing(WRITES, () => trouble !== null);
    return {
      ledger: (real: Ledger): Ledger => ({ ...writes(real), storage }),
      listeners,
      set(next: StorageTrouble | null) {
        trouble = next;
        for (const listener of listeners) listener();
      },
    };
  }
  const DISK_FULL: StorageTrouble = { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Make room.' };

  it('makes files wait without a message for each, and admits them afterwards', async () => {
    const place = await watchingPlace();
    const storage = failingStorage();
    const { intake, admitted, stop } = await place.watch({ ledger: storage.ledger });
    storage.set(DISK_FULL);
    for (let n = 0; n < 20; n += 1) await place.drop(`${n}.jpg`);
    await place.clock.advance(300_000);
    expect(admitted).toEqual([]);
    expect(place.log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    storage.set(null);
    await place.clock.advanceUntil(() => admitted.length === 20);
    expect(intake.status.state).toBe('watching');
    await stop();
    expect(storage.listeners.size).toBe(0);
  });

  it('does not make the files under way count as bad when writing fails suddenly', async () => {
    const place = await watchingPlace();
    const storage = failingStorage();
    let seen = 0;
    const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
      read: async (...all) => {
        seen += 1;
        if (seen === 3) storage.set(DISK_FULL);
        return real.read(...all);
      },
    });
    for (let n = 0; n < 10; n += 1) await place.drop(`${n}.jpg`);
    const { admitted } = place.start({ ledger: storage.ledger, folder });
    await place.clock.advanceUntil(() => seen >= 3);
    await place.clock.advance(60_000);
    expect(admitted.length).toBeLessThan(10);
    storage.set(null);
    await place.clock.advanceUntil(() => admitted.length === 10);
    expect(place.log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });
});

it('a file that can’t be admitted for a reason of its own waits longer each time, and is reported once', async () => {
  const place = await watchingPlace();
  let broken = true;
  const tries: number[] = [];
  const isOdd = ({ file }: Parameters<Ledger['admit']>[0]): boolean => {
    if (!broken || file.path !== 'odd.jpg') return false;
    tries.push(place.clock.monotonic());
    return true;
  };
  const ledger = failing(['admit'], isOdd as (...args: unknown[]) => boolean, new Error('odd'));
  for (const name of ['odd.jpg', 'good.jpg']) await place.drop(name);
  const { admitted } = place.start({ ledger });
  await place.clock.advanceUntil(() => admitted.length === 1);
  await place.clock.advance(300_000);
  expect(tries.length).toBeGreaterThan(8);
  expect(tries.length).toBeLessThan(15);
  expect(place.log.said('A file could not be recorded')).toHaveLength(1);
  broken = false;
  await place.clock.advanceUntil(() => admitted.length === 2, 1_000);
});
