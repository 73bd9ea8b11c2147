import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../support/agent.ts';

const DIST = join(dirname(MAIN), 'console');

describe("the console's files", () => {
  /** The size as sent to a browser that supports only gzip. */
  const size = async (names: readonly string[]): Promise<number> => {
    const files = await Promise.all(names.map((name) => readFile(join(DIST, name))));
    return files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  };

  const namesIn = (text: string): string[] => [
    ...new Set(
      [...text.matchAll(/\b(?:import|from)\s*\(?\s*["'`]\.\/([^"'`]+)["'`]/g)].map(([, name]) =>
        String(name),
      ),
    ),
  ];
  const filesOf = async () => (await readdir(DIST)).filter((name) => !/\.(?:br|gz)$/.test(name));
  const read = (name: string): Promise<string> => readFile(join(DIST, name), 'utf8');
  /** The files that a browser loads for the first view, except the language. */
  async function firstFiles(): Promise<string[]> {
    const scripts = new Set(['app.js']);
    // Iterating a set includes elements added meanwhile.
    for (const script of scripts)
      for (const [, name] of (await read(script)).matchAll(/\bfrom\s*["'`]\.\/([^"'`]+)["'`]/g))
        scripts.add(String(name));
    return ['app.css', 'icon.svg', 'index.html', ...scripts];
  }
  const kindOf = (name: string): string => name.replace(/-[0-9a-f]{8}\.js$/, '');

  it('are few for the first view, plus one per language and per rarely opened page', async () => {
    const names = (await filesOf()).sort();
    const first = await firstFiles();
    const later = names.filter((name) => !first.includes(name)).map(kindOf);
    expect(first.length).toBeLessThan(10);
    const languages = await readdir(new URL('../../../src/console/app/languages/', import.meta.url));
    // The words for log lines and settings have separate files; those of setup too, except for English, whose texts come with the questions.
    const files = languages.flatMap((name) => /^(.*)\.ts$/.exec(name)?.[1] ?? []);
    const setup = files.filter((name) => name !== 'en').map(() => 'setup');
    expect(later).toEqual([
      'ConfigPage',
      'DaysPage',
      'EndpointForms',
      'EndpointsPage',
      'FleetPage',
      'FolderEdit',
      'LogPage',
      'PauseDialog',
      'RejectedPage',
      'ResultsPage',
      'SendDialog',
      'SetupPage',
      ...files.sort(),
      'later',
      ...files.map(() => 'log'),
      ...files.map(() => 'settings'),
      ...setup,
    ]);
  });

  it('are small: less than 120 kB for the first view, the largest language and the icon', async () => {
    const names = await filesOf();
    const languages = await Promise.all(
      names.filter((name) => /^[a-z]{2}-/.test(name)).map((name) => size([name])),
    );
    expect((await size(await firstFiles())) + Math.max(...languages)).toBeLessThan(120_000);
  });

  it('have compressed copies, unless they fit into one packet', async () => {
    const files = await Promise.all(
      (await filesOf()).map(async (name) => ({ name, bytes: await readFile(join(DIST, name)) })),
    );
    const large = files.filter(({ bytes }) => bytes.length >= 1_400);
    const copies = (await readdir(DIST)).filter((name) => /\.(?:br|gz)$/.test(name));
    expect(copies.sort()).toEqual(large.flatMap(({ name }) => [`${name}.br`, `${name}.gz`]).sort());
    for (const { name, bytes } of large) {
      expect(brotliDecompressSync(await readFile(join(DIST, `${name}.br`)))).toEqual(bytes);
      expect(gunzipSync(await readFile(join(DIST, `${name}.gz`)))).toEqual(bytes);
    }
  });

  it('import only each other', async () => {
    const names = await filesOf();
    const scripts = names.filter((name) => name.endsWith('.js'));
    for (const script of scripts)
      for (const name of namesIn(await read(script))) expect(names).toContain(name);
    // Everything waits for the language, which may wait for nothing.
    for (const name of scripts.filter((each) => /^[a-z]{2}-/.test(each)))
      expect(namesIn(await read(name))).toEqual([]);
  });

  it('contain nothing that a strict policy forbids, and no external address', async () => {
    const html = await readFile(join(DIST, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      '/icon.svg',
      '/app.css',
      '/app.js',
    ]);
    expect(await readFile(join(DIST, 'app.css'), 'utf8')).not.toMatch(/url\(|@import/);
  });

  it('are covered by the licences of the install', async () => {
    expect(await readFile(join(dirname(MAIN), 'LICENSES.txt'), 'utf8')).toMatch(/^preact [\d.]+ \(MIT\)$/m);
  });
});
