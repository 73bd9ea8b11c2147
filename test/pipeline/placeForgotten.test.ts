/** A ledger that was rebuilt from its journal knows the files of a folder, and not on which file system they lay. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FolderPlace, inItsPlace } from '../../src/pipeline/folderPlace.ts';
import { sendingPlace } from './sending.ts';

async function forgotten() {
  const { ledger, clock, open, scans, dir, admit } = await sendingPlace();
  await admit('s.jpg', { text: 'the text of s.jpg' });
  const folder = open(scans);
  const found = await folder.availability();
  if (found.state !== 'present') throw new Error(found.message);
  const look = () => new FolderPlace({ folder, ledger, clock }).look(found.fileSystem);
  const isThere = async () => (await inItsPlace(folder, ledger).availability()).state === 'present';
  return { file: join(scans, 's.jpg'), elsewhere: join(dir, 's.jpg'), look, isThere };
}

it('with none of its known files it may be an unmounted share, until one of them is there', async () => {
  const { file, elsewhere, look, isThere } = await forgotten();
  await rename(file, elsewhere);
  expect(await look()).toContain('holds none of its files');
  expect(await isThere()).toBe(false);
  // As at the next start, too.
  expect(await look()).toContain('holds none of its files');
  await rename(elsewhere, file);
  expect(await look()).toBeNull();
  expect(await isThere()).toBe(true);
});

it('with one of its known files it is the folder, and is known as that from then on', async () => {
  const { file, look, isThere } = await forgotten();
  expect(await look()).toBeNull();
  await rm(file);
  expect(await look()).toBeNull();
  expect(await isThere()).toBe(true);
});
