import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../support/agent.ts';

const DIST = join(dirname(MAIN), 'console');

describe("the console's files", () => {
  it('are four, and small', async () => {
    const names = (await readdir(DIST)).sort();
    expect(names).toEqual(['app.css', 'app.js', 'icon.svg', 'index.html']);
    const files = await Promise.all(names.map((name) => readFile(join(DIST, name))));
    expect(files.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(102_400);
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
