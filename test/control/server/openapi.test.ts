import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { PROTOCOL } from '../../../src/control/protocol/protocol.ts';
import { STREAMS } from '../../../src/control/protocol/streams.ts';

const FILE = join(import.meta.dirname, '../../../docs/openapi.json');

it('docs/openapi.json describes every operation of the control interface in valid OpenAPI', async () => {
  const text = await readFile(FILE, 'utf8');
  const described = JSON.parse(text) as { paths: Record<string, Record<string, { summary: string }>> };
  expect(await new Validator().validate(structuredClone(described))).toMatchObject({ valid: true });
  const posts = Object.keys(PROTOCOL).map((name) => `/v1/${name}`);
  const gets = Object.values(STREAMS).map(({ path }) => path);
  expect(Object.keys(described.paths).sort()).toEqual([...posts, ...gets].sort());
  for (const path of posts) expect(described.paths[path]?.['post']?.summary).toMatch(/^[A-Z].*[.?]$/);
  for (const path of gets) expect(described.paths[path]?.['get']?.summary).toMatch(/^[A-Z].*\.$/);

  const references = [...text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
  expect([...new Set(references)].sort()).toEqual(Object.keys(components.schemas).sort());
});
