import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { WindowsTasks } from '../../../src/features/os-service/windows/manager.ts';
import { tempDir } from '../../support/tempDir.ts';

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
