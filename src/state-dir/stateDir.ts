import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, chown, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { gidOf } from '../system/group.ts';
import { windowsProgram, type WindowsProgram } from '../system/windowsAccess.ts';
import { closeToOthers, whyNotOurs, type Refused } from './statePrivacy.ts';
import { closeByAccessList } from './windowsPrivacy.ts';
import { makeDirectory } from '../system/makeDirectory.ts';
import type { WhyFact } from '../core/domain/why.ts';

/** The part of the configuration that determines the state directory. */
export interface StateSettings {
  readonly stateDir: string;
  /** Group whose members may use the control socket; null: only the owner. */
  readonly control: { readonly group: string | null };
}

interface Prepared {
  /** Who had or has access besides the owner, or that this is unknown; null if nobody. */
  readonly note: WhyFact | null;
}

/**
 * Creates the state directory, private to its owner, or makes an existing one private; members of the control
 * group may traverse it to reach the socket.
 * @throws ReceiptdError STATE_UNWRITABLE, also for a directory with foreign content; CONFIG_INVALID for an unknown group
 */
export function prepareStateDir(
  settings: StateSettings,
  platform: NodeJS.Platform = process.platform,
  program: WindowsProgram = windowsProgram(),
): Promise<Prepared> {
  return prepare(settings, platform, program, true);
}

/** Like `prepareStateDir`, without changing existing permissions: `note` says what is open. @throws the same errors */
export function lookAtStateDir(
  settings: StateSettings,
  platform: NodeJS.Platform = process.platform,
  program: WindowsProgram = windowsProgram(),
): Promise<Prepared> {
  return prepare(settings, platform, program, false);
}

async function prepare(
  { stateDir, control }: StateSettings,
  platform: NodeJS.Platform,
  program: WindowsProgram,
  closes: boolean,
): Promise<Prepared> {
  const gid = control.group === null || platform === 'win32' ? null : await gidOf(control.group);
  try {
    const refused = await whyNotOurs(stateDir, platform);
    if (refused !== null) throw refusal(stateDir, refused);
    const isNew = (await makeDirectory(stateDir, 0o700)) !== undefined;
    await tryWriting(stateDir);
    if (platform === 'win32') return { note: await privateOnWindows(stateDir, { closes, isNew }, program) };
    const closed = await closeToOthers(stateDir, gid, { closes });
    if (gid !== null) await letThrough(stateDir, gid, control.group ?? '', closes);
    return { note: noteOf(closed, closes ? 'chmod go-rwx' : null) };
  } catch (error) {
    throw unwritable(stateDir, error);
  }
}

/** If Windows does not tell who has access, the agent runs nevertheless. */
async function privateOnWindows(
  stateDir: string,
  how: { readonly closes: boolean; readonly isNew: boolean },
  program: WindowsProgram,
): Promise<WhyFact | null> {
  const found = await closeByAccessList(stateDir, how, program);
  if ('unknown' in found) return { is: 'accessUnknown', stateDir, unknown: found.unknown };
  return noteOf(found, how.closes ? found.remedy : null, found.exposed);
}

/** Lets the group traverse the directory only: its contents stay private. */
async function letThrough(stateDir: string, gid: number, group: string, changes: boolean): Promise<void> {
  const status = await stat(stateDir);
  if (status.gid !== gid) {
    if (!isOneOf(gid)) {
      throw refusal(stateDir, { kind: 'notInGroup', group });
    }
    if (changes) await chown(stateDir, status.uid, gid);
  }
  if (changes) await chmod(stateDir, 0o710);
}

/** Whether this process may assign its files to the group. */
function isOneOf(gid: number): boolean {
  return (
    process.geteuid?.() === 0 || process.getegid?.() === gid || (process.getgroups?.() ?? []).includes(gid)
  );
}

const SHOWN = 3;

/** @param remedy null if it is not removed now, but by the next start */
function noteOf(
  { closed, open }: { readonly closed: readonly string[]; readonly open: readonly string[] },
  remedy: string | null,
  exposed: readonly string[] = [],
): WhyFact | null {
  if (closed.length === 0 && open.length === 0) return null;
  return { is: 'access', closed: someOf(closed), open: someOf(open), remedy, exposed };
}

function someOf(files: readonly string[]) {
  return { files: files.slice(0, SHOWN), more: Math.max(0, files.length - SHOWN) };
}

const PROBE_NAME = /^\.probe-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tries an actual write: permission bits say nothing about read-only file systems or root. */
async function tryWriting(stateDir: string): Promise<void> {
  const probe = path.join(stateDir, `.probe-${randomUUID()}`);
  await writeFile(probe, 'x', { flag: 'wx', mode: 0o600 });
  // Also removes probes left by killed processes; another process starting now does the same.
  const probes = (await readdir(stateDir)).filter((name) => PROBE_NAME.test(name));
  for (const name of probes) await rm(path.join(stateDir, name), { force: true });
}

/** The error for a refused directory. */
function refusal(stateDir: string, refused: Refused): ReceiptdError {
  return new ReceiptdError('STATE_UNWRITABLE.refused', { stateDir, refused });
}

export function unwritable(stateDir: string, cause: unknown): ReceiptdError {
  if (cause instanceof ReceiptdError) return cause;
  const facts = { stateDir, system: systemCode(cause) ?? null, detail: messageOf(cause) };
  const known = { ...facts, mayHoldLedger: mayHoldLedger(stateDir) };
  return new ReceiptdError('STATE_UNWRITABLE.unusable', known, { cause });
}

/** Whether a ledger is there; also true if nobody can tell. */
function mayHoldLedger(stateDir: string): boolean {
  return ['ledger.db', 'ledger.journal'].some((name) => {
    try {
      return statSync(path.join(stateDir, name), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      return systemCode(error) === 'EACCES';
    }
  });
}
