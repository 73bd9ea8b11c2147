import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkInstalls } from '../../src/wiring/installs.ts';
import { tempDir } from '../support/tempDir.ts';

it('`check` names every install in the PATH if there are several, starting with the one that is used', async () => {
  const dir = tempDir('installs');
  const [npm, packaged, same, none] = ['npm', 'packaged', 'same', 'none'].map((name) => join(dir, name));
  for (const each of [npm, packaged, same]) await mkdir(each ?? '');
  await writeFile(join(dir, 'program.cjs'), '');
  await symlink(join(dir, 'program.cjs'), join(npm ?? '', 'receiptd'));
  await symlink(join(dir, 'program.cjs'), join(same ?? '', 'receiptd'));
  await writeFile(join(packaged ?? '', 'receiptd'), '');
  const found = (...path: (string | undefined)[]) => checkInstalls({ PATH: path.join(delimiter) }, 'linux');
  expect(await found(none, npm, same, npm)).toEqual([]);
  expect(await found('', none)).toEqual([]);
  const [finding] = await found(npm, same, packaged);
  expect(finding?.level).toBe('warn');
  expect(finding?.message).toContain(
    `receiptd is installed more than once: ${npm}/receiptd, ${packaged}/receiptd. The first one is used.`,
  );
});
