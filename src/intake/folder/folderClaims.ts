import { readFile, rename, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { systemCode } from '../../core/domain/errors.ts';
import type { FolderClaims, FolderHolder, FolderLook } from '../../core/ports/folder.ts';

/*
 * One agent takes in a folder, on one machine:
 *
 *   free ──hold──▶ held ──release, or the end of the process however it comes──▶ free
 *
 * What is held is a name of the kernel: an abstract socket on Linux, a named pipe on Windows. The name is made from the
 * folder's device and inode, so it is the same by every path, and nothing is written into the folder or kept open in it,
 * which would keep a disk from being unmounted. Anyone who asks is told who holds it. macOS has no such names.
 */

const PREFIXES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: '\0receiptd-folder-',
  win32: '\\\\.\\pipe\\receiptd-folder-',
};
/** A holder that is stopped does not answer, and holds it anyway. */
const ANSWER_MS = 1_000;
const ANSWER_AT_MOST = 16_384;
/** Nobody listens: of a socket, and of a pipe. */
const FREE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT']);
/** In the state directory: paths of folders that are another agent's, from one start to the next. */
const OTHERS = 'taken-folders.json';

const holder = z.object({ pid: z.number(), user: z.string(), stateDir: z.string() });

/** `isOnce`: a run that ends by itself was asked for by a person, and waits for nobody. */
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
      // One write after the other, whatever folders ask for it at once.
      writing = writing.then(() => replace(file, text)).catch(ignoreSystemErrors);
      await writing;
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

/** Who listens holds it, whatever is answered. */
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

/** One that can't be understood is none: it only says what is to be waited for. */
async function readOthers(file: string): Promise<Set<string>> {
  try {
    return new Set(z.array(z.string()).parse(JSON.parse(await readFile(file, 'utf8'))));
  } catch {
    return new Set();
  }
}

async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function ignoreSystemErrors(error: unknown): void {
  if (systemCode(error) === undefined) throw error;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? '?'}`;
  }
}
