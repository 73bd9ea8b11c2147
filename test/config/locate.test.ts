import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Surroundings } from '../../src/config/config.ts';
import { says } from '../../src/core/domain/setupWords.ts';
import { findConfig, placeForConfig, shadowedBy } from '../../src/config/locate.ts';
import { asOrdinaryUser } from '../support/ordinaryUser.ts';
import { tempDir } from '../support/tempDir.ts';

describe('the config file', () => {
  let root: string;
  let around: Surroundings;

  beforeEach(async () => {
    root = tempDir('locate');
    for (const dir of ['cwd', 'home', 'xdg/receiptd', 'home/.config/receiptd'])
      await mkdir(join(root, dir), { recursive: true });
    around = { env: {}, platform: 'linux', home: join(root, 'home'), cwd: join(root, 'cwd') };
  });

  const touch = (path: string) => writeFile(join(root, path), '');

  it('is the one that --config names, before the one that RECEIPTD_CONFIG names', async () => {
    await touch('cwd/a.yaml');
    await touch('b.yaml');
    await touch('cwd/receiptd.yaml');
    const env = { RECEIPTD_CONFIG: join(root, 'b.yaml') };
    expect(await findConfig('a.yaml', { ...around, env })).toBe(join(root, 'cwd/a.yaml'));
    expect(await findConfig(undefined, { ...around, env })).toBe(join(root, 'b.yaml'));
  });

  it('hides those that come after it, and is not found elsewhere', async () => {
    const [here, user] = [join(root, 'cwd/receiptd.yaml'), join(root, 'home/.config/receiptd/receiptd.yaml')];
    expect(await shadowedBy(here, around)).toEqual([]);
    await touch('home/.config/receiptd/receiptd.yaml');
    expect(await shadowedBy(here, around)).toEqual([user]);
    expect(await shadowedBy(user, around)).toEqual([]);
    expect(await shadowedBy(join(root, 'b.yaml'), around)).toBeNull();
    expect(await shadowedBy(here, { ...around, env: { RECEIPTD_CONFIG: here } })).toEqual([]);
    expect(await shadowedBy(here, { ...around, env: { RECEIPTD_CONFIG: user } })).toBeNull();
  });

  it('is searched for in the working directory, then in the user configuration', async () => {
    await touch('home/.config/receiptd/receiptd.yaml');
    expect(await findConfig(undefined, around)).toBe(join(root, 'home/.config/receiptd/receiptd.yaml'));
    await touch('xdg/receiptd/receiptd.yaml');
    const env = { XDG_CONFIG_HOME: join(root, 'xdg'), RECEIPTD_CONFIG: '' };
    expect(await findConfig(undefined, { ...around, env })).toBe(join(root, 'xdg/receiptd/receiptd.yaml'));
    await touch('cwd/receiptd.yaml');
    expect(await findConfig(undefined, { ...around, env })).toBe(join(root, 'cwd/receiptd.yaml'));
  });

  it.skipIf(process.platform === 'win32')(
    'is not searched for in a working directory that is closed to the user',
    async () => {
      await touch('cwd/receiptd.yaml');
      await touch('home/.config/receiptd/receiptd.yaml');
      const user = join(root, 'home/.config/receiptd/receiptd.yaml');
      await chmod(root, 0o755);
      await chmod(join(root, 'cwd'), 0o000);
      onTestFinished(() => chmod(join(root, 'cwd'), 0o700));
      await asOrdinaryUser(async () => {
        expect(await findConfig(undefined, around)).toBe(user);
        expect(await placeForConfig(undefined, { ...around, isRoot: false })).toMatchObject({ file: user });
        // Named, it is what counts.
        expect(await findConfig('receiptd.yaml', around)).toBe(join(root, 'cwd/receiptd.yaml'));
      });
    },
  );

  it('is not replaced by another if it was named and is missing', async () => {
    await touch('cwd/receiptd.yaml');
    await expect(findConfig('gone.yaml', around)).rejects.toMatchObject({
      key: 'CONFIG_NOT_FOUND.chosen',
      params: { path: join(root, 'cwd/gone.yaml'), isOption: true },
    });
    await expect(
      findConfig(undefined, { ...around, env: { RECEIPTD_CONFIG: '/gone.yaml' } }),
    ).rejects.toMatchObject({
      key: 'CONFIG_NOT_FOUND.chosen',
      params: { path: '/gone.yaml', isOption: false },
    });
  });

  it('is reported with all the places searched and what to do, if there is none', async () => {
    // A platform of its own keeps a file in /etc of the machine that runs this out of the test.
    const windows: Surroundings = {
      env: { APPDATA: 'C:\\Roaming' },
      platform: 'win32',
      home: 'C:\\Ann',
      cwd: 'C:\\w',
    };
    await expect(findConfig(undefined, windows)).rejects.toMatchObject({
      key: 'CONFIG_NOT_FOUND.anywhere',
      params: {
        places: [
          'C:\\w\\receiptd.yaml',
          'C:\\Roaming\\receiptd\\receiptd.yaml',
          'C:\\ProgramData\\receiptd\\receiptd.yaml',
        ],
      },
    });
  });

  it("is written by setup where it exists, otherwise in the machine's place for root and in the user's for others", async () => {
    const empty = { ...around, home: join(root, 'nobody') };
    const forRoot = await placeForConfig(undefined, { ...empty, isRoot: true });
    expect(forRoot).toMatchObject({ file: '/etc/receiptd/receiptd.yaml', exists: false });
    const own = join(root, 'nobody/.config/receiptd/receiptd.yaml');
    expect(await placeForConfig(undefined, { ...empty, isRoot: false })).toMatchObject({
      file: own,
      exists: false,
    });
    expect((await placeForConfig(undefined, { ...empty, isRoot: false }, true)).file).toBe(own);
    const named = await placeForConfig('new.yaml', { ...empty, isRoot: true });
    expect(named).toMatchObject({ file: join(root, 'cwd/new.yaml'), exists: false });
    await touch('cwd/receiptd.yaml');
    const there = join(root, 'cwd/receiptd.yaml');
    expect(await placeForConfig(undefined, { ...empty, isRoot: true })).toMatchObject({
      file: there,
      exists: true,
    });
    const env = { PROGRAMDATA: 'D:\\Data', APPDATA: 'D:\\anna' };
    const windows = { env, platform: 'win32', home: 'D:\\', cwd: 'D:\\none', isRoot: false } as const;
    const { file } = await placeForConfig(undefined, windows);
    expect(file).toBe('D:\\anna\\receiptd\\receiptd.yaml');
    // A service of the machine can read nothing in a profile.
    expect(await placeForConfig(undefined, windows, true)).toMatchObject({
      file: 'D:\\Data\\receiptd\\receiptd.yaml',
      why: says('config.service'),
    });
  });
});
