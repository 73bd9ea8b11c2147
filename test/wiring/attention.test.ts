import { Guards } from '../../src/wiring/folders.ts';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaveFormerPlaces } from '../../src/wiring/attention.ts';
import { composeFolders, neverWatched } from '../../src/wiring/folders.ts';
import { createAttentionBook } from '../../src/intake/folder/attentionBook.ts';
import { createAttentionFolder } from '../../src/intake/folder/attentionFolder.ts';
import { createFolderGuard } from '../../src/intake/folder/guarded.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { tempDir } from '../support/tempDir.ts';
import { configIn } from '../config/support.ts';

/** A watched folder whose folder for people was `former`, and is now `place`. */
async function moved(place: string) {
  const dir = tempDir('former');
  const [inbox, stateDir] = [join(dir, 'inbox'), join(dir, 'state')];
  const former = join(inbox, 'former');
  mkdirSync(former, { recursive: true });
  mkdirSync(stateDir);
  writeFileSync(join(former, 'a.jpg'), 'ours');
  writeFileSync(join(former, 'b.jpg'), 'theirs');
  const { size, mtimeMs } = statSync(join(former, 'a.jpg'));
  const book = createAttentionBook(join(stateDir, 'attention'));
  const files = [{ name: 'a.jpg', size, mtimeMs }];
  await book.write(
    { folder: inbox, place: former },
    { entries: [{ path: 'a.jpg', about: '1', files, isPending: false }], made: null },
  );
  const config = configIn(dir, { folders: [{ path: inbox, recursive: true, needsAttention: place }] });
  const leave = () => leaveFormerPlaces(config, { guards: new Guards(), log: new RecordedLog() });
  return { dir, inbox, former, config, book, leave };
}

it('a former folder for people loses only the files that the agent made', async () => {
  const { former, book, leave } = await moved('elsewhere');
  expect(await leave()).toEqual([]);
  expect(readdirSync(former)).toEqual(['b.jpg']);
  expect(await book.keys()).toEqual([]);
});

it('the current folder for people is left alone', async () => {
  const { former, leave } = await moved('former');
  expect(await leave()).toEqual([]);
  expect(readdirSync(former)).toEqual(['a.jpg', 'b.jpg']);
});

it('a missing former folder for people is emptied once it is back', async () => {
  const { dir, inbox, former, config, leave } = await moved('none');
  renameSync(former, join(dir, 'away'));
  expect(await leave()).toEqual([former]);
  renameSync(join(dir, 'away'), former);
  expect(neverWatched(config)).not.toContain(former);
  const folder = composeFolders(config, undefined, new Guards(), [former])(inbox);
  expect(folder.covers('former/a.jpg')).toBe(false);
  expect(folder.covers('other/a.jpg')).toBe(true);
  expect(await leave()).toEqual([]);
  expect(existsSync(join(former, 'a.jpg'))).toBe(false);
});

it('a former folder for people is removed if the agent made it, unless it is not empty or was replaced', async () => {
  const { inbox, book, leave } = await moved('none');
  const key = { folder: inbox, place: join(inbox, 'made') };
  const options = { path: key.place, like: inbox, watched: [inbox], mark: '0a1b2c3d', random: Math.random };
  const place = createAttentionFolder({ ...options, guard: createFolderGuard(inbox) });
  const make = async (): Promise<void> => book.write(key, { entries: [], made: await place.make() });
  await make();
  await leave();
  expect(existsSync(key.place)).toBe(false);
  await make();
  writeFileSync(join(key.place, 'list.txt'), 'mine');
  await leave();
  expect(readdirSync(key.place)).toEqual(['list.txt']);
  await book.write(key, { entries: [], made: '1 1' });
  rmSync(join(key.place, 'list.txt'));
  await leave();
  expect(readdirSync(key.place)).toEqual([]);
  expect(await book.keys()).toEqual([]);
});

it('nothing is deleted through a link that replaced a former folder for people', async () => {
  const { dir, inbox, former, leave } = await moved('none');
  const elsewhere = join(dir, 'elsewhere');
  renameSync(former, elsewhere);
  symlinkSync(elsewhere, join(inbox, 'former'));
  expect(await leave()).toEqual([former]);
  expect(readdirSync(elsewhere)).toEqual(['a.jpg', 'b.jpg']);
});
