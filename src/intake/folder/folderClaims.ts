import { connect, createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { z } from 'zod';
import { systemCode } from '../../domain/errors.ts';
import type { FolderClaims, FolderHolder } from '../../ports/folder.ts';

/*
 * One agent takes in a folder, on one machine:
 *
 *   free ──hold──▶ held ──release, or the end of the process however it comes──▶ free
 *
 * What is held is a name of the kernel: an abstract socket on Linux, a named pipe on Windows. The name is made from the
 * folder's device and inode, so it is the same by every path, and nothing is written into the folder or kept open in it,
 * which would keep a disk from being unmounted. Whoever asks is told who holds it. macOS has no such names.
 */

const PREFIXES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: '\0receiptd-folder-',
  win32: '\\\\.\\pipe\\receiptd-folder-',
};
/** A holder that is stopped does not answer, and holds it all the same. */
const ANSWER_MS = 1_000;
const ANSWER_AT_MOST = 16_384;

const holder = z.object({ pid: z.number(), user: z.string(), stateDir: z.string() });

export function createFolderClaims(stateDir: string): FolderClaims {
  const self = JSON.stringify({ pid: process.pid, user: userName(), stateDir });
  return {
    async hold(token) {
      const name = nameOf(token);
      if (name === null) return { kind: 'held', release: async () => {} };
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.end(self);
        socket.destroySoon();
      });
      if (!(await listens(server, name))) return { kind: 'taken', by: await ask(name) };
      server.unref();
      const release = () => new Promise<void>((resolve) => void server.close(() => resolve()));
      return { kind: 'held', release };
    },
    async holder(token) {
      const name = nameOf(token);
      return name === null ? null : ask(name);
    },
  };
}

function nameOf(token: string): string | null {
  const prefix = PREFIXES[process.platform];
  return prefix === undefined ? null : prefix + token.replaceAll(':', '-');
}

/** False where the name is taken. Where the system gives none, nothing can be told, and the folder counts as free. */
function listens(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(systemCode(error) !== 'EADDRINUSE'));
    server.listen(name, () => resolve(true));
  });
}

/** Null: nobody answers, or nobody of ours. */
function ask(name: string): Promise<FolderHolder | null> {
  return new Promise((resolve) => {
    const socket = connect(name);
    let text = '';
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parsed(text));
    };
    const timer = setTimeout(end, ANSWER_MS);
    socket.setEncoding('utf8');
    socket.on('data', (more: string) => {
      text += more;
      if (text.length > ANSWER_AT_MOST) end();
    });
    socket.once('end', end);
    socket.once('error', end);
  });
}

function parsed(text: string): FolderHolder | null {
  try {
    return holder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? '?'}`;
  }
}
