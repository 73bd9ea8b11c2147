/** Installation of the service by `receiptd setup`, with a stand-in for systemctl that records its arguments; see service.test.ts. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { installOnce } from '../../src/cli/setup/installing.ts';
import { loadConfig } from '../../src/config/load.ts';
import { defaultConfigText } from '../../src/config/template.ts';
import { MAIN, OFFICE, temporaryDirectory } from './support/agent.ts';

const SYSTEMCTL = `#!/bin/sh
echo "$1" >> "$RECORD"
case "$1" in
  show) printf 'Version=252\\nLoadState=loaded\\nActiveState=active\\nSubState=running\\nUnitFileState=enabled\\nMainPID=42\\n' ;;
esac
`;

test('setup installs the service once, and leaves it running when it is repeated', async ({ skip }) => {
  skip(process.geteuid?.() !== 0, 'only root installs for another user');
  const dir = await temporaryDirectory();
  const [bin, record, scans] = [join(dir, 'bin'), join(dir, 'record'), join(dir, 'scans')];
  for (const each of [bin, scans, join(dir, 'units')]) await mkdir(each);
  const exec = join(bin, 'receiptd');
  await writeFile(exec, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  await writeFile(join(bin, 'systemctl'), SYSTEMCTL);
  for (const path of [dir, bin, scans, exec, join(bin, 'systemctl')]) await chmod(path, 0o755);
  const file = join(dir, 'receiptd.yaml');
  const values = { baseUrl: 'https://service.example', uid: OFFICE, folder: scans };
  await writeFile(file, `${defaultConfigText(values)}stateDir: ${join(dir, 'state')}\n`);
  const env = { PATH: `${bin}:${process.env['PATH']}`, RECORD: record, HOME: dir };
  const context = { env, platform: 'linux', home: dir, cwd: dir, isRoot: true } as const;
  const config = await loadConfig(file, context);
  const { stdin, stdout, stderr } = process;
  const stop = new AbortController().signal;
  const io: Io = { stdin, stdout, stderr, env, cwd: dir, stop, onReload: () => () => {} };
  const host = {
    platform: 'linux',
    uid: 0,
    userName: 'root',
    home: dir,
    env,
    definitionsDir: join(dir, 'units'),
  } as const;
  const told: string[] = [];
  const install = () =>
    installOnce(io, config, { scope: 'system', user: 'nobody', exec }, ({ text }) => told.push(text), host);
  const restarts = async () =>
    (await readFile(record, 'utf8')).split('\n').filter((each) => each === 'restart');

  expect(await install()).toMatchObject({
    manager: 'systemd',
    user: 'nobody',
    started: true,
    result: 'installed',
  });
  expect(await restarts()).toHaveLength(1);
  expect(await install()).toMatchObject({ user: 'nobody', started: true, result: 'unchanged' });
  expect(await restarts()).toHaveLength(1);
  expect(told.at(-1)).toContain('is already running as a service (systemd)');
  // An outdated definition is updated.
  const other = {
    ...config,
    folders: config.folders.map((each) => ({ ...each, afterUpload: 'archive' as const })),
  };
  await chmod(scans, 0o777);
  expect(
    await installOnce(io, other, { scope: 'system', user: 'nobody', exec }, () => {}, host),
  ).toMatchObject({
    result: 'installed',
  });
  expect(await restarts()).toHaveLength(2);
});
