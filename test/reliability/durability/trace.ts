import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/**
 * File calls of the built program, in the order in which the kernel completed them, with the bytes that were written. Paths are absolute.
 * `began` and `synced` are the two ends of a sync: it covers what was written before it began, and counts once it ended.
 */
export type FileCall =
  | { readonly kind: 'create' | 'mkdir' | 'unlink'; readonly path: string }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'write'; readonly path: string; readonly at: number | 'end'; readonly bytes: Buffer }
  | { readonly kind: 'copy'; readonly path: string; readonly from: string }
  | { readonly kind: 'began' | 'synced'; readonly path: string; readonly thread: string }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  /** A file that others wrote, and synced. */
  | { readonly kind: 'put'; readonly path: string; readonly bytes: Buffer }
  /** Bytes that left the process, by a socket or a pipe. */
  | { readonly kind: 'sent'; readonly text: string; readonly isOutput: boolean };

export type Timed = FileCall & { readonly time: number };

const CALLS = [
  'open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,ftruncate,truncate,fsync,fdatasync',
  'rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,copy_file_range,sendfile',
].join(',');
/** Long enough that what did not wait for a sync or a rename overtakes it. */
const DELAY_US = 4_000;

/** `inject`: strace expressions for calls that shall fail. `-D`: the program keeps the pid of the launched process. */
export function straceOptions(output: string, inject: readonly string[] = []): string[] {
  const slow = `fsync,fdatasync,rename,link,linkat:delay_enter=${DELAY_US}`;
  const faults = (inject.length > 0 ? inject : [slow]).flatMap((each) => ['-e', `inject=${each}`]);
  const what = ['-e', `trace=${CALLS}`, '-e', 'signal=none'];
  return ['-D', '-f', '-ttt', '-y', '-s', '2000000', '--seccomp-bpf', ...what, ...faults, '-o', output];
}

export async function readTrace(file: string): Promise<Timed[]> {
  return parseTrace(await readFile(file, 'latin1'));
}

/** Parses the output of strace `-f -y -ttt`, without failed calls. */
export function parseTrace(text: string): Timed[] {
  const begun = new Map<string, string>();
  const opened = new Map<string, string>();
  const ends = new Map<string, number>();
  const calls: Timed[] = [];
  for (const line of text.split('\n')) {
    const [, pid = '', at = '', rest = ''] = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line) ?? [];
    const time = Number(at) * 1000;
    const unfinished = / <unfinished \.\.\.>$/.exec(rest);
    const before = unfinished ? rest.slice(0, unfinished.index) : rest;
    const [, synced] = /^f(?:data)?sync\(\d+<([^>]*)>/.exec(before) ?? [];
    if (synced !== undefined) calls.push({ kind: 'began', path: synced, thread: pid, time });
    if (unfinished) {
      begun.set(pid, before);
      continue;
    }
    const [resumed] = /^<\.\.\. \w+ resumed>/.exec(rest) ?? [];
    const whole = resumed === undefined ? rest : `${begun.get(pid) ?? ''}${rest.slice(resumed.length)}`;
    const [, descriptor, name] = /\) += (\d+)<([^>]*)>(?: \(DELAYED\))?$/.exec(whole) ?? [];
    if (descriptor !== undefined && name !== undefined) {
      opened.set(descriptor, name);
      ends.delete(`${descriptor} ${name}`);
    }
    for (const call of parseCall(whole, pid, opened, ends)) calls.push({ ...call, time });
  }
  return calls;
}

/** The agent also addresses directories through a descriptor, so that nobody can swap a directory on the path. */
function absolute(path: string, base: string | undefined, opened: ReadonlyMap<string, string>): string {
  const [all, descriptor = ''] = /^\/proc\/self\/fd\/(\d+)/.exec(path) ?? [];
  if (all !== undefined) return (opened.get(descriptor) ?? all) + path.slice(all.length);
  return isAbsolute(path) || base === undefined ? path : join(base, path);
}

function parseCall(
  text: string,
  thread: string,
  opened: ReadonlyMap<string, string>,
  ends: Map<string, number>,
): FileCall[] {
  const [, name = '', given = '', result = ''] =
    /^(\w+)\((.*)\) += (-?\d+)(?:<[^>]*>)?(?: .*)?$/.exec(text) ?? [];
  if (name === '' || result.startsWith('-')) return [];
  const texts = [...given.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = '']) => unquoted(inside));
  const [, descriptor = '', file = ''] = /^(\d+)<([^>]*)>/.exec(given) ?? [];
  const bases = [...given.matchAll(/(?:AT_FDCWD|\b\d+)<([^>]*)>/g)].map(([, base]) => base);
  const path = (index: number): string =>
    absolute((texts[index] ?? Buffer.alloc(0)).toString('utf8'), bases[index] ?? bases[0], opened);
  const bytes = (): Buffer => Buffer.concat(texts).subarray(0, Number(result));
  switch (name) {
    case 'open':
    case 'openat':
    case 'creat':
      return [
        ...(given.includes('O_CREAT') || name === 'creat'
          ? [{ kind: 'create', path: path(0) } as const]
          : []),
        ...(given.includes('O_TRUNC') ? [{ kind: 'truncate', path: path(0), size: 0 } as const] : []),
      ];
    case 'write':
    case 'writev': {
      if (file.startsWith('anon_inode:')) return [];
      if (!file.startsWith('/'))
        return [{ kind: 'sent', text: bytes().toString('latin1'), isOutput: descriptor === '1' }];
      const key = `${descriptor} ${file}`;
      const at = ends.get(key) ?? 0;
      ends.set(key, at + Number(result));
      return [{ kind: 'write', path: file, at: APPENDED.test(file) ? 'end' : at, bytes: bytes() }];
    }
    case 'sendto':
    case 'sendmsg':
      return [{ kind: 'sent', text: bytes().toString('latin1'), isOutput: false }];
    case 'pwrite64':
    case 'pwritev':
    case 'pwritev2': {
      const [, offset] = (name === 'pwritev2' ? /, (\d+), \w+$/ : /, (\d+)$/).exec(given) ?? [];
      return [{ kind: 'write', path: file, at: Number(offset), bytes: bytes() }];
    }
    case 'copy_file_range':
      return [{ kind: 'copy', path: bases[1] ?? '', from: file }];
    case 'sendfile':
      return [{ kind: 'copy', path: file, from: bases[1] ?? '' }];
    case 'ftruncate':
    case 'truncate': {
      const size = Number(/, (\d+)$/.exec(given)?.[1]);
      return [{ kind: 'truncate', path: name === 'truncate' ? path(0) : file, size }];
    }
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'synced', path: file, thread }];
    case 'rename':
    case 'renameat':
    case 'renameat2':
      return [{ kind: 'rename', path: path(0), to: path(1) }];
    case 'link':
    case 'linkat':
      return [{ kind: 'link', path: path(0), to: path(1) }];
    case 'unlink':
    case 'unlinkat':
    case 'rmdir':
      return [{ kind: 'unlink', path: path(0) }];
    case 'mkdir':
    case 'mkdirat':
      return [{ kind: 'mkdir', path: path(0) }];
    default:
      return [];
  }
}

/** Files that are opened for appending; the trace does not show where a write went. */
const APPENDED = /\/(?:deferred\.journal|committed\.journal|receiptd\.log|booked)$/;

const ESCAPES: Readonly<Record<string, number>> = { n: 10, t: 9, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

function unquoted(text: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '\\') {
      bytes.push(text.charCodeAt(at));
      continue;
    }
    const [octal] = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4)) ?? [];
    bytes.push(octal === undefined ? (ESCAPES[text.charAt(at + 1)] ?? 0) : parseInt(octal, 8));
    at += octal?.length ?? 1;
  }
  return Buffer.from(bytes);
}
