// The program files shipped in packages: the files of `npm pack`, and the npm packages that are not bundled in dist/.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NOT_BUNDLED } from './notBundled.mjs';
import { fetchedPackage } from './packagedNode.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
/** Files of native packages needed at run time; the others are sources or documentation. */
const NEEDED = /(?:^|\/)(?:package\.json|licen[cs]e[^/]*|copying[^/]*)$|\.(?:[cm]?js|wasm)$/i;
const NOT_NEEDED =
  /(?:^|\/)(?:src|deps|scripts|tools|test|tests|docs|build-test\.js|bin\.js|node-addon-api)(?:\/|$)|^dist\/(?:worker|index\.esm\.(?:base64|browser|cdn|worker)|pdfium\.wasm\.base64)|^libheif\//;
/** Packages that only build or download native code. */
const BUILDING = ['node-addon-api', 'prebuild-install'];

/**
 * @param platform and architecture as Node.js names them; files compiled for others are left out
 * @returns the path of each file, and its target below the program directory
 * @throws Error whose message is a sentence
 */
export async function programFiles(platform, architecture) {
  if (!existsSync(join(ROOT, 'dist/receiptd.cjs')))
    throw new Error('dist/ is missing; run `npm run build` first.');
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 16e6 });
  const [{ files }] = Object.values(JSON.parse(stdout));
  const all = files.map(({ path }) => ({ from: join(ROOT, path), to: path }));
  const isHere = platform === process.platform && architecture === process.arch;
  for (const [name, from] of await packages(isHere ? null : `${platform}-${architecture}`)) {
    const paths = await filesBelow(from);
    const built = isHere ? paths.filter((path) => /(?:^|\/)build\/Release\/[^/]+\.node$/.test(path)) : [];
    const place = (path, to = path) => all.push({ from: join(from, path), to: `node_modules/${name}/${to}` });
    for (const path of paths) {
      const isCompiled =
        built.length > 0 ? built.includes(path) : isPrebuiltFor(path, `${platform}-${architecture}`);
      if (isCompiled || (NEEDED.test(path) && !NOT_NEEDED.test(path))) place(path);
      // As keytar's install script does.
      if (isCompiled && name === 'keytar' && built.length === 0) place(path, 'build/Release/keytar.node');
    }
  }
  return all;
}

/** The directory of each package. `target`: platform whose sharp binaries replace those of this machine; null: none. */
async function packages(target) {
  const all = [...installed(NOT_BUNDLED)].map((name) => [name, join(ROOT, 'node_modules', name)]);
  if (target === null || !all.some(([name]) => name === 'sharp')) return all;
  const compiled = `@img/sharp-${target}`;
  const others = all.filter(([name]) => !name.startsWith('@img/sharp-'));
  return [...others, [compiled, await fetchedPackage(compiled)]];
}

/** Names of packages and their dependencies, if installed; optional ones may not be. */
function* installed(names, seen = new Set()) {
  for (const name of names) {
    const file = join(ROOT, 'node_modules', name, 'package.json');
    if (seen.has(name) || BUILDING.includes(name) || !existsSync(file)) continue;
    seen.add(name);
    yield name;
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    yield* installed(Object.keys({ ...dependencies, ...optionalDependencies }), seen);
  }
}

/** Whether a file is a prebuilt binary for `target`. */
function isPrebuiltFor(path, target) {
  // sharp has a separate package for each platform.
  if (/^lib\/libvips-[^/]*\.(?:so[^/]*|dll)$/.test(path) || path.startsWith(`lib/sharp-${target}`))
    return true;
  if (!path.endsWith('.node')) return false;
  return path.includes(`prebuilds/${target}/`) && !path.includes('musl');
}

/** Relative paths of all files, in a reproducible order. */
export async function filesBelow(dir) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .sort();
}
