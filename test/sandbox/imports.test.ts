import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SANDBOX = resolve(import.meta.dirname, '../../src/sandbox');

test('the sandbox imports nothing of the agent, so that drift between the two shows', async () => {
  const entries = await readdir(SANDBOX, { recursive: true });
  const files = entries.filter((entry) => entry.endsWith('.ts')).map((entry) => join(SANDBOX, entry));
  const outside: string[] = [];
  let inside = 0;
  for (const file of files) {
    const source = await readFile(file, 'utf8');
    for (const [, specifier = ''] of source.matchAll(/(?:\bfrom|\bimport\s*\(?)\s*['"]([^'"]+)['"]/g)) {
      if (!specifier.startsWith('.') && !specifier.startsWith('/')) continue;
      if (relative(SANDBOX, resolve(dirname(file), specifier)).startsWith('..'))
        outside.push(`${file}: ${specifier}`);
      else inside += 1;
    }
  }
  expect(outside).toEqual([]);
  expect(inside).toBeGreaterThan(files.length);
});
