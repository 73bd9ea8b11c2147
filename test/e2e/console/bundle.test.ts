import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../support/agent.ts';

const DIST = join(dirname(MAIN), 'console');

describe("the console's files", () => {
  /** As they are sent to a browser that knows nothing better than gzip. */
  const size = async (names: readonly string[]): Promise<number> => {
    const files = await Promise.all(names.map((name) => readFile(join(DIST, name))));
    return files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  };

  it('are four that every visit loads, pages that are loaded when they are opened, and small', async () => {
    const names = (await readdir(DIST)).sort();
    const first = ['app.css', 'app.js', 'icon.svg', 'index.html'];
    const later = names.filter((name) => !first.includes(name));
    expect(names).toEqual(expect.arrayContaining(first));
    expect(later.map((name) => name.replace(/-[0-9a-f]{8}\.js$/, ''))).toEqual([
      'ConfigPage',
      'FleetPage',
      'SetupPage',
    ]);
    expect(await size(first)).toBeLessThan(70_000);
    expect(await size(later)).toBeLessThan(30_000);
  });

  it('ask for those pages alone, and they for the first file alone', async () => {
    const later = (await readdir(DIST)).filter((name) => /-[0-9a-f]{8}\.js$/.test(name)).sort();
    const asked = (text: string): string[] =>
      [...text.matchAll(/\b(?:import|from)\s*\(?\s*["'`]([^"'`]+)["'`]/g)].map(([, name]) => String(name));
    const app = asked(await readFile(join(DIST, 'app.js'), 'utf8'));
    expect([...new Set(app)].sort()).toEqual(later.map((name) => `./${name}`));
    for (const name of later) expect(asked(await readFile(join(DIST, name), 'utf8'))).toEqual(['./app.js']);
  });

  it('hold nothing that a strict policy forbids, and name nothing elsewhere', async () => {
    const html = await readFile(join(DIST, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      '/icon.svg',
      '/app.css',
      '/app.js',
    ]);
    expect(await readFile(join(DIST, 'app.css'), 'utf8')).not.toMatch(/url\(|@import/);
  });

  it('are covered by the licences of an install', async () => {
    expect(await readFile(join(dirname(MAIN), 'LICENSES.txt'), 'utf8')).toMatch(/^preact [\d.]+ \(MIT\)$/m);
  });
});
