import { spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  createConfigFile,
  isConfigWritable,
  replaceConfigFile,
  revisionOf,
} from '../../src/config/configFile.ts';
import { asOwnerOf, asOrdinaryUser, ordinaryOwner } from '../support/ordinaryUser.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';
import { tempDir } from '../support/tempDir.ts';

const FORMER = '# mine\na: 1\n';
const NEW = '# mine\na: 2\n';

async function place() {
  const dir = tempDir('config', memoryDirectory());
  const file = join(dir, 'receiptd.yaml');
  await writeFile(file, FORMER, { mode: 0o640 });
  const replacement = {
    revision: revisionOf(Buffer.from(FORMER)),
    text: NEW,
    history: join(dir, 'history'),
    at: new Date('2026-03-04T05:06:07Z'),
  };
  return { dir, file, replacement };
}

it('replaces the text, keeps mode and owner, and saves the former text', async () => {
  const { dir, file, replacement } = await place();
  await chmod(file, 0o604);
  // What a kill left is in nobody's way.
  await writeFile(join(dir, '.receiptd.yaml.new'), 'half of');
  const { uid, gid } = await stat(file);
  expect(await replaceConfigFile(file, replacement)).toBe(revisionOf(Buffer.from(NEW)));
  expect(await readFile(file, 'utf8')).toBe(NEW);
  expect(await stat(file)).toMatchObject({ uid, gid });
  expect((await stat(file)).mode & 0o777).toBe(0o604);
  expect((await readdir(dir)).sort()).toEqual(['history', 'receiptd.yaml']);
  const [kept = ''] = await readdir(replacement.history);
  expect(kept).toBe('2026-03-04T05-06-07.000Z.receiptd.yaml');
  expect(await readFile(join(replacement.history, kept), 'utf8')).toBe(FORMER);
  expect((await stat(join(replacement.history, kept))).mode & 0o077).toBe(0);
});

it('creates a new file with its directory, and never replaces another', async () => {
  const { dir } = await place();
  const file = join(dir, 'etc', 'receiptd', 'receiptd.yaml');
  await createConfigFile(file, NEW);
  expect(await readFile(file, 'utf8')).toBe(NEW);
  // What a kill left is in nobody's way.
  await writeFile(join(dir, 'etc', 'receiptd', '.receiptd.yaml.new'), 'half');
  await expect(createConfigFile(file, FORMER)).rejects.toMatchObject({ code: 'CONFIG_EXISTS' });
  expect(await readFile(file, 'utf8')).toBe(NEW);
  expect(await readdir(join(dir, 'etc', 'receiptd'))).toEqual(['receiptd.yaml']);
  const below = createConfigFile(join(file, 'receiptd.yaml'), NEW);
  await expect(below).rejects.toMatchObject({ code: 'CONFIG_UNWRITABLE' });
});

it('keeps the owner of a file that root changes', async ({ skip }) => {
  skip(process.geteuid?.() !== 0, 'only root may give files away');
  const { file, replacement } = await place();
  const owner = ordinaryOwner();
  spawnSync('chown', [`${owner.uid}:${owner.gid}`, file]);
  await replaceConfigFile(file, replacement);
  expect(await stat(file)).toMatchObject(owner);
});

it('follows a link and keeps it', async () => {
  const { dir, file, replacement } = await place();
  await mkdir(join(dir, 'etc'));
  const link = join(dir, 'etc', 'link.yaml');
  await symlink('../receiptd.yaml', link);
  await replaceConfigFile(link, replacement);
  expect(await readlink(link)).toBe('../receiptd.yaml');
  expect(await readFile(file, 'utf8')).toBe(NEW);
  expect((await lstat(file)).isFile()).toBe(true);
  expect(await readdir(join(dir, 'etc'))).toEqual(['link.yaml']);
});

it('saves the last ten texts', async () => {
  const { file, replacement } = await place();
  let { revision } = replacement;
  for (let n = 0; n < 11; n += 1) {
    const at = new Date(Date.UTC(2026, 0, 1, n));
    revision = await replaceConfigFile(file, { ...replacement, revision, text: `a: ${n}\n`, at });
  }
  const kept = (await readdir(replacement.history)).sort();
  expect(kept).toHaveLength(10);
  expect(await readFile(join(replacement.history, kept[9] ?? ''), 'utf8')).toBe('a: 9\n');
});

it('leaves a file unchanged that was changed meanwhile', async () => {
  const { dir, file, replacement } = await place();
  await writeFile(file, 'a: 3\n');
  await expect(replaceConfigFile(file, replacement)).rejects.toMatchObject({ code: 'CONFIG_CHANGED' });
  expect(await readFile(file, 'utf8')).toBe('a: 3\n');
  expect(await readdir(dir)).toEqual(['receiptd.yaml']);
});

it('refuses, and changes nothing, without permission to write the file or its directory', async () => {
  const { dir, file, replacement } = await place();
  await chmod(dir, 0o755);
  await chmod(file, 0o644);
  const refused = { code: 'CONFIG_UNWRITABLE' };
  const attempt = () => replaceConfigFile(file, { ...replacement, history: null });
  // Root's directory and root's file.
  if (process.geteuid?.() !== 0) await chmod(dir, 0o555);
  if (process.geteuid?.() !== 0) await chmod(file, 0o444);
  await asOrdinaryUser(() => expect(attempt()).rejects.toMatchObject(refused));
  expect(await asOrdinaryUser(() => isConfigWritable(file))).toBe(false);
  // Their directory, and a file that is not to be changed: a rename alone would be let.
  await chmod(dir, 0o755);
  await chmod(file, 0o444);
  await asOwnerOf(dir, () => expect(attempt()).rejects.toMatchObject(refused));
  expect(await readFile(file, 'utf8')).toBe(FORMER);
  expect(await readdir(dir)).toEqual(['receiptd.yaml']);
});
