import { readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inCopy, PROMISES, readBreak, readBreaks, tryBreak, type Break } from './breaks.ts';

const USAGE = `npm run breaks -- [options] [NAME…]
  NAME                 only breaks whose name contains it, such as P3 or P1/recovery
  --against PATH       a patch of your own, or a directory with patches
  --by TEST            the test that must notice it: simulation, or test/….test.ts
  --list               lists them and runs nothing
  --workers N (${availableParallelism()})      worker processes of the simulation`;

const ROOT = process.cwd();
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string', multiple: true, default: [] },
    by: { type: 'string' },
    list: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
});

const found = (await (values.against.length > 0 ? given(values.against) : readBreaks(ROOT)))
  .filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  .map((each) => ({ ...each, killedBy: values.by ?? each.killedBy }));
if (values.help || found.length === 0) console.log(USAGE);
else if (values.list)
  for (const { name, what, killedBy } of found) console.log(`${name}: ${what} [${killedBy}]`);
else process.exitCode = (await tryAll(found)) ? 0 : 1;

async function given(paths: readonly string[]): Promise<Break[]> {
  const files: string[] = [];
  for (const path of paths.map((each) => resolve(each))) {
    if (!(await stat(path)).isDirectory()) files.push(path);
    else
      files.push(
        ...(await readdir(path)).filter((name) => name.endsWith('.patch')).map((name) => join(path, name)),
      );
  }
  return Promise.all(files.map((file) => readBreak(file, ROOT)));
}

function tryAll(breaks: readonly Break[]): Promise<boolean> {
  return inCopy(ROOT, async (place) => {
    const killed = new Set<Break>();
    for (const each of breaks) {
      const started = performance.now();
      const { isKilled, by } = await tryBreak(each, place, Number(values.workers));
      if (isKilled) killed.add(each);
      const seconds = ((performance.now() - started) / 1_000).toFixed(0);
      console.log(`${isKilled ? 'killed' : 'SURVIVED'} (${seconds} s): ${each.name}\n   ${by}`);
    }
    for (const promise of PROMISES) {
      const own = breaks.filter(({ promises }) => promises[0] === promise);
      if (own.length > 0)
        console.log(`${promise}: ${own.filter((each) => killed.has(each)).length} of ${own.length}`);
    }
    console.log(`${killed.size} of ${breaks.length} breaks were noticed.`);
    return killed.size === breaks.length;
  });
}
