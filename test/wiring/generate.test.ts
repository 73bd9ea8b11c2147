import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { generatedFiles, staleFiles, writeFiles } from '../../src/wiring/generate.ts';
import { referenceText } from '../../src/config/reference.ts';
import { jsonSchemaText, schemaTree, type SchemaNode } from '../../src/config/schemaTree.ts';
import { tempDir } from '../support/tempDir.ts';

it('the generated files match the schema', async () => {
  const project = join(import.meta.dirname, '..', '..');
  expect(await staleFiles(project), 'run `npm run generate`').toEqual([]);
});

describe('generated files', () => {
  let root: string;

  beforeEach(() => {
    root = tempDir('generate');
  });

  it('are stale while missing, fresh once written, and stale again once edited', async () => {
    const all = [...generatedFiles().keys()];
    expect(await staleFiles(root)).toEqual(all);
    await writeFiles(root);
    expect(await staleFiles(root)).toEqual([]);
    await mkdir(join(root, 'docs'), { recursive: true });
    await writeFile(join(root, 'docs', 'configuration.md'), 'edited');
    expect(await staleFiles(root)).toEqual(['docs/configuration.md']);
  });
});

/** Every key with its node, at any depth. */
function keysOf(node: SchemaNode): [string, SchemaNode][] {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) => [
    [key, inner] satisfies [string, SchemaNode],
    ...keysOf(inner),
    ...keysOf(inner.items ?? {}),
    ...keysOf(inner.additionalProperties || {}),
  ]);
}

describe('the schema', () => {
  it('describes every key', () => {
    const keys = keysOf(schemaTree());
    expect(keys.length).toBeGreaterThan(40);
    expect(keys.filter(([, { description }]) => !/^[A-Z].*\.$/.test(description ?? ''))).toEqual([]);
  });

  it('refuses unknown keys in editors, and is valid JSON Schema', () => {
    const schema: unknown = JSON.parse(jsonSchemaText());
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      additionalProperties: false,
      required: ['service', 'endpoints', 'folders'],
      properties: {
        delivery: { properties: { grace: { default: '20s', pattern: '^(\\d{1,9})(ms|s|m|h|d)$' } } },
        endpoints: { minProperties: 1 },
      },
    });
    expect(jsonSchemaText()).not.toContain('x-default');
  });
});

it('the reference names the environment variables', () => {
  for (const name of ['RECEIPTD_STATE_DIR', 'RECEIPTD_CONFIG', 'RECEIPTD_CLIENT_SECRET', 'NO_COLOR'])
    expect(referenceText()).toContain(name);
});
