/** A FUSE mount that hangs, goes away and comes back; `statfs` reports it as the type of share under test. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sourceUrls, type SourceUrls } from '../../support/compiled.ts';
import { hasBindfs, runInNamespace } from '../../support/namespace.ts';
import { temporaryDirectory } from './fixture.ts';

describe.skipIf(!hasBindfs)('a share', () => {
  let sources: SourceUrls;
  beforeAll(async () => {
    sources = await sourceUrls();
  });

  /** Runs `code` in a mount namespace. `say` outputs a value; `share` (`dir/server` mounted on `dir/share`) and `disk` are folders. */
  async function run(type: number, code: string): Promise<unknown[]> {
    const dir = await temporaryDirectory();
    for (const name of ['server', 'share', 'disk']) await mkdir(join(dir, name));
    for (const name of ['server', 'disk']) await writeFile(join(dir, name, 'a.jpg'), 'receipt');
    return runInNamespace(
      `export UV_THREADPOOL_SIZE=16; bindfs ${dir}/server ${dir}/share`,
      `import { execFileSync } from 'node:child_process';
      import { setTimeout as sleep } from 'node:timers/promises';
      const { createWatchedFolder } = await import('${sources.url('intake/folder/watchedFolder.ts')}');
      const { createFolderGuard } = await import('${sources.url('intake/folder/guarded.ts')}');
      const dir = '${dir}';
      const open = (path, fileSystem, limitMs = 500) => createWatchedFolder({
        path, recursive: true, include: [], ignore: [], exclude: [dir + '/share/archive'], archiveTo: path + '/archive',
        random: Math.random, guard: createFolderGuard(path, limitMs), fileSystem,
      });
      const share = open(dir + '/share', { statfs: async () => ({ type: ${type} }) });
      const disk = open(dir + '/disk', undefined, 5_000);
      const say = (value) => console.log(JSON.stringify(value, (_, each) => typeof each === 'bigint' ? String(each) : each));
      const shell = (command) => execFileSync('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] }).toString();
      const codeOf = (operation) => operation.then(() => 'answered', (error) => error.code);
      const listed = async (folder) => {
        const paths = [];
        for await (const { files } of folder.list()) paths.push(...files.map(({ path }) => path));
        return paths;
      };
      ${code}
      process.exit(0);`,
    );
  }

  it('that is slow does not count as hanging: data that arrives piecemeal is read to the end', async () => {
    // The whole read takes three seconds; only a pause of two seconds without progress counts as hanging.
    const said = await run(
      0x6969,
      `const { mkdirSync, writeFileSync } = await import('node:fs');
      mkdirSync(dir + '/slow');
      writeFileSync(dir + '/server/long.jpg', Buffer.alloc(900_000, 'x'));
      shell('bindfs --read-rate=300k ' + dir + '/server ' + dir + '/slow');
      const slow = open(dir + '/slow', { statfs: async () => ({ type: 0x6969 }) }, 2_000);
      const reading = slow.read('long.jpg', 2_000_000);
      say((await disk.stat('a.jpg')).kind);
      const read = await reading;
      say([read.kind, read.bytes?.length]);
      say((await slow.availability()).state);`,
    );
    expect(said).toEqual(['file', ['bytes', 900_000], 'present']);
  });

  it('that hangs is unreachable, affects no other folder, and recovers', async () => {
    const [hung, elsewhere, refused, back, same] = (await run(
      0x6969,
      `const before = await share.stat('a.jpg');
      const server = shell('pgrep bindfs').trim();
      shell('kill -STOP ' + server);
      const many = Promise.all(Array.from({ length: 50 }, () => codeOf(share.stat('other' + Math.random()))));
      const read = share.read('a.jpg', 100);
      const list = codeOf(listed(share));
      const from = performance.now();
      say({ all: [...new Set(await many)], read: await read, list: await list, state: (await share.availability()).state });
      const disks = await Promise.all(Array.from({ length: 50 }, () => disk.read('a.jpg', 100)));
      say({ disk: disks.every(({ kind }) => kind === 'bytes'), list: await listed(disk), ms: performance.now() - from });
      const started = performance.now();
      for (let n = 0; n < 100; n += 1) await codeOf(share.stat('a.jpg'));
      say({ ms: performance.now() - started });
      shell('kill -CONT ' + server);
      for (let n = 0; n < 500 && (await share.availability()).state !== 'present'; n += 1) await sleep(20);
      say({ state: (await share.availability()).state, list: await listed(share) });
      const after = await share.stat('a.jpg');
      say({ before: before.identity, after: after.identity });`,
    )) as [
      { all: string[]; read: unknown; list: string; state: string },
      { disk: boolean; list: string[]; ms: number },
      { ms: number },
      unknown,
      { before: unknown; after: unknown },
    ];
    expect(hung).toEqual({
      all: ['ETIMEDOUT'],
      read: { kind: 'unreadable', code: 'ETIMEDOUT' },
      list: 'ETIMEDOUT',
      state: 'unreachable',
    });
    expect(elsewhere).toMatchObject({ disk: true, list: ['a.jpg'] });
    expect(elsewhere.ms).toBeLessThan(5_000);
    expect(refused.ms).toBeLessThan(400);
    expect(back).toEqual({ state: 'present', list: ['a.jpg'] });
    expect(same.after).toEqual(same.before);
  });

  it('whose server dies is unreachable until remounted, and then has the same mark and files', async () => {
    const [before, dead, unmounted, after] = await run(
      0x6969,
      `const look = async () => {
        const { state, fileSystem, why } = await share.availability();
        return { state, mark: fileSystem?.mark, why, stat: await share.stat('a.jpg').catch((error) => error.code) };
      };
      say(await look());
      shell('kill -9 $(pgrep bindfs)');
      for (let n = 0; n < 500 && (await share.availability()).state === 'present'; n += 1) await sleep(10);
      say(await look());
      shell('umount ' + dir + '/share');
      const bare = open(dir + '/share');
      say((await bare.availability()).fileSystem);
      shell('bindfs ' + dir + '/server ' + dir + '/share');
      for (let n = 0; n < 500 && (await share.availability()).state !== 'present'; n += 1) await sleep(10);
      say(await look());`,
    );
    expect(dead).toMatchObject({
      state: 'unreachable',
      why: { system: 'ENOTCONN' },
    });
    expect(unmounted).toMatchObject({ network: false });
    expect(after).toEqual(before);
  });

  it('that hangs inside a watched folder keeps none of its events waiting, and is not watched itself', async () => {
    const said = await run(
      0x6969,
      `const { mkdirSync, writeFileSync } = await import('node:fs');
      const { createFolderHints } = await import('${sources.url('intake/folder/hints.ts')}');
      mkdirSync(dir + '/disk/share');
      shell('bindfs ' + dir + '/server ' + dir + '/disk/share; kill -STOP $(pgrep bindfs)');
      const hints = new Set();
      const errors = [];
      await createFolderHints().watch(dir + '/disk', true, (path) => hints.add(path), (error) => errors.push(error.message));
      writeFileSync(dir + '/disk/b.jpg', '');
      while (!hints.has(dir + '/disk/b.jpg')) await sleep(5);
      shell('kill -CONT $(pgrep bindfs)');
      writeFileSync(dir + '/disk/share/c.jpg', '');
      writeFileSync(dir + '/disk/d.jpg', '');
      while (!hints.has(dir + '/disk/d.jpg')) await sleep(5);
      say({ errors, ofShare: [...hints].filter((path) => path.startsWith(dir + '/disk/share/')) });`,
    );
    expect(said).toEqual([{ errors: [], ofShare: [] }]);
  });

  it('that hangs for good is available again once another mount replaces it', async () => {
    const [state, list] = await run(
      0x6969,
      `shell('kill -STOP $(pgrep bindfs)');
      await Promise.all([1, 2].map((n) => codeOf(share.stat('stuck' + n))));
      shell('umount -l ' + dir + '/share; bindfs ' + dir + '/server ' + dir + '/share');
      for (let n = 0; n < 1000 && (await share.availability()).state !== 'present'; n += 1) await sleep(20);
      say((await share.availability()).state);
      say(await listed(share));
      shell('kill -9 $(pgrep bindfs)');`,
    );
    expect(state).toBe('present');
    expect(list).toEqual(['a.jpg']);
  });
});
