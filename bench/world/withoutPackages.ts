import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROGRAM } from './agent.ts';
import type { Command } from './measure.ts';

/** What takes files apart needs these. */
const PACKAGES: ReadonlySet<string> = new Set(['@hyzyla', '@img', 'sharp', 'heic-decode']);

/** The program as it is where optional parts are not installed; resolves how a command is run by it. */
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
