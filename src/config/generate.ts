import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemCode } from '../domain/errors.ts';
import { referenceText } from './reference.ts';
import { schemaTree } from './schemaTree.ts';
import { SHIPPED_VALUES, defaultConfigText } from './template.ts';

/** The text of config/receiptd.schema.json. */
export function jsonSchemaText(): string {
  const withoutOwnWords = (key: string, value: unknown): unknown => (key === 'x-default' ? undefined : value);
  return `${JSON.stringify({ title: 'receiptd configuration', ...schemaTree() }, withoutOwnWords, 2)}\n`;
}

/** Files that follow from the schema, by path below the project, with `/`. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['config/receiptd.schema.json', jsonSchemaText()],
    ['config/receiptd.yaml', defaultConfigText(SHIPPED_VALUES)],
    ['docs/configuration.md', referenceText()],
  ]);
}

/** The generated files below `root` that are missing or differ from what the schema says. */
export async function staleFiles(root: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of generatedFiles()) if ((await read(join(root, path))) !== text) stale.push(path);
  return stale;
}

export async function writeFiles(root: string): Promise<void> {
  for (const [path, text] of generatedFiles()) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function main(): Promise<void> {
  const root = join(import.meta.dirname, '..', '..');
  if (!process.argv.includes('--check')) return writeFiles(root);
  const stale = await staleFiles(root);
  if (stale.length === 0) return;
  process.stderr.write(`Not as src/config/schema.ts says: ${stale.join(', ')}. Run \`npm run generate\`.\n`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
