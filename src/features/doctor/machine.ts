import { open, readFile, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { openPlainFile } from '../../system/plainFile.ts';
import { run } from '../../system/programs.ts';
import { bundleTexts } from '../../texts/en/written.ts';

/** Milliseconds that each of several synced writes took. @throws errors of the file system */
export async function syncTimes(stateDir: string): Promise<number[]> {
  const file = join(stateDir, `.doctor-${process.pid}`);
  const handle = await open(file, 'wx', 0o600);
  const times: number[] = [];
  try {
    for (let n = 0; n < 8; n += 1) {
      const from = performance.now();
      await handle.write(Buffer.alloc(4096, n));
      await handle.sync();
      times.push(performance.now() - from);
    }
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
  return times.sort((a, b) => a - b);
}

const ANSWER_MS = 5_000;

/** How far this machine's clock is ahead of the service's, in milliseconds; null if unknown. */
export async function clockAhead({ service }: Config): Promise<number | null> {
  try {
    const ca = service.ca === null ? undefined : await contentOf(service.ca);
    const from = Date.now();
    const date = await new Promise<string | undefined>((resolve, reject) => {
      const { request } = service.baseUrl.startsWith('https:') ? https : http;
      const asked = request(
        service.baseUrl,
        { method: 'HEAD', timeout: ANSWER_MS, agent: false, ...(ca && { ca }) },
        (answer) => {
          answer.resume();
          resolve(answer.headers.date);
        },
      );
      asked.on('timeout', () => asked.destroy(new Error('no answer')));
      asked.on('error', reject);
      asked.end();
    });
    const theirs = Date.parse(date ?? '');
    // A Date header is in whole seconds, so add half a second on average.
    return Number.isNaN(theirs) ? null : Math.round((from + Date.now()) / 2 - theirs - 500);
  } catch {
    return null;
  }
}

async function contentOf(path: string): Promise<Buffer> {
  const handle = await openPlainFile(path);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

const UNIT_FACTS = [
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'NRestarts',
  'UnitFileState',
  'Type',
  'WatchdogUSec',
];

/** Properties of the systemd unit named receiptd; null without systemd or such a unit. */
export async function systemdUnit(): Promise<Record<string, string> | null> {
  if (process.platform !== 'linux') return null;
  const command = ['systemctl', 'show', 'receiptd.service', `--property=${UNIT_FACTS.join(',')}`];
  const { status, stdout } = await run(command, { env: process.env, limitMs: 3_000 });
  const facts = Object.fromEntries(
    stdout.split('\n').flatMap((line) => {
      const [, key, value] = /^(\w+)=([\w.-]*)$/.exec(line) ?? [];
      return key === undefined || value === undefined || !UNIT_FACTS.includes(key) ? [] : [[key, value]];
    }),
  );
  return status === 0 && facts['LoadState'] === 'loaded' ? facts : null;
}

/** File system type and plain mount options of a path. Source and user name are left out. */
export async function mountOf(
  path: string,
): Promise<{ readonly type: string; readonly options: string[] } | null> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  let found: { at: string; type: string; options: string[] } | null = null;
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , , at = '', options = ''] = before.split(' ');
    const [type = '', , more = ''] = after.split(' ');
    const place = at.replaceAll(String.raw`\040`, ' ');
    const holds = path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
    if (at === '' || !holds || (found !== null && place.length < found.at.length)) continue;
    found = {
      at: place,
      type,
      options: [...options.split(','), ...more.split(',')].filter((each) => PLAIN_OPTION.test(each)),
    };
  }
  return found === null
    ? null
    : { type: FILE_SYSTEM.test(found.type) ? found.type : 'other', options: [...new Set(found.options)] };
}

/** User-space file systems have arbitrary names, so only known ones are shown. */
const FILE_SYSTEM =
  /^(?:ext[234]|xfs|btrfs|zfs|f2fs|tmpfs|ramfs|overlay|squashfs|cifs|smb3|nfs4?|9p|virtiofs|drvfs|v?fat|exfat|ntfs3?|autofs|ceph|gfs2|ocfs2|ecryptfs|fuse|fuseblk|fuse\.(?:sshfs|rclone|gvfsd-fuse|portal|glusterfs|s3fs|mergerfs|vmhgfs-fuse))$/;

const PLAIN_OPTION =
  /^(?:ro|rw|nosuid|nodev|noexec|relatime|noatime|sync|async|soft|hard|intr|serverino|noserverino|nobrl|(?:vers|cache|actimeo|rsize|wsize|timeo|retrans)=[\w.]{1,12})$/;

/** Mode such as `0600`, owner relative to this process, size, and time of change. */
export async function fileFacts(
  path: string,
): Promise<{ mode: string; owner: string; bytes: number; changed: string } | null> {
  try {
    const { mode, uid, size, mtime } = await stat(path);
    const owner =
      uid === process.geteuid?.() ? bundleTexts.ownFile : uid === 0 ? 'root' : bundleTexts.foreignFile;
    return {
      mode: (mode & 0o7777).toString(8).padStart(4, '0'),
      owner,
      bytes: size,
      changed: mtime.toISOString(),
    };
  } catch {
    return null;
  }
}

/** The last bytes of a file, from the start of a line; empty if it can't be read. */
export async function tailOf(file: string, bytes: number): Promise<string> {
  try {
    const handle = await openPlainFile(file);
    try {
      const { size } = await handle.stat();
      const from = Math.max(0, size - bytes);
      const buffer = Buffer.alloc(size - from);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
      const text = buffer.toString('utf8', 0, bytesRead);
      return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}
