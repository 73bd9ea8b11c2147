import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemError } from '../../src/core/domain/errors.ts';
import {
  lookAtStateDir,
  prepareStateDir,
  unwritable,
  type StateSettings,
} from '../../src/state-dir/stateDir.ts';
import { foreignNames, isOwnName } from '../../src/state-dir/stateFiles.ts';
import { asOrdinaryUser, asOwnerOf, ordinaryOwner } from '../support/ordinaryUser.ts';
import { isRoot } from '../support/root.ts';

function at(stateDir: string, group: string | null = null): StateSettings {
  return { stateDir, control: { group } };
}

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'receiptd-state-'));
});
afterEach(async () => {
  await chmod(dir, 0o700);
  await rm(dir, { recursive: true, force: true });
});

const posix = process.platform !== 'win32';

test('a missing state directory is created, with its parents', async () => {
  const deep = path.join(dir, 'a', 'b');
  expect(await prepareStateDir(at(deep))).toEqual({ note: null });
  expect(await readdir(deep)).toEqual([]);
  expect((await stat(deep)).mode & 0o777).toBe(posix ? 0o700 : 0o777);
});

test('the contents of an existing one are left alone', async () => {
  await writeFile(path.join(dir, 'ledger.db'), 'kept');
  await writeFile(path.join(dir, 'note'), 'kept');
  expect(await prepareStateDir(at(dir))).toEqual({ note: null });
  expect(await readdir(dir)).toEqual(['ledger.db', 'note']);
});

test.each([
  ['EROFS', 'mount it again'],
  ['EACCES', 'Let the user that runs receiptd write to it'],
  ['ENOSPC', 'Free some space'],
  ['EIO', 'Check its disk'],
])('on %s, nobody is told to set another state directory if this one has a ledger', async (code, remedy) => {
  const hint = () => unwritable(dir, systemError(code, 'write')).hint;
  expect(hint()).toContain('Set stateDir');
  await writeFile(path.join(dir, 'ledger.db'), '');
  expect(hint()).toContain(remedy);
  expect(hint()).toContain('Keep stateDir as it is');
});

test('a directory with foreign files is refused, and nothing in it is touched', async () => {
  await mkdir(path.join(dir, 'logs'));
  await writeFile(path.join(dir, 'passwd'), '');
  await writeFile(path.join(dir, 'credentials.json'), '');
  const open = ['.', 'logs', 'passwd'].map((name) => path.join(dir, name));
  for (const place of open) await chmod(place, 0o755);
  const link = `${dir}-link`;
  await symlink(dir, link);
  try {
    for (const look of [prepareStateDir, lookAtStateDir])
      await expect(look(at(dir))).rejects.toMatchObject({
        code: 'STATE_UNWRITABLE',
        message: expect.stringContaining("it contains files that are not receiptd's (passwd)"),
        hint: expect.stringContaining(`such as ${path.join(dir, 'receiptd')}.`),
      });
    await expect(prepareStateDir(at(link))).rejects.toMatchObject({ code: 'STATE_UNWRITABLE' });
  } finally {
    await rm(link);
  }
  for (const place of open) expect((await stat(place)).mode & 0o777).toBe(posix ? 0o755 : 0o777);
  expect(await readdir(dir)).toEqual(['credentials.json', 'logs', 'passwd']);
  // A directory of its own below is.
  expect(await prepareStateDir(at(path.join(dir, 'receiptd')))).toEqual({ note: null });
});

test.skipIf(!posix)(
  'system directories and home directories are refused, whatever they contain',
  async () => {
    // Not one of them is looked into: they are refused by name.
    for (const place of ['/etc', '/var/lib', '/home/joe', '/'])
      await expect(prepareStateDir(at(place))).rejects.toMatchObject({
        code: 'STATE_UNWRITABLE',
        message: expect.stringContaining('belongs to the system or to a person'),
      });
  },
);

test.skipIf(!posix)(
  'one of ours that holds other things is closed, and they are left as they are',
  async () => {
    await mkdir(path.join(dir, 'scans'));
    await mkdir(path.join(dir, 'spool'));
    await writeFile(path.join(dir, 'ledger.db'), '');
    for (const name of ['scans', 'spool', 'ledger.db', '.']) await chmod(path.join(dir, name), 0o755);
    const looked = await lookAtStateDir(at(dir));
    expect(looked.note).toMatchObject({
      is: 'access',
      open: { files: expect.arrayContaining([`${dir} (mode 755)`]) },
      remedy: null,
    });
    expect((await modeOf(dir))[0]).toBe(0o755);
    await prepareStateDir(at(dir));
    for (const [name, mode] of [
      ['.', 0o700],
      ['spool', 0o700],
      ['ledger.db', 0o700],
      ['scans', 0o755],
    ] as const)
      expect((await modeOf(path.join(dir, name)))[0]).toBe(mode);
  },
);

test('own files are recognized by name, even while they are being written', () => {
  for (const name of ['ledger.db-wal', 'alerts.json.tmp', '.doctor-12', 'backing-up-a1B2c3', 'restore.json'])
    expect(isOwnName(name)).toBe(true);
  expect(isOwnName('credentials.json.e4e23708-aac5-4f3c-a701-d6e683148941.tmp')).toBe(true);
  for (const name of ['passwd', '.ssh', 'ledger', 'a.tmp', 'spool2', 'backing-up-all-of-it'])
    expect(isOwnName(name)).toBe(false);
  expect(foreignNames(['lost+found', '.config', 'receiptd.yaml', 'credentials-a.json', 'spool'])).toEqual([]);
  expect(foreignNames(['credentials.json', 'x'])).toEqual(['x']);
  expect(foreignNames(['instance.lock', 'x'])).toEqual([]);
});

test('the probe of a killed start is removed', async () => {
  await writeFile(path.join(dir, '.probe-e4e23708-aac5-4f3c-a701-d6e683148941'), 'x');
  await writeFile(path.join(dir, '.probe-of-somebody'), 'kept');
  await writeFile(path.join(dir, 'instance.lock'), '');
  await prepareStateDir(at(dir));
  expect(await readdir(dir)).toEqual(['.probe-of-somebody', 'instance.lock']);
});

test.skipIf(!posix)(
  'access of others is taken away and noted, from files and directories in it as well',
  async () => {
    await mkdir(path.join(dir, 'logs'));
    await writeFile(path.join(dir, 'ledger.db'), '');
    await writeFile(path.join(dir, 'logs', 'receiptd.log'), '');
    await writeFile(path.join(dir, 'credentials.json'), '');
    await writeFile(path.join(dir, 'credentials-branch.json'), '');
    const outside = await mkdtemp(path.join(os.tmpdir(), 'receiptd-outside-'));
    try {
      await symlink(outside, path.join(dir, 'link'));
      for (const [place, mode] of [
        ['logs', 0o777],
        ['ledger.db', 0o644],
        ['logs/receiptd.log', 0o666],
        ['credentials.json', 0o644],
        ['credentials-branch.json', 0o644],
      ] as const)
        await chmod(path.join(dir, place), mode);
      await chmod(outside, 0o755);
      await chmod(dir, 0o750);
      const { note } = await prepareStateDir(at(dir));
      expect(note).toMatchObject({
        is: 'access',
        closed: { files: expect.arrayContaining([`${dir} (mode 750)`]), more: 1 },
        open: { files: [] },
      });
      const modeOf = async (place: string) => (await stat(path.join(dir, place))).mode & 0o777;
      expect(await modeOf('.')).toBe(0o700);
      expect(await modeOf('logs')).toBe(0o700);
      expect(await modeOf('ledger.db')).toBe(0o600);
      expect(await modeOf('logs/receiptd.log')).toBe(0o600);
      // Its reader refuses it and says so: who could read it may have.
      expect(await modeOf('credentials.json')).toBe(0o644);
      expect(await modeOf('credentials-branch.json')).toBe(0o644);
      expect((await stat(outside)).mode & 0o777).toBe(0o755);
      expect(await prepareStateDir(at(dir))).toEqual({ note: null });
    } finally {
      await rm(outside, { recursive: true });
    }
  },
);

test.skipIf(!posix || !isRoot)('a directory of another user is refused', async () => {
  const { uid, gid } = ordinaryOwner();
  const place = path.join(dir, 'state');
  await mkdir(place);
  await chmod(dir, 0o755);
  // Root could write it; the owner could no longer read what root has made.
  await chown(place, uid, gid);
  const asRoot = await prepareStateDir(at(place)).catch((error: unknown) => error);
  expect(asRoot).toMatchObject({
    code: 'STATE_UNWRITABLE',
    message: expect.stringContaining(
      'belongs to a different user (nobody) than the one running receiptd (root)',
    ),
    hint:
      process.platform === 'linux'
        ? 'Run it as that user: runuser -u nobody -- receiptd ….'
        : 'Run it as that user: sudo -u nobody receiptd ….',
  });
  await chown(place, 0, 0);
  await chmod(place, 0o777);
  const asOther = await asOrdinaryUser(() => prepareStateDir(at(place)).catch((error: unknown) => error));
  expect(asOther).toMatchObject({ code: 'STATE_UNWRITABLE', message: expect.stringContaining('(root)') });
  expect((await stat(place)).mode & 0o777).toBe(0o777);
});

/** The first of these places that not everybody may write to, nor to anything above it. */
async function firstClosed(...places: readonly string[]): Promise<string | null> {
  for (const place of places) {
    let open = false;
    for (let at = place; at !== path.dirname(at); at = path.dirname(at)) {
      open ||= ((await stat(at)).mode & 0o002) !== 0;
    }
    if (!open) return place;
  }
  return null;
}

test.skipIf(!posix)('a link is followed, but not to where everyone can write', async () => {
  const link = path.join(dir, 'link');
  const target = path.join(dir, 'target');
  await mkdir(target, { mode: 0o700 });
  await symlink(target, link);
  // The temporary directory itself is such a place.
  const refusal = await prepareStateDir(at(link)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'STATE_UNWRITABLE',
    message: expect.stringMatching(/symbolic link to .*, and everyone can write to /),
  });
  // A checkout may lie in the temporary directory as well.
  const closed = await firstClosed(import.meta.dirname, os.homedir());
  if (closed === null) return;
  const here = await mkdtemp(path.join(closed, 'receiptd-state-'));
  try {
    await chmod(here, 0o700);
    await rm(link);
    await symlink(here, link);
    expect(await prepareStateDir(at(link))).toEqual({ note: null });
  } finally {
    await rm(here, { recursive: true });
  }
});

test('a file in its place is refused', async () => {
  const file = path.join(dir, 'file');
  await writeFile(file, '');
  for (const place of [file, path.join(file, 'below')]) {
    const refusal = await prepareStateDir(at(place)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'STATE_UNWRITABLE',
      message: expect.stringContaining('not a directory'),
    });
  }
});

test.skipIf(!posix)("a directory that can't be written is refused", async () => {
  await chmod(dir, 0o500);
  await asOwnerOf(dir, async () => {
    for (const place of [dir, path.join(dir, 'new')]) {
      const refusal = await prepareStateDir(at(place)).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: 'STATE_UNWRITABLE',
        message: expect.stringContaining('permission denied'),
      });
    }
  });
});

test.skipIf(!posix || !isRoot)(
  'members of the control group may pass through, and read nothing',
  async () => {
    await writeFile(path.join(dir, 'ledger.db'), 'x', { mode: 0o640 });
    expect(await prepareStateDir(at(dir, '54321'))).toEqual({ note: null });
    expect(await modeOf(dir)).toEqual([0o710, 54321]);
    expect((await modeOf(path.join(dir, 'ledger.db')))[0]).toBe(0o600);
    // The next start finds it as it is meant to be.
    expect(await prepareStateDir(at(dir, '54321'))).toEqual({ note: null });
    // Without the group, or for another one, it is private again.
    const wasOpen = { is: 'access', closed: { files: [expect.stringContaining('(mode 710)')] } };
    expect((await prepareStateDir(at(dir))).note).toMatchObject(wasOpen);
    expect((await modeOf(dir))[0]).toBe(0o700);
    await prepareStateDir(at(dir, '54321'));
    expect((await prepareStateDir(at(dir, '54322'))).note).toMatchObject(wasOpen);
    expect(await modeOf(dir)).toEqual([0o710, 54322]);
  },
);

test.skipIf(!posix)('an unknown or foreign group is refused by name', async () => {
  await expect(prepareStateDir(at(dir, 'no-such-group'))).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('"no-such-group"'),
  });
  const refusal = await asOwnerOf(dir, () =>
    prepareStateDir(at(dir, '54321')).catch((error: unknown) => error),
  );
  expect(refusal).toMatchObject({
    code: 'STATE_UNWRITABLE',
    message: expect.stringContaining('not a member of the group 54321'),
    hint: expect.stringContaining('`receiptd service install` again'),
  });
  await chown(dir, process.geteuid?.() ?? -1, process.getegid?.() ?? -1);
});

async function modeOf(file: string): Promise<[mode: number, gid: number]> {
  const { mode, gid } = await stat(file);
  return [mode & 0o777, gid];
}
