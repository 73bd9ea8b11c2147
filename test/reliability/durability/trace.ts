import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** File calls of a process, in the order in which the kernel completed them. Paths are absolute. */
export type FileCall =
  | { readonly kind: 'create' | 'write' | 'sync' | 'unlink' | 'mkdir'; readonly path: string }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  /** A statement of the process that holds from here on. */
  | { readonly kind: 'mark'; readonly words: readonly string[] };

const CALLS =
  'open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat';
const LONGEST_TEXT = 512;
/** Name of the file to which the process writes its marks. */
export const MARKS = 'marks';

/**
 * Runs a Node program under strace. `inject` holds strace expressions for calls that shall fail.
 * @throws if the program fails
 */
export async function traced(
  args: readonly string[],
  dir: string,
  inject: readonly string[] = [],
): Promise<FileCall[]> {
  const output = join(dir, 'trace');
  const faults = inject.flatMap((fault) => ['-e', `inject=${fault}`]);
  // Descriptors are resolved to names at the time of the call, so that a file has its current name.
  const options = ['-f', '-y', '-s', String(LONGEST_TEXT), '-e', `trace=${CALLS}`, ...faults, '-o', output];
  // strace counts faults per thread.
  const env = { ...process.env, ...(inject.length > 0 && { UV_THREADPOOL_SIZE: '1' }) };
  await promisify(execFile)('strace', [...options, process.execPath, ...args], { env });
  return parseTrace(await readFile(output, 'utf8'));
}

interface Begun {
  readonly text: string;
  /** Number of calls that had ended when it began. */
  readonly at: number;
}

/** Parses the output of strace `-f -y`, without failed calls. A sync covers only what was written before it began. */
export function parseTrace(text: string): FileCall[] {
  const begun = new Map<string, Begun>();
  const opened = new Map<string, string>();
  const over: { readonly call: FileCall; readonly at: number }[] = [];
  for (const line of text.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest);
    if (unfinished) {
      begun.set(pid, { text: unfinished[1] ?? '', at: over.length });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const before = resumed ? begun.get(pid) : undefined;
    const whole = resumed ? `${before?.text ?? ''}${resumed[1]}` : rest;
    const [, descriptor, name] = /\) += (\d+)<([^>]*)>/.exec(whole) ?? [];
    if (descriptor !== undefined && name !== undefined) opened.set(descriptor, name);
    for (const call of parseCall(byName(whole, opened))) {
      const at = call.kind === 'sync' && before ? before.at - 0.5 : over.length;
      over.push({ call, at });
    }
  }
  return over.toSorted((a, b) => a.at - b.at).map(({ call }) => call);
}

/** The agent also addresses directories through a descriptor, so that nobody can swap a directory on the path. */
function byName(call: string, opened: ReadonlyMap<string, string>): string {
  return call.replace(/"\/proc\/self\/fd\/(\d+)/g, (all, descriptor: string) => {
    const name = opened.get(descriptor);
    return name === undefined ? all : `"${name}`;
  });
}

function parseCall(text: string): FileCall[] {
  const [, name = '', given = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(text) ?? [];
  if (name === '' || result.startsWith('-')) return [];
  const texts = [...given.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = '']) => unquoted(inside));
  const [, opened = ''] = /^\d+<([^>]*)>/.exec(given) ?? [];
  const [first = '', second = ''] = texts;
  switch (name) {
    case 'open':
    case 'openat':
    case 'creat':
      return [
        ...(given.includes('O_CREAT') || name === 'creat' ? [{ kind: 'create', path: first } as const] : []),
        ...(given.includes('O_TRUNC') ? [{ kind: 'write', path: first } as const] : []),
      ];
    case 'write':
    case 'pwrite64':
    case 'writev':
    case 'pwritev':
    case 'pwritev2':
      if (!opened.startsWith('/')) return [];
      if (opened.endsWith(`/${MARKS}`))
        return texts.flatMap((all) => all.split('\n')).flatMap((each) => markOf(each));
      return [{ kind: 'write', path: opened }];
    case 'ftruncate':
      return [{ kind: 'write', path: opened }];
    case 'truncate':
      return [{ kind: 'write', path: first }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync', path: opened }];
    case 'rename':
    case 'renameat':
    case 'renameat2':
      return [{ kind: 'rename', path: first, to: second }];
    case 'link':
    case 'linkat':
      return [{ kind: 'link', path: first, to: second }];
    case 'unlink':
    case 'unlinkat':
      return [{ kind: 'unlink', path: first }];
    case 'mkdir':
    case 'mkdirat':
      return [{ kind: 'mkdir', path: first }];
    default:
      return [];
  }
}

function markOf(line: string): FileCall[] {
  return line === '' ? [] : [{ kind: 'mark', words: line.split(' ') }];
}

function unquoted(text: string): string {
  return text.replace(/\\n/g, '\n').replace(/\\(["\\])/g, '$1');
}
