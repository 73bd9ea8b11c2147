// Bundles src/ into dist/, so that a command loads a handful of files instead of hundreds.
import { chmod, copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { NOT_BUNDLED } from './notBundled.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(ROOT, 'dist');

// Entry points of child processes and threads. Those in ALONE are bundled into one self-contained file each.
const FOLDER_PROCESS = 'wiring/folderProcess';
const HELPERS = ['api/credentials/keychainHelper', 'ledger/sqlite/checker', FOLDER_PROCESS];
const ALONE = ['wiring/hashThread', 'wiring/ledgerThread', 'pages/child/pageRenderer'];

const { version, dependencies, optionalDependencies } = JSON.parse(
  await readFile(join(ROOT, 'package.json'), 'utf8'),
);

const shared = {
  cwd: ROOT,
  platform: 'node',
  tsconfig: false,
  resolve: {
    alias: {
      undici$: join(ROOT, 'scripts/undiciParts.mjs'),
      // `debug`, a dependency of file-type, would include it if some other package installed it.
      'supports-color': false,
    },
  },
};
const output = {
  dir: OUT,
  // Flat, because the program looks for its helper processes next to the file that starts them.
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  // Keeps real names in exports and stack traces.
  minifyInternalExports: false,
  keepNames: false,
  sourcemap: true,
  sourcemapExcludeSources: true,
};

await rm(OUT, { recursive: true, force: true });
const program = await build(
  {
    ...shared,
    input: {
      main: 'src/main.ts',
      ...Object.fromEntries(HELPERS.map((path) => [basename(path), `src/${path}.ts`])),
      'demo/start': 'src/demo/start.ts',
      'wiring/generate': 'src/wiring/generate.ts',
      'cli/generate': 'src/cli/generate.ts',
    },
    external: NOT_BUNDLED,
    transform: { define: { RECEIPTD_VERSION: JSON.stringify(version) } },
  },
  { ...output, format: 'esm', codeSplitting: { groups: together() } },
);
// One file each: a thread takes a millisecond a file to load, and every start waits for the ledger's thread. The page renderer is
// only permitted to read its own files.
const threads = [];
for (const path of ALONE) {
  const input = { [basename(path)]: `src/${path}.ts` };
  threads.push(...(await build({ ...shared, input, external: NOT_BUNDLED }, { ...output, format: 'esm' })));
}
const lacking = missing([...program, ...threads]);
if (lacking.length > 0) throw new Error(`An install would lack ${lacking.join(', ')}.`);
// Plain JavaScript, apart from its name: copied without bundling.
const entry = await readFile(join(ROOT, 'src/receiptd.cts'), 'utf8');
await writeFile(join(OUT, 'receiptd.cjs'), entry.replace('./main.ts', './main.js'));
await chmod(join(OUT, 'receiptd.cjs'), 0o755);
const browser = await buildConsole();
const taken = packagesIn([...program, ...threads, ...browser]);
const unlisted = await forDevelopmentOnly(taken);
if (unlisted.length > 0)
  throw new Error(
    `No audit of an install would see ${unlisted.join(', ')}: list what needs it under dependencies.`,
  );
await writeFile(join(OUT, 'words.txt'), await ownWords());
await writeFile(join(OUT, 'LICENSES.txt'), await licences(taken));

/** All words in the program's own texts and names. `doctor` treats any other word as private data. */
async function ownWords() {
  const words = new Set();
  for (const path of (await readdir(join(ROOT, 'src'), { recursive: true })).sort()) {
    // Examples name people and machines.
    if (
      !path.endsWith('.ts') ||
      /^(?:console\/app|demo|sandbox)\/|^texts\/examples/.test(path.replaceAll('\\', '/'))
    )
      continue;
    const text = await readFile(join(ROOT, 'src', path), 'utf8');
    for (const [word] of text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '').matchAll(/[A-Za-z]+/g)) words.add(word);
  }
  return `${[...words].sort().join('\n')}\n`;
}

/**
 * Groups modules into few files; by default there would be about 60, at half a millisecond each. In load order: helpers, `--version` and
 * read-only commands load none of the later groups.
 */
function together() {
  const order = ['base', 'begin', 'folder', 'plain', 'common', 'parts', 'starting', 'running'];
  let groups = null;
  return order.map((group, index) => ({
    debugName: group,
    name: (id, context) => ((groups ??= groupsOf(context)).get(id) === group ? group : null),
    priority: order.length - index,
  }));
}

/** The group of each module that belongs to one. */
function groupsOf(context) {
  const source = (path) => join(ROOT, `src/${path}.ts`);
  const from = (...ids) => importedBy(context, ids);
  const main = source('main');
  const run = source('cli/run');
  const agent = source('cli/runAgent');
  const commands = context.getModuleInfo(source('cli/commands')).dynamicallyImportedIds;
  const folder = from(source(FOLDER_PROCESS));
  const helpers = from(...HELPERS.filter((path) => path !== FOLDER_PROCESS).map(source));
  const begin = from(main);
  const reading = from(
    ...['cli/status', 'cli/list', 'ledger/sqlite/openReports', 'state-dir/lockHolder'].map(source),
  );
  const plain = from(source('cli/init'));
  const others = from(...commands.filter((id) => id !== run));
  const starting = from(run);
  const groupOf = (id) => {
    if (helpers.has(id) || (folder.has(id) && (begin.has(id) || reading.has(id)))) return 'base';
    if (begin.has(id)) return 'begin';
    if (folder.has(id)) return 'folder';
    if (plain.has(id)) return 'plain';
    if (reading.has(id)) return 'common';
    if (others.has(id)) return 'parts';
    // A run starts the ledger's thread before it loads its other modules.
    return starting.has(id) ? 'starting' : 'running';
  };
  return new Map([...begin, ...from(run, agent)].filter((id) => id !== main).map((id) => [id, groupOf(id)]));
}

/** These modules and all that they import, at once. */
function importedBy(context, ids) {
  const seen = new Set(ids);
  // Iterating a set includes elements added meanwhile.
  for (const id of seen) for (const each of context.getModuleInfo(id)?.importedIds ?? []) seen.add(each);
  return seen;
}

/** What pages share, in load order. */
function ofPages(main) {
  let first = null;
  const groupOf = (id, context) => ((first ??= importedBy(context, [main])).has(id) ? 'parts' : 'later');
  return ['parts', 'later'].map((group, index) => ({
    debugName: group,
    name: (id, context) => (groupOf(id, context) === group ? group : null),
    minShareCount: 2,
    priority: 2 - index,
  }));
}

/** Builds the console: one file of each kind, plus chunks for rarely used pages. Nothing is loaded from other hosts. */
async function buildConsole() {
  const from = join(ROOT, 'src/console/app');
  const to = join(OUT, 'console');
  await mkdir(to);
  const chunks = await build(
    {
      cwd: ROOT,
      platform: 'browser',
      tsconfig: false,
      input: { app: 'src/console/app/main.tsx' },
      // The classic JSX runtime gives shorter code.
      transform: {
        target: 'es2022',
        jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', pure: false },
        inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] },
      },
    },
    {
      dir: to,
      entryFileNames: '[name].js',
      // Hashed names: a page opened before an update asks for the chunks of its own version.
      chunkFileNames: '[name]-[hash].js',
      hashCharacters: 'hex',
      // What pages share is one file, or two: what only those share that are loaded later is not in the first view.
      codeSplitting: { groups: ofPages(join(from, 'main.tsx')) },
      format: 'esm',
      minify: true,
    },
  );
  for (const name of ['index.html', 'icon.svg']) await copyFile(join(from, name), join(to, name));
  const styles = (await readdir(join(from, 'styles'))).sort();
  const texts = await Promise.all(styles.map((name) => readFile(join(from, 'styles', name), 'utf8')));
  await writeFile(join(to, 'app.css'), smaller(texts.join('\n')));
  for (const name of await readdir(to)) await writeCompressed(join(to, name));
  return chunks;
}

/** Writes FILE.br and FILE.gz, unless the file fits into one packet anyway: the agent would take half a second. */
async function writeCompressed(path) {
  const bytes = await readFile(path);
  if (bytes.length < 1_400) return;
  await writeFile(`${path}.br`, brotliCompressSync(bytes));
  await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}

/** Minifies CSS: removes comments and spaces. Strings in our styles contain no runs of spaces. */
function smaller(css) {
  return css
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .replace(/([ ,(:])0\./g, '$1.')
    .trim();
}

async function build(input, how) {
  const bundle = await rolldown({
    ...input,
    onLog(level, log, handle) {
      // An unresolved import is only a warning, but would fail at run time.
      if (level === 'warn') handle('error', log);
    },
  });
  try {
    return (await bundle.write(how)).output;
  } finally {
    await bundle.close();
  }
}

/** Packages imported by the built files but not listed in package.json. */
function missing(chunks) {
  const installed = Object.keys({ ...dependencies, ...optionalDependencies });
  const own = new Set(chunks.map(({ fileName }) => fileName));
  const asked = chunks
    .filter(({ type, fileName }) => type === 'chunk' && !fileName.includes('/'))
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  return [...new Set(asked)].filter(
    (each) => !own.has(each) && !isBuiltin(each) && !installed.includes(each),
  );
}

/** Directories of all bundled packages. */
function packagesIn(chunks) {
  const packages = new Set(
    chunks
      .filter(({ type }) => type === 'chunk')
      .flatMap(({ modules }) => Object.keys(modules))
      // Excludes virtual modules, whose ids begin with a zero byte.
      .filter((id) => !id.startsWith('\0'))
      .map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/'))?.[0])
      .filter((dir) => dir !== undefined),
  );
  return [...packages].sort();
}

/** Packages that the lock file lists for development only. */
async function forDevelopmentOnly(packages) {
  const { packages: locked } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  return packages
    .map((dir) => dir.slice(dir.indexOf('node_modules/')))
    .filter((path) => locked[path] === undefined || locked[path].dev === true);
}

async function licences(packages) {
  const texts = await Promise.all(
    packages.map(async (dir) => {
      const { name, version: its, license } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'));
      const file = (await readdir(dir)).find((each) => /^(licen[cs]e|copying)/i.test(each));
      const text = file === undefined ? '' : await readFile(join(dir, file), 'utf8');
      return `${name} ${its} (${license})\n\n${text.trim()}\n`;
    }),
  );
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
