import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { installedPackages } from '../../src/pages/installed.ts';
import { tempDir } from '../support/tempDir.ts';

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

it('packages behind a symbolic link are named by the path that the confined process uses', async () => {
  const here = tempDir('installed');
  await mkdir(join(here, 'dist'));
  await symlink(PACKAGES, join(here, 'node_modules'), 'junction');
  const { files, missing } = installedPackages(join(here, 'dist', 'agent.js'));
  expect(missing).toEqual([]);
  expect(files.filter((file) => !file.startsWith(join(here, 'node_modules')))).toEqual([]);
});
