import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

export interface CompiledHelper {
  readonly path: string;
  /** `credentials/source.ts`, compiled beside it. */
  readonly sourcePath: string;
  remove(): Promise<void>;
}

/**
 * The keychain helper as JavaScript, because Node 20 runs no TypeScript and `dist` may be older than the
 * source. `keytar` is found as it would be in an install.
 */
export async function compiledHelper(): Promise<CompiledHelper> {
  const folder = await mkdtemp(join(tmpdir(), 'receiptd-helper-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.trials.json'),
      compilerOptions: {
        rootDir: join(root, 'src'),
        outDir: folder,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: [],
      files: [join(root, 'src/credentials/keychainHelper.ts'), join(root, 'src/credentials/source.ts')],
    }),
  );
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  return {
    path: join(folder, 'credentials/keychainHelper.js'),
    sourcePath: join(folder, 'credentials/source.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
