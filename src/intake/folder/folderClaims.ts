import { readFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { systemCode } from '../../core/domain/errors.ts';
import type { FolderClaims, FolderHolder, FolderLook } from '../../core/ports/folder.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { ignoreSystemErrors } from './realDirectory.ts';

/*
 * On one machine, only one agent takes in a folder:
 *
 *   free ──hold──▶ held ──release, or any end of the process──▶ free
 *
 * A claim is a kernel name: an abstract socket on Linux, a named pipe on Windows. The name is derived from the folder's
 * token (device, inode), so it is the same for every path. Nothing is written into the folder or kept open in it, which would
 * prevent unmounting. A client that connects gets the holder's identity. macOS has no such names: claims always succeed there.
 */

const PREFIXES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: '\0receiptd-folder-',
  win32: '\\\\.\\pipe\\receiptd-folder-',
};
/** Longest wait for the holder's answer. A suspended holder does not answer, but still holds the folder. */
const ANSWER_MS = 1_000;
const ANSWER_AT_MOST = 16_384;
/** Errors that mean that nobody listens, on a socket and on a pipe. */
const FREE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT']);
/** File in the state directory with the paths of folders that another agent holds; survives a restart. */
const OTHERS = 'taken-folders.json';

const holder = z.object({ pid: z.number(), user: z.string(), stateDir: z.string() });

/** `isOnce`: for a single run. A person asked for it, so it does not wait for an agent that held the folder before. */
export function createFolderClaims(stateDir: string, { isOnce = false } = {}): FolderClaims {
  const file = join(stateDir, OTHERS);
  let known: Promise<Set<string>> | null = null;
  const others = () => (known ??= isOnce ? Promise.resolve(new Set<string>()) : readOthers(file));
  let writing: Promise<void> = Promise.resolve();
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
      if (!(await listens(server, name))) {
        const found = await ask(name);
        return { kind: 'taken', by: found.kind === 'taken' ? found.by : null };
      }
      server.unref();
      const release = () => new Promise<void>((resolve) => void server.close(() => resolve()));
      return { kind: 'held', release };
    },
    async look(token) {
      const name = nameOf(token);
      return name === null ? { kind: 'free' } : ask(name);
    },
    wasOthers: async (path) => (await others()).has(path),
    async rememberOthers(path, isOthers) {
      const paths = await others();
      if (paths.has(path) === isOthers) return;
      if (isOthers) paths.add(path);
      else paths.delete(path);
      if (isOnce) return;
      const text = `${JSON.stringify([...paths])}\n`;
      // Serializes the writes of all folders.
      writing = writing.then(() => writeDurably(file, text)).catch(ignoreSystemErrors);
      await writing;
    },
  };
}

function nameOf(token: string): string | null {
  const prefix = PREFIXES[process.platform];
  return prefix === undefined ? null : prefix + token.replaceAll(':', '-');
}

/** Claims the name. False if it is taken; if the system refuses it for another reason, the folder counts as free. */
function listens(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(systemCode(error) !== 'EADDRINUSE'));
    server.listen(name, () => resolve(true));
  });
}

/** Any listener holds the folder, whatever it answers. */
function ask(name: string): Promise<FolderLook> {
  return new Promise((resolve) => {
    const socket = connect(name);
    let text = '';
    const endAs = (found: FolderLook): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const end = (): void => endAs({ kind: 'taken', by: parsed(text) });
    const timer = setTimeout(end, ANSWER_MS);
    socket.setEncoding('utf8');
    socket.on('data', (more: string) => {
      text += more;
      if (text.length > ANSWER_AT_MOST) end();
    });
    socket.once('end', end);
    socket.once('error', (error) =>
      FREE.has(systemCode(error) ?? '') && text === '' ? endAs({ kind: 'free' }) : end(),
    );
  });
}

function parsed(text: string): FolderHolder | null {
  try {
    return holder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A file that can't be read or parsed counts as empty: it only tells which agents to wait for. */
async function readOthers(file: string): Promise<Set<string>> {
  try {
    return new Set(z.array(z.string()).parse(JSON.parse(await readFile(file, 'utf8'))));
  } catch {
    return new Set();
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
