import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lookAtStateDir, prepareStateDir } from '../../src/state-dir/stateDir.ts';
import { giveAccess, makePrivateDirectory, type WindowsProgram } from '../../src/system/windowsAccess.ts';
import { ANNA, DRIVE_C, MISSING, PROFILE, RecordedWindows, STUB } from '../support/windowsAccess.ts';
import type { WhyFact } from '../../src/core/domain/why.ts';

let parent: string;
let dir: string;
beforeEach(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), 'receiptd-acl-'));
  dir = path.join(parent, 'state');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const OURS = `*${ANNA}:(OI)(CI)F *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F`;
const QUOTED = OURS.split(' ')
  .map((word) => `"${word}"`)
  .join(' ');
const CLOSED = `D:PAI(A;OICI;FA;;;${ANNA})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`;
const closing = () => `${dir} /inheritance:r /grant:r ${OURS}`;

const OPEN = () => `${dir} (Users, Authenticated Users)`;

/** `remedy`: left out if it is not compared. */
function accessOf({
  closed = [] as string[],
  open = [] as string[],
  remedy = expect.any(String) as string | null,
  exposed = [] as string[],
}) {
  const some = (files: readonly string[]) => ({ files, more: 0 });
  return { is: 'access', closed: some(closed), open: some(open), remedy, exposed };
}

async function noteOf(program: WindowsProgram, look = prepareStateDir): Promise<WhyFact | null> {
  const { note } = await look({ stateDir: dir, control: { group: null } }, 'win32', program);
  return note;
}

describe.each(['en', 'de'] as const)('a state directory on a Windows in the language %s', (language) => {
  let windows: RecordedWindows;
  beforeEach(() => {
    windows = new RecordedWindows(language);
  });

  it.each([
    { look: prepareStateDir, name: '`run`' },
    { look: lookAtStateDir, name: '`check`' },
  ])('is closed to other users when it is made, by $name', async ({ look }) => {
    windows.lists.set(parent, DRIVE_C.replaceAll('ID;', ';'));
    expect(await noteOf(windows.program, look)).toBeNull();
    expect(windows.changes).toEqual([closing()]);
    expect(windows.lists.get(dir)).toBe(CLOSED);
  });

  it('is left alone in a profile, which nobody else may enter', async () => {
    await mkdir(dir);
    windows.lists.set(dir, PROFILE);
    await writeFile(path.join(dir, 'credentials.json'), '{}');
    expect(await noteOf(windows.program)).toBeNull();
    expect(windows.changes).toEqual([]);
  });

  it('is closed where others may read it, which is reported once', async () => {
    await mkdir(dir);
    windows.lists.set(dir, DRIVE_C);
    expect(await noteOf(windows.program)).toEqual(accessOf({ closed: [OPEN()] }));
    expect(windows.changes).toEqual([closing()]);
    expect(windows.lists.get(dir)).toBe(CLOSED);
    expect(await noteOf(windows.program)).toBeNull();
  });

  it('is reported with the command that closes it where that is denied', async () => {
    await mkdir(dir);
    windows.lists.set(dir, DRIVE_C);
    windows.isDenied = true;
    const remedy = `icacls "${dir}" /inheritance:r /grant:r ${QUOTED}`;
    expect(await noteOf(windows.program)).toEqual(accessOf({ open: [OPEN()], remedy }));
  });

  it('is only looked at by `check`', async () => {
    await mkdir(dir);
    windows.lists.set(dir, DRIVE_C);
    expect(await noteOf(windows.program, lookAtStateDir)).toEqual(accessOf({ open: [OPEN()], remedy: null }));
    expect(windows.changes).toEqual([]);
  });
});

describe('a state directory on Windows', () => {
  let windows: RecordedWindows;
  beforeEach(async () => {
    windows = new RecordedWindows();
    await mkdir(dir);
  });

  it.each([
    ['everybody', 'WD', 'Everyone', 'S-1-1-0'],
    ['the users of a domain', 'DU', ANNA.replace(/1001$/, '513'), ANNA.replace(/1001$/, '513')],
  ])('loses an entry of its own for %s', async (_, short, name, sid) => {
    windows.lists.set(dir, `${PROFILE}(A;OICI;FA;;;${short})`);
    const note = await noteOf(windows.program);
    const { closed, open } = note?.is === 'access' ? note : accessOf({});
    expect([...closed.files, ...open.files]).toEqual([`${dir} (${name})`]);
    expect(windows.changes).toEqual([`${closing()} /remove:g *${sid}`]);
  });

  it('is open to everybody without an access list, as on a file system that has none', async () => {
    windows.lists.set(dir, 'D:NO_ACCESS_CONTROL');
    expect(await noteOf(windows.program, lookAtStateDir)).toEqual(
      accessOf({ open: [`${dir} (Everyone)`], remedy: null }),
    );
  });

  it('keeps the account that was given it, as a service has one', async () => {
    windows.lists.set(dir, `${CLOSED}(A;OICI;FA;;;LS)`);
    expect(await noteOf(windows.program)).toBeNull();
    expect(windows.changes).toEqual([]);
  });

  it('does not count what is denied, nor apps in containers', async () => {
    windows.lists.set(dir, `${CLOSED}(D;OICI;FA;;;BU)(A;OICIID;0x1200a9;;;AC)(A;OICIIOID;GA;;;CO)`);
    expect(await noteOf(windows.program)).toBeNull();
  });

  it('has a secret with an access list of its own closed, and says that it was readable', async () => {
    windows.lists.set(dir, PROFILE);
    const file = path.join(dir, 'credentials-branch.json');
    await writeFile(file, '{}');
    await writeFile(path.join(dir, 'console-password'), '');
    windows.lists.set(file, 'D:PAI(A;;FA;;;SY)(A;;0x1200a9;;;WD)');
    expect(await noteOf(windows.program)).toEqual(
      accessOf({ closed: [`${file} (Everyone)`], exposed: ['credentials-branch.json'] }),
    );
    expect(windows.changes).toEqual([`${file} /reset /q`]);
  });

  it('names the command for a file that stays open', async () => {
    windows.lists.set(dir, PROFILE);
    const file = path.join(dir, 'mail-password');
    await writeFile(file, '');
    windows.lists.set(file, 'D:PAI(A;;FA;;;WD)');
    windows.isDenied = true;
    expect(await noteOf(windows.program)).toMatchObject({ remedy: `icacls "${file}" /reset` });
    const other = path.join(dir, 'results-secret');
    await writeFile(other, '');
    windows.lists.set(other, 'D:PAI(A;;FA;;;WD)');
    const all = path.join(dir, '*');
    expect(await noteOf(windows.program)).toMatchObject({ remedy: `icacls "${all}" /reset` });
  });

  it.each([
    ['programs that do nothing', STUB, null],
    ['programs that are missing', MISSING, 'ENOENT'],
  ])('is used nevertheless with %s, and not called closed', async (_, program, system) => {
    for (const look of [prepareStateDir, lookAtStateDir])
      expect(await noteOf(program, look)).toEqual({
        is: 'accessUnknown',
        stateDir: dir,
        unknown: { why: 'noIdentity', system },
      });
  });

  it('is not called closed by an icacls that saves nothing', async () => {
    const half: WindowsProgram = (name, args, limitMs) =>
      (name === 'whoami' ? windows.program : STUB)(name, args, limitMs);
    expect(await noteOf(half)).toMatchObject({ unknown: { why: 'noList', of: null } });
  });

  it('is not called closed where a list of a file in it is left out', async () => {
    const file = path.join(dir, 'credentials.json');
    await writeFile(file, '{}');
    const without: WindowsProgram = async (name, args, limitMs) => {
      const ran = await windows.program(name, args, limitMs);
      if (args[0]?.endsWith('*')) await writeFile(args[2] ?? '', '', 'utf16le');
      return ran;
    };
    expect(await noteOf(without)).toMatchObject({ unknown: { why: 'noList', of: 'credentials.json' } });
  });
});

it('a state directory is used where there is no place for the lists that icacls saves', async () => {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = path.join(parent, 'none');
  try {
    expect(await noteOf(new RecordedWindows().program)).toMatchObject({
      unknown: { why: 'unreadable', system: 'ENOENT' },
    });
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});

describe('a directory for a secret on Windows', () => {
  it('is closed where it is made, and left alone where it was there', async () => {
    const windows = new RecordedWindows();
    windows.lists.set(parent, DRIVE_C.replaceAll('ID;', ';'));
    await makePrivateDirectory(dir, 'win32', windows.program);
    expect(windows.changes).toEqual([closing()]);
    await makePrivateDirectory(dir, 'win32', windows.program);
    expect(windows.changes).toHaveLength(1);
  });

  it('is given to the account of a service, and a command named where that fails', async () => {
    const windows = new RecordedWindows();
    expect(await giveAccess(dir, '*S-1-5-19', windows.program)).toBeNull();
    expect(windows.lists.get(dir)).toContain('(A;OICI;FA;;;LS)');
    windows.isDenied = true;
    expect(await giveAccess(dir, '*S-1-5-19', windows.program)).toBe(
      `icacls "${dir}" /grant "*S-1-5-19:(OI)(CI)F"`,
    );
  });
});
