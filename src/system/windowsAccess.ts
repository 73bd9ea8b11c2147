import { lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemCode } from '../core/domain/errors.ts';
import { plainEnvironment, run, type Ran } from './programs.ts';
import { makeDirectory } from './makeDirectory.ts';

/** Runs a Windows program to its end. */
export type WindowsProgram = (
  name: 'icacls' | 'whoami',
  args: readonly string[],
  limitMs: number,
) => Promise<Ran>;

/** One that others have access to. */
export interface OpenPath {
  readonly path: string;
  /** Names or identifiers of those who have it. */
  readonly to: readonly string[];
  /** Identifiers of those who were given it here, and not further up. */
  readonly given: readonly string[];
}

export type Access =
  | { readonly isKnown: true; readonly user: string; readonly open: readonly OpenPath[] }
  | { readonly isKnown: false; readonly unknown: AccessUnknown };

/** Why Windows does not tell. `of`: null for the directory itself; `system`: its code, if there is one. */
export type AccessUnknown =
  | { readonly why: 'noIdentity'; readonly system: string | null }
  | { readonly why: 'noList'; readonly of: string | null; readonly system: string | null }
  | { readonly why: 'unreadable'; readonly system: string };

const ANSWER_MS = 10_000;
/** The lists of everything below are changed too. */
const CLOSING_MS = 5 * 60_000;

const SYSTEM = 'S-1-5-18';
const ADMINISTRATORS = 'S-1-5-32-544';

/** By absolute path, so that nothing of that name in PATH or in the working directory is run. */
export function windowsProgram(): WindowsProgram {
  const { env } = process;
  const root = env['SystemRoot'] ?? env['SYSTEMROOT'] ?? 'C:\\Windows';
  return (name, args, limitMs) =>
    run([path.win32.join(root, 'System32', `${name}.exe`), ...args], { env: plainEnvironment(env), limitMs });
}

/**
 * Who besides this user, SYSTEM and the administrators has access to a directory and to what lies directly in it. Goes by
 * identifiers alone: names and messages of Windows are translated.
 */
export async function accessTo(dir: string, program: WindowsProgram): Promise<Access> {
  try {
    const user = await userSid(program);
    const names = await readdir(dir);
    const [own] = await savedLists(dir, program);
    if (own === undefined) throw new NotKnown({ why: 'noList', of: null, system: null });
    const below = names.length === 0 ? [] : await savedLists(path.join(dir, '*'), program);
    await demandEach(dir, names, below);
    const lists = [
      { path: dir, list: own.list },
      ...below.map(({ name, list }) => ({ path: path.join(dir, name), list })),
    ];
    const open = lists.map((each) => openTo(each.path, each.list, user)).filter(({ to }) => to.length > 0);
    return { isKnown: true, user, open };
  } catch (error) {
    if (error instanceof NotKnown) return { isKnown: false, unknown: error.unknown };
    // Such as no place for the list that icacls saves.
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { isKnown: false, unknown: { why: 'unreadable', system: code } };
  }
}

/** Removes the access of other users. To find out whether that worked, read the access again. */
export async function closeToOtherUsers(
  dir: string,
  user: string,
  given: readonly string[],
  program: WindowsProgram,
): Promise<void> {
  await program('icacls', closing(dir, user, given), CLOSING_MS);
}

/** Resets a file to the inherited access, so that it is as private as its directory. */
export async function inheritAccess(file: string, program: WindowsProgram): Promise<void> {
  await program('icacls', [file, '/reset', '/q'], ANSWER_MS);
}

/** The command with which a person can do the same, in the Command Prompt or PowerShell. */
export function closingCommand(dir: string, user: string, open: readonly OpenPath[]): string {
  const own = open.find((each) => each.path === dir);
  const [first, ...more] = open;
  if (own === undefined) return `icacls "${more.length === 0 ? first?.path : path.join(dir, '*')}" /reset`;
  // Quoted, because PowerShell would interpret the parentheses.
  const words = closing(dir, user, own.given).map((word) => (word.startsWith('/') ? word : `"${word}"`));
  return ['icacls', `"${dir}"`, ...words.slice(1)].join(' ');
}

/** Creates a private directory for secrets. Leaves an existing one unchanged. */
export async function makePrivateDirectory(
  dir: string,
  platform: NodeJS.Platform = process.platform,
  program: WindowsProgram = windowsProgram(),
): Promise<void> {
  const made = await makeDirectory(dir, 0o700);
  if (platform !== 'win32' || made === undefined) return;
  const access = await accessTo(dir, program);
  if (access.isKnown) await closeToOtherUsers(dir, access.user, givenAt(dir, access.open), program);
}

/** Identifiers with access granted on the directory itself, which `closeToOtherUsers` removes. */
export function givenAt(dir: string, open: readonly OpenPath[]): readonly string[] {
  return open.find((each) => each.path === dir)?.given ?? [];
}

/**
 * Grants an account access to the directory, creating it if missing.
 * @returns if that fails, the command for a person to run; otherwise null
 */
export async function giveAccess(
  dir: string,
  account: string,
  program: WindowsProgram = windowsProgram(),
): Promise<string | null> {
  await makeDirectory(dir);
  const given = `${account}:(OI)(CI)F`;
  const { status } = await program('icacls', [dir, '/grant', given, '/q'], CLOSING_MS);
  return status === 0 ? null : `icacls "${dir}" /grant "${given}"`;
}

function closing(dir: string, user: string, given: readonly string[]): string[] {
  const kept = [...new Set([user, SYSTEM, ADMINISTRATORS])];
  const taken = given.filter((sid) => sid.startsWith('S-1-'));
  return [
    dir,
    '/inheritance:r',
    '/grant:r',
    ...kept.map((sid) => `*${sid}:(OI)(CI)F`),
    ...(taken.length === 0 ? [] : ['/remove:g', ...taken.map((sid) => `*${sid}`)]),
  ];
}

class NotKnown extends Error {
  readonly unknown: AccessUnknown;

  constructor(unknown: AccessUnknown) {
    super(unknown.why);
    this.unknown = unknown;
  }
}

/** `"office-pc\anna","S-1-5-21-…-1001"`; the name may be in any code page. */
async function userSid(program: WindowsProgram): Promise<string> {
  const { stdout, why } = await program('whoami', ['/user', '/fo', 'csv', '/nh'], ANSWER_MS);
  const sid = /"(S-1-[\d-]+)"\s*$/.exec(stdout)?.[1];
  if (sid === undefined) throw new NotKnown({ why: 'noIdentity', system: why });
  return sid;
}

interface Saved {
  readonly name: string;
  /** In SDDL, which is the same in every language. */
  readonly list: string;
}

/** By `icacls /save`, which writes UTF-16: the name in one line, its access list in the next. */
async function savedLists(what: string, program: WindowsProgram): Promise<Saved[]> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'receiptd-access-'));
  try {
    const file = path.join(dir, 'list');
    const { why } = await program('icacls', [what, '/save', file, '/c', '/q'], ANSWER_MS);
    const text = await readFile(file, 'utf16le').catch((error: unknown) => {
      if (systemCode(error) === undefined) throw error;
      throw new NotKnown({ why: 'noList', of: null, system: why });
    });
    const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    return lines.flatMap((list, index) => {
      const name = lines[index - 1];
      return list.startsWith('D:') && name !== undefined ? [{ name, list }] : [];
    });
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What came or went meanwhile is no matter; a list that can't be read is. */
async function demandEach(dir: string, names: readonly string[], saved: readonly Saved[]): Promise<void> {
  const found = new Set(saved.map(({ name }) => name));
  for (const name of names) {
    if (found.has(name)) continue;
    const isThere = await lstat(path.join(dir, name)).then(
      () => true,
      () => false,
    );
    if (isThere) throw new NotKnown({ why: 'noList', of: name, system: null });
  }
}

function openTo(file: string, list: string, user: string): OpenPath {
  const others = grantsOf(list, user).filter(
    ({ sid, isInherited }) => !isOurs(sid, user) && (isInherited || !isAccount(sid)),
  );
  const given = others.filter(({ isInherited }) => !isInherited).map(({ sid }) => sid);
  return {
    path: file,
    to: [...new Set(others.map(({ sid }) => NAMES[sid] ?? sid))],
    given: [...new Set(given)],
  };
}

interface Grant {
  readonly sid: string;
  readonly isInherited: boolean;
}

/** The entries that allow something: `(A;OICIID;0x1200a9;;;BU)`. */
function grantsOf(list: string, user: string): Grant[] {
  // Without any list everybody may do everything.
  if (list.includes('NO_ACCESS_CONTROL')) return [{ sid: EVERYONE, isInherited: false }];
  return [...list.matchAll(/\((?:A|OA|XA|ZA);([A-Z]*);[^;()]*;[^;()]*;[^;()]*;([\w-]+)/g)].map(
    ([, flags = '', who = '']) => ({ sid: sidOf(who, user), isInherited: flags.includes('ID') }),
  );
}

function isOurs(sid: string, user: string): boolean {
  return sid === user || OURS.test(sid);
}

/**
 * SYSTEM, administrators, the creator or owner of a file, and what an app in a container needs besides its user's rights.
 */
const OURS = /^S-1-(?:5-18|5-32-544|3-0|3-4|15-.*|5-21-.*-(?:500|512|519))$/;

/**
 * Single accounts, and groups that an admin has made. Given access to the state directory itself, they have it on purpose, as the
 * account of a service has.
 */
function isAccount(sid: string): boolean {
  return /^S-1-(?:5-19|5-20|5-21-.*-\d{4,}|5-80-.*|12-1-.*)$/.test(sid);
}

const EVERYONE = 'S-1-1-0';

const NAMES: Readonly<Record<string, string>> = {
  [EVERYONE]: 'Everyone',
  'S-1-5-4': 'Interactive',
  'S-1-5-11': 'Authenticated Users',
  'S-1-5-32-545': 'Users',
  'S-1-5-32-546': 'Guests',
};

/** SDDL's short forms of identifiers. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  WD: EVERYONE,
  CO: 'S-1-3-0',
  CG: 'S-1-3-1',
  OW: 'S-1-3-4',
  NU: 'S-1-5-2',
  IU: 'S-1-5-4',
  SU: 'S-1-5-6',
  AN: 'S-1-5-7',
  AU: 'S-1-5-11',
  SY: SYSTEM,
  LS: 'S-1-5-19',
  NS: 'S-1-5-20',
  BA: ADMINISTRATORS,
  BU: 'S-1-5-32-545',
  BG: 'S-1-5-32-546',
  PU: 'S-1-5-32-547',
  AC: 'S-1-15-2-1',
};
/** Of a machine or a domain. */
const RELATIVE: Readonly<Record<string, number>> = {
  LA: 500,
  LG: 501,
  DA: 512,
  DU: 513,
  DG: 514,
  DC: 515,
  EA: 519,
};

function sidOf(who: string, user: string): string {
  const relative = RELATIVE[who];
  // Of another domain than this user's: which one, the short form does not say.
  const domain = /^(S-1-5-21-.*)-\d+$/.exec(user)?.[1] ?? 'S-1-5-21-0-0-0';
  if (relative !== undefined) return `${domain}-${relative}`;
  return WELL_KNOWN[who] ?? who;
}
