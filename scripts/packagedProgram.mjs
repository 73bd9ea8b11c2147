// The files of the program that packages bring along: what `npm pack` would take, and the packages that dist/ does not hold.
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
/** What the parts with compiled code need at run time; the rest of their packages builds them or describes them. */
const NEEDED = /(?:^|\/)(?:package\.json|licen[cs]e[^/]*|copying[^/]*)$|\.(?:[cm]?js|wasm)$/i;
const NOT_NEEDED =
  /(?:^|\/)(?:src|deps|scripts|tools|test|tests|docs|build-test\.js|bin\.js|node-addon-api)(?:\/|$)|^dist\/(?:worker|index\.esm\.(?:base64|browser|cdn|worker)|pdfium\.wasm\.base64)|^libheif\//;
/** What builds compiled parts, or fetches them built. */
const BUILDING = ['node-addon-api', 'prebuild-install'];

/**
 * @param platform and architecture by the names of Node.js; what is compiled for others is left out
 * @returns where each file lies, and where it goes below the directory of the program
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
      // What keytar's install script does.
      if (isCompiled && name === 'keytar' && built.length === 0) place(path, 'build/Release/keytar.node');
    }
  }
  return all;
}

/** Where each package lies. `target`: what of sharp is compiled for this platform is exchanged for that of another one. */
async function packages(target) {
  const all = [...installed(NOT_BUNDLED)].map((name) => [name, join(ROOT, 'node_modules', name)]);
  if (target === null || !all.some(([name]) => name === 'sharp')) return all;
  const compiled = `@img/sharp-${target}`;
  const others = all.filter(([name]) => !name.startsWith('@img/sharp-'));
  return [...others, [compiled, await fetchedPackage(compiled)]];
}

/** Names of packages and of what they need, as far as they are installed; optional parts may not be. */
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

/** One of several that are built beforehand. */
function isPrebuiltFor(path, target) {
  // Of sharp, whose parts are a package for each platform.
  if (/^lib\/libvips-[^/]*\.(?:so[^/]*|dll)$/.test(path) || path.startsWith(`lib/sharp-${target}`))
    return true;
  if (!path.endsWith('.node')) return false;
  return path.includes(`prebuilds/${target}/`) && !path.includes('musl');
}

/** Relative paths of all files, in an order that is the same everywhere. */
export async function filesBelow(dir) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .sort();
}
