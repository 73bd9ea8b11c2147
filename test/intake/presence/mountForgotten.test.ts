/** A ledger rebuilt from its journal knows the files of a folder, but not its file system. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MountIdentity, inItsPlace } from '../../../src/intake/presence/mountIdentity.ts';
import { OFFICE, sendingPlace } from '../../flow/sending.ts';

async function forgotten() {
  const { ledger, clock, open, scans, dir, admit } = await sendingPlace();
  await admit('s.jpg', { text: 'the text of s.jpg' });
  const folder = open(scans);
  const found = await folder.availability();
  if (found.state !== 'present') throw new Error(found.why.is);
  const look = () => new MountIdentity({ folder, ledger, clock }).look(found.fileSystem);
  const isThere = async () => (await inItsPlace(folder, ledger).availability()).state === 'present';
  return { file: join(scans, 's.jpg'), elsewhere: join(dir, 's.jpg'), look, isThere };
}

it('a folder without its known files may be an unmounted share until one of them is back', async () => {
  const { file, elsewhere, look, isThere } = await forgotten();
  await rename(file, elsewhere);
  expect(await look()).toMatchObject({ is: 'otherFileSystem', was: null });
  expect(await isThere()).toBe(false);
  // The same at the next start.
  expect(await look()).toMatchObject({ is: 'otherFileSystem', was: null });
  await rename(elsewhere, file);
  expect(await look()).toBeNull();
  expect(await isThere()).toBe(true);
});

it('a folder with one of its known files is the same folder, and stays so once confirmed', async () => {
  const { file, look, isThere } = await forgotten();
  expect(await look()).toBeNull();
  await rm(file);
  expect(await look()).toBeNull();
  expect(await isThere()).toBe(true);
});

it('an outdated look does not change the recorded mount', async () => {
  const { ledger, clock, open, scans } = await sendingPlace();
  const folder = open(scans);
  const found = await folder.availability();
  if (found.state !== 'present') throw new Error(found.why.is);
  await ledger.setFolderMark(scans, found.fileSystem.mark, clock.now());
  const identity = new MountIdentity({ folder, ledger, clock });
  // The folder has no known files, and its share has returned since the look that found the disk below.
  expect(await identity.look({ ...found.fileSystem, mark: 'the disk below' })).toMatchObject({
    is: 'otherFileSystem',
    was: expect.any(String),
  });
  expect(await ledger.folderMark(scans)).toBe(found.fileSystem.mark);
  expect(await identity.look(found.fileSystem)).toBeNull();
});

it('a record that is outdated when written is undone', async () => {
  const { ledger, clock, open, scans } = await sendingPlace();
  const folder = open(scans);
  const found = await folder.availability();
  if (found.state !== 'present') throw new Error(found.why.is);
  const on = (mark: string) => ({ ...found, fileSystem: { ...found.fileSystem, mark } });
  await ledger.setFolderMark(scans, 'the share', clock.now());
  // The share returns while the disk below is being recorded.
  const isRecorded = async () => (await ledger.folderMark(scans)) === 'the disk below';
  const availability = async () => on((await isRecorded()) ? 'the share' : 'the disk below');
  const identity = new MountIdentity({ folder: { ...folder, availability }, ledger, clock });
  expect(await identity.look(on('the disk below').fileSystem)).toMatchObject({
    is: 'otherFileSystem',
    was: expect.any(String),
  });
  expect(await ledger.folderMark(scans)).toBe('the share');
  expect(await identity.look(on('the share').fileSystem)).toBeNull();
});

/** A folder that moves between two file systems while an admission awaits its commit. */
async function moved() {
  const { ledger, clock, open, scans } = await sendingPlace();
  const folder = open(scans);
  const found = await folder.availability();
  if (found.state !== 'present') throw new Error(found.why.is);
  await ledger.setFolderMark(scans, 'the share', clock.now());
  let begun = (): void => {};
  const lookBegins = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const lastFile = () => {
    begun();
    return ledger.lastFile();
  };
  const identity = new MountIdentity({ folder, ledger: { ...ledger, lastFile }, clock });
  expect(await identity.look({ ...found.fileSystem, mark: 'the share' })).toBeNull();
  const admit = () =>
    ledger.admit({
      endpoint: OFFICE,
      file: { folder: scans, path: 'a.jpg', identity: { size: 9, mtimeNs: 1n, ctimeNs: 1n, inode: 1n } },
      sha256: 'ab'.repeat(32),
      type: 'jpeg',
      lane: 'fresh',
      at: clock.now(),
      naming: ['a'],
    });
  const { fileSystem } = found;
  return { identity, fileSystem, admit, lookBegins, mark: () => ledger.folderMark(scans) };
}

it('an image admitted on the share counts as known although its commit is pending', async () => {
  const { identity, fileSystem, admit, mark } = await moved();
  const admitted = admit();
  expect(await identity.look(fileSystem)).toMatchObject({ is: 'otherFileSystem', was: expect.any(String) });
  await admitted;
  expect(await mark()).toContain('the share');
});

it('an image admitted while the mount is checked does not count, since it may be on the new file system', async () => {
  const { identity, fileSystem, admit, lookBegins, mark } = await moved();
  const looked = identity.look(fileSystem);
  await lookBegins;
  // Committed together with the look, and overwritten since.
  await admit();
  expect(await looked).toBeNull();
  expect(await mark()).toBe(fileSystem.mark);
});
