import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostedAgent } from '../../../src/features/os-service/agent.ts';
import { isEdited } from '../../../src/features/os-service/mark.ts';
import {
  accountName,
  mappedDrives,
  refuseMappedDrives,
  windowsTask,
  windowsWord,
} from '../../../src/features/os-service/windows/task.ts';
import { packagedTask } from '../../../src/features/os-service/windows/packagedTask.ts';
import { anAgent } from './agents.ts';
import { misfits } from './taskSchema.ts';
import { WindowsTasks } from '../../../src/features/os-service/windows/manager.ts';
import { tempDir } from '../../support/tempDir.ts';

function onWindows(differences: Partial<HostedAgent> = {}): HostedAgent {
  return anAgent({
    command: [
      String.raw`C:\Program Files\nodejs\node.exe`,
      String.raw`C:\Program Files\receiptd\dist\receiptd.cjs`,
    ],
    configFile: String.raw`C:\ProgramData\receiptd\R&D "scans".yaml`.replaceAll('"', "'"),
    stateDir: String.raw`C:\ProgramData\receiptd`,
    folders: [{ path: String.raw`D:\scans`, writes: [], isShared: false }],
    credentials: [],
    ...differences,
  });
}

function element(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>(.*?)</${name}>`).exec(xml)?.[1];
}

describe('a Windows task', () => {
  it('starts with the machine as a service account, without a time limit, and restarts when it ends', () => {
    const xml = windowsTask(onWindows(), 'system', 'LocalService');
    expect(element(xml, 'UserId')).toBe('S-1-5-19');
    expect(element(xml, 'ExecutionTimeLimit')).toBe('PT0S');
    expect(xml).toContain('<BootTrigger>');
    // Within a minute, even after an exit without failure.
    expect(element(xml, 'Repetition')).toBe(
      '<Interval>PT1M</Interval><StopAtDurationEnd>false</StopAtDurationEnd>',
    );
    expect(element(xml, 'MultipleInstancesPolicy')).toBe('IgnoreNew');
    expect(xml).not.toContain('LogonType');
    expect(isEdited(xml)).toBe(false);
  });

  it.each([
    ['of the machine', windowsTask(onWindows(), 'system', 'LocalService')],
    ['of a named account', windowsTask(onWindows(), 'system', 'OFFICE\\scans')],
    ['of a person', windowsTask(onWindows(), 'user', 'OFFICE\\anna')],
    ['of the installer', packagedTask()],
  ])('%s conforms to the task schema', (_, xml) => {
    expect(misfits(xml)).toEqual([]);
  });

  it('of the installer takes its paths from variables, in quotes', () => {
    expect(element(packagedTask(), 'Arguments')).toBe(
      String.raw`&quot;%ProgramFiles%\receiptd\app\dist\receiptd.cjs&quot; run --config &quot;%ProgramData%\receiptd\receiptd.yaml&quot;`,
    );
  });

  it('quotes spaces for the program and escapes characters for XML', () => {
    const xml = windowsTask(onWindows(), 'system', 'NetworkService');
    expect(element(xml, 'Command')).toBe(String.raw`C:\Program Files\nodejs\node.exe`);
    expect(element(xml, 'Arguments')).toBe(
      String.raw`&quot;C:\Program Files\receiptd\dist\receiptd.cjs&quot; run --config ` +
        String.raw`&quot;C:\ProgramData\receiptd\R&amp;D &apos;scans&apos;.yaml&quot;`,
    );
  });

  it.each([
    ['plain', 'plain'],
    ['a b', '"a b"'],
    ['', '""'],
    ['C:\\a b\\', '"C:\\a b\\\\"'],
    ['say "x"', '"say \\"x\\""'],
    ['a\\"b', '"a\\\\\\"b"'],
  ])('quotes the argument %j as %j', (word, quoted) => {
    expect(windowsWord(word)).toBe(quoted);
  });

  it('of a person starts with their session, and needs no password', () => {
    const xml = windowsTask(
      onWindows({ stateDir: String.raw`C:\Users\anna\AppData\Local\receiptd` }),
      'user',
      'OFFICE\\anna',
    );
    expect(xml).toContain('<LogonTrigger>');
    expect(element(xml, 'LogonType')).toBe('InteractiveToken');
  });

  it('of a named account needs its password', () => {
    expect(element(windowsTask(onWindows(), 'system', 'OFFICE\\scans'), 'LogonType')).toBe('Password');
  });

  it.each<[string, Partial<HostedAgent>]>([
    ['a state directory in a profile', { stateDir: String.raw`C:\Users\anna\AppData\Local\receiptd` }],
    ['a configuration in a profile', { configFile: String.raw`c:\users\anna\receiptd.yaml` }],
    ['a program in a profile', { command: [String.raw`C:\Users\anna\AppData\Roaming\npm\receiptd.cmd`] }],
    ['an environment', { environment: { RECEIPTD_STATE_DIR: String.raw`C:\x` } }],
    ['a line break', { configFile: 'C:\\a\nb' }],
  ])('is refused with %s', (_, differences) => {
    expect(() => windowsTask(onWindows(differences), 'system', 'LocalService')).toThrow(
      expect.objectContaining({ code: 'INSTALL_REFUSED' }),
    );
  });

  it('is refused for a folder on a mapped drive, with the path of the share', () => {
    const netUse = [
      'Neue Verbindungen werden gespeichert.',
      '',
      'Status       Lokal     Remote                    Netzwerk',
      '-------------------------------------------------------------',
      'OK           Z:        \\\\nas\\our scans         Microsoft Windows Network',
      'Getrennt     Y:        \\\\nas\\old',
      'OK                     \\\\nas\\IPC$              Microsoft Windows Network',
    ].join('\r\n');
    const drives = mappedDrives(netUse);
    expect([...drives]).toEqual([
      ['Z:', '\\\\nas\\our scans'],
      ['Y:', '\\\\nas\\old'],
    ]);
    const on = (path: string) => () =>
      refuseMappedDrives(onWindows({ folders: [{ path, writes: [], isShared: false }] }), drives);
    expect(on('z:\\in\\2026')).toThrow(
      expect.objectContaining({
        code: 'INSTALL_REFUSED',
        hint: 'Use \\\\nas\\our scans\\in\\2026 in the configuration.',
      }),
    );
    expect(on('D:\\scans')).not.toThrow();
    expect(on('\\\\nas\\old')).not.toThrow();
  });
});

describe('the account of a task', () => {
  it.each([
    ['LocalService', '*S-1-5-19'],
    ['networkservice', '*S-1-5-20'],
    ['OFFICE\\scans', 'OFFICE\\scans'],
  ])('%s gets access as %s, because Windows translates the names of its own accounts', (user, given) => {
    expect(accountName(user)).toBe(given);
  });
});

/** Stand-ins that record their arguments. `state`: the state of the task according to PowerShell; 4 is running. */
async function tasks(state: number) {
  const dir = tempDir('tasks');
  const calls = join(dir, 'calls');
  const programs = { schtasks: `printf '%s\\n' "$*" >>'${calls}'`, powershell: `echo ${state}` };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(dir, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(dir, name), 0o700);
  }
  const env = { PATH: [dir, process.env['PATH']].join(delimiter) };
  const host = { platform: 'win32' as const, home: dir, uid: null, userName: 'anna', env };
  const manager = new WindowsTasks(host, 'system', 'LocalService', 'C:\\ProgramData\\receiptd\\state');
  return { manager, calls: async () => (await readFile(calls, 'utf8')).trim().split('\n') };
}

it.skipIf(process.platform === 'win32')(
  'a task is disabled before it is stopped, so that its minute timer does not restart it',
  async () => {
    const running = await tasks(4);
    await running.manager.stop();
    expect(await running.calls()).toEqual(['/Change /TN \\receiptd /DISABLE', '/End /TN \\receiptd']);
    const ended = await tasks(1);
    await ended.manager.stop();
    expect(await ended.calls()).toEqual(['/Change /TN \\receiptd /DISABLE']);
    await ended.manager.start();
    expect((await ended.calls()).slice(1)).toEqual(['/Change /TN \\receiptd /ENABLE', '/Run /TN \\receiptd']);
  },
);
