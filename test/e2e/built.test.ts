import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN } from './support/agent.ts';

const DIST = dirname(MAIN);

async function text(...path: string[]): Promise<string> {
  return readFile(join(DIST, ...path), 'utf8');
}

async function files(ending: string): Promise<string[]> {
  return (await readdir(DIST)).filter((name) => name.endsWith(ending));
}

describe('the build', () => {
  it('includes the licence of every bundled package', async () => {
    const taken = new Set<string>();
    for (const name of await files('.js.map')) {
      const { sources } = JSON.parse(await text(name)) as { sources: string[] };
      for (const source of sources) {
        const [, its] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
        if (its !== undefined) taken.add(its);
      }
    }
    const licences = await text('LICENSES.txt');
    const named = [...licences.matchAll(/^(\S+) [\d.]+\S* \([^)]+\)$/gm)].map(([, name]) => name);
    expect(taken.size).toBeGreaterThan(10);
    expect([...taken].filter((name) => !named.includes(name))).toEqual([]);
  });

  it('bundles no development package, and only the used parts of undici', async () => {
    const lock = JSON.parse(await text('../package-lock.json')) as {
      packages: Readonly<Record<string, { dev?: boolean }>>;
    };
    const maps = await Promise.all((await files('.js.map')).map((name) => text(name)));
    const sources = maps.flatMap((map) => (JSON.parse(map) as { sources: string[] }).sources);
    const packages = sources.flatMap(
      (source) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? [],
    );
    expect(packages).toContain('node_modules/undici');
    expect(packages.filter((path) => lock.packages[path] === undefined || lock.packages[path].dev)).toEqual(
      [],
    );
    expect(sources.filter((source) => /undici\/(?:index\.js|lib\/(?:mock|cache)\/)/.test(source))).toEqual(
      [],
    );
  });

  it('loads the server of the console on demand', async () => {
    const names = await files('.js');
    const texts = await Promise.all(names.map((name) => text(name)));
    const how = texts.flatMap((each) =>
      [...each.matchAll(/(from|import\()\s*"\.\/opened\.js"/g)].map(([, by]) => by),
    );
    expect(new Set(how)).toEqual(new Set(['import(']));
  });
});
