import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { MAIN, prepare, temporaryDirectory, type Site } from './support/agent.ts';

const DIST = new URL('.', pathToFileURL(MAIN)).href;

/** What a command line loads according to V8's coverage: names of packages, our sources below `src`, and the number of files. */
async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const dir = join(await temporaryDirectory(), 'coverage');
  await mkdir(dir);
  const ended = spawnSync(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...env, NODE_V8_COVERAGE: dir },
  });
  const loaded = new Set<string>();
  let files = 0;
  for (const file of await readdir(dir)) {
    const { result } = JSON.parse(await readFile(join(dir, file), 'utf8')) as { result: { url: string }[] };
    for (const { url } of result) {
      if (url.startsWith(DIST)) files += 1;
      for (const source of await sourcesOf(url)) {
        const [, scoped] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
        const [, ours] = /\/src\/(.+)\.ts$/.exec(source) ?? [];
        const name = scoped ?? ours;
        if (name !== undefined) loaded.add(name);
      }
    }
  }
  return { status: ended.status, loaded, files };
}

const sources = new Map<string, Promise<string[]>>();

/** The sources in a built file, from its source map; other files are their own source. */
function sourcesOf(url: string): Promise<string[]> {
  const known = sources.get(url) ?? readSources(url);
  sources.set(url, known);
  return known;
}

async function readSources(url: string): Promise<string[]> {
  if (!url.startsWith(DIST)) return [url];
  const map = await readFile(fileURLToPath(`${url}.map`), 'utf8').catch(() => null);
  if (map === null) return [url];
  return (JSON.parse(map) as { sources: string[] }).sources;
}

const config = (site: Site) => ({ RECEIPTD_CONFIG: site.config });

describe('loading modules', () => {
  it('--version loads no command, and only the package that parses arguments', async () => {
    const { status, loaded } = await loadedBy(['--version']);
    expect(status).toBe(0);
    expect([...loaded].filter((name) => !name.includes('/')).sort()).toEqual([
      'commander',
      'main',
      'picocolors',
    ]);
    expect(loaded).toContain('cli/program');
    expect(loaded).not.toContain('cli/status');
  });

  it('the help of one command loads only that command', async () => {
    const { status, loaded } = await loadedBy(['init', '--help']);
    expect(status).toBe(0);
    expect(loaded).toContain('cli/init');
    expect(loaded).not.toContain('cli/run');
    expect(
      [...loaded].filter((name) => ['undici', 'chokidar', '@photostructure/sqlite'].includes(name)),
    ).toEqual([]);
  });

  it('a reading command loads neither the pipeline nor code that writes a ledger', async () => {
    const site = await prepare();
    expect((await site.quickOnce()).status).toBe(0);
    const { loaded } = await loadedBy(['show', 'gone'], config(site));
    expect(loaded).toContain('ledger/reads/reports');
    const unwanted =
      /^(pipeline|intake|image|service|spool|sandbox)\/|^ledger\/(?:journal|postgres|steps|thread)\/|^ledger\/(?:fold|work|ledger|writer|sqlite\/start)$|^control\/protocol\/protocol$|^(pg|pg-.+|undici|chokidar|p-queue|winston)$/;
    expect([...loaded].filter((name) => unwanted.test(name))).toEqual([]);
  });
});

it('a single run loads no code that watches folders or connects to an agent', async () => {
  const site = await prepare();
  const { status, loaded, files } = await loadedBy(['run', '--once'], { ...site.env, ...config(site) });
  expect(status).toBe(0);
  expect(loaded).toContain('flow/flow');
  const unwanted =
    /^(daemon\/control\/|intake\/folder\/hints|ledger\/postgres\/)|^(chokidar|readdirp|pg|pg-.+|file-type)$/;
  expect([...loaded].filter((name) => unwanted.test(name))).toEqual([]);
  // Each file takes time to load, however small it is.
  expect(files).toBeLessThan(34);
});

it('a run of a few files does not optimize the HTTP parser, which would delay its exit', async () => {
  const site = await prepare();
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--trace-wasm-compilation-times', MAIN, 'run', '--once', '--config', site.config],
    { env: { ...process.env, ...site.env } },
  );
  expect(site.sandbox.received()).toHaveLength(1);
  expect(stdout).toContain('using Liftoff');
  expect(stdout).not.toContain('using TurboFan');
});
