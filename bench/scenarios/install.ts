import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Figure, Findings, Scenario } from '../scenario.ts';
import { coldStarts } from '../world/coldStarts.ts';
import { measure } from '../world/measure.ts';
import { copyPackage, lockedPackages, npmCi, sizeOf } from '../world/productionInstall.ts';

const QUICK_MS = 15_000;
const PATIENCE_MS = 5 * 60_000;

/** The cost of an install: its size and time, and the start time of a command. */
export const install: Scenario = {
  name: 'install',
  title: 'Installing and starting',
  async run(bench) {
    const { needed, optional } = await lockedPackages();
    const installed = await installing(optional, bench);
    return {
      figures: [
        {
          name: 'production packages',
          value: needed.length,
          unit: 'count',
          better: 'less',
          note: 'including their dependencies',
        },
        {
          name: 'optional packages',
          value: optional.length,
          unit: 'count',
          better: 'less',
          note: 'npm ci --omit=optional skips them',
        },
        ...installed.figures,
        ...(await coldStarts(bench)),
      ],
      skipped: installed.skipped,
    };
  },
};

async function installing(optional: readonly string[], bench: Bench): Promise<Findings> {
  const dir = join(bench.scratch, 'install');
  const cache = join(bench.scratch, 'npm-cache');
  const skip = (why: string): Findings => ({
    figures: [],
    skipped: [`npm ci and the size of its packages: ${why}.`],
  });
  try {
    await copyPackage(dir);
    const own = await sizeOf(dir);
    const times = await (bench.quick ? quickly(dir) : thoroughly(dir, cache)).catch((error: unknown) => {
      const code = /npm error code (\w+)/.exec(String(error))?.[1] ?? 'unknown reason';
      return skip(`npm did not succeed (${code})`);
    });
    if (times === null) return skip('it takes too long');
    if ('skipped' in times) return times;
    times.forEach(({ name, value }) => bench.say(`${name}: ${value.toFixed(1)} s`));
    // Proves that the install works: an incomplete one would be small too.
    await measure({ file: process.execPath, args: [join(dir, 'dist/receiptd.cjs'), '--version'] });
    const packages = await sizeOf(join(dir, 'node_modules'));
    let keychain = 0;
    // Nested packages count with their parent; packages for other systems are not installed.
    for (const path of optional.filter((each) => each.lastIndexOf('node_modules/') === 0))
      if (existsSync(join(dir, path))) keychain += (await sizeOf(join(dir, path))).bytes;
    const megabytes = (name: string, bytes: number, note?: string): Figure => ({
      name,
      value: bytes / 1e6,
      unit: 'MB',
      better: 'less',
      ...(note !== undefined && { note }),
    });
    return {
      figures: [
        ...times,
        megabytes('size of the package', own.bytes),
        megabytes('size of its dependencies', packages.bytes),
        megabytes('size of optional packages', keychain, 'part of the dependencies'),
        { name: 'files', value: own.files + packages.files, unit: 'count', better: 'less' },
      ],
      skipped: [],
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
    await rm(cache, { recursive: true, force: true });
  }
}

/** Null if it takes too long. */
async function quickly(dir: string): Promise<Figure[] | null> {
  const seconds = await npmCi(dir, QUICK_MS, '--prefer-offline');
  return seconds === null ? null : [took('npm ci', seconds, 'with the cache of this machine')];
}

async function thoroughly(dir: string, cache: string): Promise<Figure[] | null> {
  const cold = await npmCi(dir, PATIENCE_MS, '--cache', cache);
  const warm = cold === null ? null : await npmCi(dir, PATIENCE_MS, '--prefer-offline', '--cache', cache);
  if (cold === null || warm === null) return null;
  return [
    took('npm ci, empty cache', cold, 'mostly the network'),
    took('npm ci, filled cache', warm, 'the second time on the same machine'),
  ];
}

function took(name: string, seconds: number, note: string): Figure {
  return { name, value: seconds, unit: 's', better: 'less', note };
}
