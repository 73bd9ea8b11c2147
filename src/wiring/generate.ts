import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jsonSchemaText } from '../config/schemaTree.ts';
import { referenceText } from '../config/reference.ts';
import { SHIPPED_VALUES, defaultConfigText } from '../config/template.ts';
import { openApi } from '../control/server/openapi.ts';
import { packagedUnit } from '../features/os-service/packagedUnit.ts';
import { readPlainFile } from '../system/plainFile.ts';
import { packagedTask } from '../features/os-service/windows/packagedTask.ts';
import { staleFiles as staleText } from '../texts/en/written.ts';

/** Version of the control interface; independent of the release. */
const INTERFACE_VERSION = '1';

/** Files generated from the schemas and service definitions, by path relative to the project, with `/`. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['config/receiptd.schema.json', jsonSchemaText()],
    ['config/receiptd.yaml', defaultConfigText(SHIPPED_VALUES)],
    ['docs/configuration.md', referenceText()],
    ['docs/openapi.json', `${JSON.stringify(openApi(INTERFACE_VERSION), null, 2)}\n`],
    ['packaging/debian/receiptd.service', packagedUnit()],
    ['packaging/windows/task.xml', packagedTask()],
  ]);
}

/** The generated files below `root` that are missing or out of date. */
export async function staleFiles(root: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of generatedFiles())
    if ((await readPlainFile(join(root, path))) !== text) stale.push(path);
  return stale;
}

export async function writeFiles(root: string): Promise<void> {
  for (const [path, text] of generatedFiles()) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function main(): Promise<void> {
  const root = join(import.meta.dirname, '..', '..');
  if (!process.argv.includes('--check')) return writeFiles(root);
  const stale = await staleFiles(root);
  if (stale.length === 0) return;
  process.stderr.write(`${staleText(stale)}\n`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
