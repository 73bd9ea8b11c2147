import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROGRAM } from './agent.ts';
import type { Command } from './measure.ts';

/** Packages needed to split files into pages. */
const PACKAGES: ReadonlySet<string> = new Set(['@embedpdf', '@img', 'sharp', 'libheif-js']);

/** Copies the program without optional packages. @returns a function that makes a command use that copy */
export async function withoutPackages(dir: string): Promise<(command: Command) => Command> {
  const root = dirname(dirname(PROGRAM));
  const modules = join(dir, 'node_modules');
  await mkdir(modules, { recursive: true });
  await cp(join(root, 'dist'), join(dir, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(dir, 'package.json'));
  for (const name of await readdir(join(root, 'node_modules')))
    if (!PACKAGES.has(name)) await symlink(join(root, 'node_modules', name), join(modules, name));
  const program = join(dir, 'dist', 'receiptd.cjs');
  return (command) => ({ ...command, args: command.args.map((each) => (each === PROGRAM ? program : each)) });
}
