/** Complete intakes on real FUSE mounts, which count as shares. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sourceUrls, type SourceUrls } from '../../support/compiled.ts';
import { drawReceipt } from '../../support/images.ts';
import { hasBindfs, hasNamespaces } from '../../support/namespace.ts';
import { runIntakes } from './intakeInNamespace.ts';

let sources: SourceUrls;
beforeAll(async () => {
  sources = await sourceUrls();
});

async function receipts(dir: string, ...names: string[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const name of names)
    await writeFile(join(dir, name), await drawReceipt({ type: 'jpeg', seed: dir + name }));
}

/** A share with two receipts, a disk, and receipts for later. */
async function shareAndDisk(dir: string): Promise<string> {
  for (const name of ['share', 'disk']) await mkdir(join(dir, name));
  await receipts(join(dir, 'server'), 'a.jpg', 'b.jpg');
  await receipts(join(dir, 'later'), 'c.jpg', 'd.jpg', 'e.jpg');
  return `bindfs ${dir}/server ${dir}/share`;
}

describe.skipIf(!hasBindfs)('a real mounted share', () => {
  it('that is unmounted leaves an empty directory: no file is gone, and nothing is read again on its return', async () => {
    const [first, empty, back] = await runIntakes(
      sources,
      shareAndDisk,
      `const share = start(dir + '/share');
      const state = async () => ({ ...share.intake.status, reads: share.count.reads, current: await current(dir + '/share'), incidents: incidents.list().map(({ code }) => code) });
      await until(() => share.count.admitted.length === 2 && share.intake.status.state === 'watching');
      say(await state());
      shell('umount -l ' + dir + '/share');
      await until(() => share.intake.status.state === 'unreachable');
      shell('cp ' + dir + '/later/c.jpg ' + dir + '/share/c.jpg');
      await until(() => share.count.admitted.length === 3);
      await sleep(500);
      say(await state());
      shell('bindfs -o nonempty ' + dir + '/server ' + dir + '/share');
      await until(() => share.intake.status.state === 'watching');
      await sleep(500);
      say(await state());`,
    );
    expect(first).toMatchObject({
      fileSystem: 'fuse',
      mode: 'polled',
      current: ['a.jpg', 'b.jpg'],
      reads: 2,
    });
    expect(empty).toMatchObject({
      current: ['a.jpg', 'b.jpg', 'c.jpg'],
      incidents: ['FOLDER_UNREACHABLE'],
      reads: 3,
    });
    expect(back).toMatchObject({ fileSystem: 'fuse', current: ['a.jpg', 'b.jpg'], incidents: [], reads: 3 });
  });

  it('that hangs waits while the other folder continues; then new files are found and nothing else is read', async () => {
    const [hung, back] = await runIntakes(
      sources,
      shareAndDisk,
      `const share = start(dir + '/share');
      const disk = start(dir + '/disk');
      await until(() => share.count.admitted.length === 2 && disk.intake.status.state === 'watching');
      const server = shell('pgrep bindfs').trim();
      shell('kill -STOP ' + server);
      await until(() => share.intake.status.state === 'unreachable');
      shell('cp ' + dir + '/later/d.jpg ' + dir + '/disk/d.jpg; cp ' + dir + '/later/c.jpg ' + dir + '/server/c.jpg');
      await until(() => disk.count.admitted.length === 1);
      say({ share: share.intake.status, incidents: incidents.list().map(({ code }) => code), current: await current(dir + '/share') });
      await sleep(1000);
      shell('kill -CONT ' + server);
      await until(() => share.count.admitted.length === 3);
      // A slow machine may take it for hanging again, and reads the new file again.
      say({ read: [...share.count.paths], incidents: incidents.list(), errors: [...new Set(log.lines.flatMap(({ level, fields }) => level === 'error' ? [fields.code] : []))] });`,
    );
    expect(hung).toMatchObject({
      share: { state: 'unreachable' },
      incidents: ['FOLDER_UNREACHABLE'],
      current: ['a.jpg', 'b.jpg'],
    });
    expect(back).toEqual({
      read: ['a.jpg', 'b.jpg', 'c.jpg'],
      incidents: [],
      errors: ['FOLDER_UNREACHABLE'],
    });
  });
});

describe.skipIf(!hasNamespaces)('an inotify limit that is too low', () => {
  it.each([
    ['max_inotify_watches', 5, 'ENOSPC'],
    ['max_inotify_instances', 0, 'EMFILE'],
  ])(
    '(%s) makes the folder polled and is reported once, until it is raised',
    async (limit, low, code) => {
      const [limited, raised] = await runIntakes(
        sources,
        async (dir) => {
          for (let n = 0; n < 20; n += 1) await mkdir(join(dir, 'disk', `day${n}`), { recursive: true });
          await receipts(join(dir, 'later'), 'c.jpg', 'd.jpg');
          // Limits of this namespace only; those below /proc/sys/fs apply to the whole machine.
          return `echo ${low} > /proc/sys/user/${limit}`;
        },
        `const { writeFileSync } = await import('node:fs');
      const disk = start(dir + '/disk');
      await until(() => disk.intake.status.state === 'watching');
      shell('cp ' + dir + '/later/c.jpg ' + dir + '/disk/day19/c.jpg');
      await until(() => disk.count.admitted.length === 1);
      say({ mode: disk.intake.status.mode, incidents: incidents.list() });
      writeFileSync('/proc/sys/user/${limit}', '10000');
      await until(() => disk.intake.status.mode === 'events', 20_000);
      await sleep(200);
      shell('cp ' + dir + '/later/d.jpg ' + dir + '/disk/day19/d.jpg');
      const at = clock.monotonic();
      await until(() => disk.count.admitted.length === 2);
      say({ ms: clock.monotonic() - at, incidents: incidents.list(), said: log.lines.filter(({ level }) => level === 'error').length });`,
      );
      expect(limited).toMatchObject({
        mode: 'polled',
        incidents: [{ code: 'WATCH_LIMIT', params: { system: code } }],
      });
      expect(raised).toMatchObject({ incidents: [], said: 1 });
    },
    90_000,
  );
});
