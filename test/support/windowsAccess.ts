/**
 * Simulates whoami and icacls of an English or German Windows, from Microsoft's documentation, not from a real system. Keeps access
 * lists for a directory on this machine and applies the rules of inheritance.
 */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WindowsProgram } from '../../src/system/windowsAccess.ts';

export const ANNA = 'S-1-5-21-1004336348-1177238915-682003330-1001';
/** Access list inherited by everything in a user profile. */
export const PROFILE = `D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;${ANNA})`;
/** Access list inherited in `C:\` or `C:\ProgramData`. */
export const DRIVE_C =
  'D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)(A;OICIIOID;GA;;;CO)';

const WORDS = {
  en: {
    user: 'office-pc\\anna',
    done: (path: string) =>
      `processed file: ${path}\r\nSuccessfully processed 1 files; Failed processing 0 files\r\n`,
    denied: (path: string) =>
      `${path}: Access is denied.\r\nSuccessfully processed 0 files; Failed processing 1 files\r\n`,
  },
  de: {
    user: 'büro-pc\\anna',
    done: (path: string) =>
      `Bearbeitete Datei: ${path}\r\n1 Dateien erfolgreich verarbeitet, bei 0 Dateien ist ein Verarbeitungsfehler aufgetreten.\r\n`,
    denied: (path: string) =>
      `${path}: Zugriff verweigert\r\n0 Dateien erfolgreich verarbeitet, bei 1 Dateien ist ein Verarbeitungsfehler aufgetreten.\r\n`,
  },
} as const;

export class RecordedWindows {
  /** Calls that changed something, as requested. */
  readonly changes: string[] = [];
  /** Explicit access lists, by path; everything else inherits. */
  readonly lists = new Map<string, string>();
  isDenied = false;
  readonly #words: (typeof WORDS)[keyof typeof WORDS];
  readonly #user: string;

  constructor(language: keyof typeof WORDS = 'en', user = ANNA) {
    this.#words = WORDS[language];
    this.#user = user;
  }

  readonly program: WindowsProgram = async (name, args) => {
    if (name === 'whoami') {
      const isAsked = args.join(' ') === '/user /fo csv /nh';
      return said(0, isAsked ? `"${this.#words.user}","${this.#user}"\r\n` : `${this.#words.user}\r\n`);
    }
    const [what = '', ...rest] = args;
    if (rest[0] === '/save') {
      await writeFile(rest[1] ?? '', await this.#saved(what), 'utf16le');
      return said(0, this.#words.done(what));
    }
    this.changes.push(args.join(' '));
    if (this.isDenied) return said(5, this.#words.denied(what));
    if (rest[0] === '/reset') this.lists.delete(what);
    else this.lists.set(what, changed(this.#listOf(what), rest));
    return said(0, this.#words.done(what));
  };

  async #saved(what: string): Promise<string> {
    const isBelow = path.basename(what) === '*';
    const paths = isBelow
      ? (await readdir(path.dirname(what))).map((name) => path.join(path.dirname(what), name))
      : [what];
    return paths.map((each) => `${path.basename(each)}\r\n${this.#listOf(each)}\r\n`).join('');
  }

  #listOf(file: string): string {
    const own = this.lists.get(file);
    if (own !== undefined) return own;
    const above = this.lists.get(path.dirname(file)) ?? PROFILE;
    const entries = entriesOf(above).filter(({ flags }) => flags.includes('OI'));
    return `D:AI${entries.map(({ rights, sid }) => `(A;ID;${rights};;;${sid})`).join('')}`;
  }
}

/** Programs that exist and do nothing. */
export const STUB: WindowsProgram = async (name) => said(0, name === 'whoami' ? 'OFFICE-PC\\anna\r\n' : '');
export const MISSING: WindowsProgram = async () => ({ status: null, stdout: '', stderr: '', why: 'ENOENT' });

function said(status: number, stdout: string) {
  return { status, stdout, stderr: '', why: null };
}

function entriesOf(list: string) {
  return [...list.matchAll(/\(A;(\w*);(\w+);;;([\w-]+)\)/g)].map(
    ([text, flags = '', rights = '', sid = '']) => ({ text, flags, rights, sid }),
  );
}

const SHORT: Readonly<Record<string, string>> = {
  'S-1-5-18': 'SY',
  'S-1-5-19': 'LS',
  'S-1-5-32-544': 'BA',
  'S-1-1-0': 'WD',
  'S-1-5-32-545': 'BU',
};

/** `/inheritance:r /grant:r *SID:(OI)(CI)F … /remove:g *SID …`, or `/grant` alone. */
function changed(list: string, words: readonly string[]): string {
  const sids = (part: readonly string[]) =>
    part.map((word) => /^\*([\w-]+)/.exec(word)?.[1] ?? '').map((sid) => SHORT[sid] ?? sid);
  const to = words.findIndex((word) => word.startsWith('/grant'));
  const from = words.indexOf('/remove:g');
  const granted = sids(words.slice(to + 1, from === -1 ? undefined : from)).filter((sid) => sid !== '');
  const removed = from === -1 ? [] : sids(words.slice(from + 1));
  const isProtected = words.includes('/inheritance:r');
  const kept = entriesOf(list).filter(
    ({ flags, sid }) =>
      !(isProtected && flags.includes('ID')) &&
      (flags.includes('ID') || (!granted.includes(sid) && !removed.includes(sid))),
  );
  const given = granted.map((sid) => `(A;OICI;FA;;;${sid})`);
  return `D:${isProtected ? 'P' : ''}AI${[...given, ...kept.map(({ text }) => text)].join('')}`;
}
