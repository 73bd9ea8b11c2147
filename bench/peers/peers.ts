import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../world/measure.ts';

export interface Errand {
  readonly folder: string;
  readonly url: string;
  /** Directory for files that a peer needs to write. */
  readonly scratch: string;
  readonly atOnce: number;
}

export interface Peer {
  readonly name: string;
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  readonly command: (errand: Errand) => Promise<Command>;
}

const SCRIPT = fileURLToPath(new URL('./undici.js', import.meta.url));
const PATH = '/v2/endpoints/bench/documents?name=';

export const CURL: Peer = {
  name: 'curl --parallel',
  needs: ['curl'],
  async command({ folder, url, scratch, atOnce }) {
    const config = join(scratch, 'curl.conf');
    const files = await readdir(folder);
    const transfers = files.map(
      (file) =>
        `url = "${url}${PATH}${file}"\nrequest = POST\nupload-file = "${join(folder, file)}"\noutput = "/dev/null"\n`,
    );
    await writeFile(config, transfers.join('next\n'));
    return {
      file: 'curl',
      args: ['--silent', '--parallel', '--parallel-max', String(atOnce), '--config', config],
    };
  },
};

export const XARGS: Peer = {
  name: 'find | xargs curl',
  needs: ['find', 'xargs', 'curl'],
  async command({ folder, url, atOnce }) {
    const each = `xargs -0 -P${atOnce} -I{} sh -c 'exec curl -sf -o /dev/null --data-binary "@$1" "${url}${PATH}$(basename "$1")"' sh {}`;
    return { file: 'sh', args: ['-c', `find "${folder}" -type f -print0 | ${each}`] };
  },
};

/** Its pacer limits it to 100 calls per second, with two calls per file, so its time does not reflect its speed. */
export const RCLONE: Peer = {
  name: 'rclone copy (WebDAV)',
  needs: ['rclone'],
  async command({ folder, url, atOnce }) {
    const limits = ['--transfers', String(atOnce), '--checkers', String(atOnce)];
    const webdav = ['--webdav-url', `${url}/dav/`, '--webdav-vendor', 'other'];
    return { file: 'rclone', args: ['copy', folder, ':webdav:', ...webdav, ...limits, '--config', ''] };
  },
};

export const UNDICI: Peer = {
  name: 'forty lines of undici',
  needs: [],
  command: async ({ folder, url }) => ({ file: process.execPath, args: [SCRIPT, folder, url] }),
};

export const UNDICI_HASH: Peer = {
  name: 'the same with SHA-256',
  needs: [],
  command: async ({ folder, url }) => ({ file: process.execPath, args: [SCRIPT, folder, url, '--hash'] }),
};

/** The first program that the peer needs and the machine lacks; null if none. */
export function missing({ needs }: Peer): string | null {
  return needs.find((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) ?? null;
}
