import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alertJson } from '../../../../src/features/alerts/channels/json.ts';
import type { WordedCause } from '../../../../src/core/ports/alert.ts';
import { OPENED } from './anAlert.ts';

const CAUSE: WordedCause = {
  key: 'folder /mnt/scans',
  condition: { code: 'FOLDER_UNREACHABLE', params: { folder: '/mnt/scans', detail: 'No answer.' } },
  message: 'It is gone.',
  hint: 'Bring it back.',
  since: 0,
  until: 1,
  count: null,
};

/** Every key with its path. */
function namesIn(value: unknown, under = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, `${under}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${under}.${name}`,
    ...namesIn(inner, `${under}.${name}`),
  ]);
}

it('docs/alerts.md shows the input of programs with every field, and no other', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/alerts.md'), 'utf8');
  const [, shown = ''] = /```json\n([^]*?)```/.exec(text) ?? [];
  const given: unknown = JSON.parse(alertJson({ ...OPENED, causes: [CAUSE] }));
  expect(namesIn(JSON.parse(shown))).toEqual(namesIn(given));
  expect(given).toMatchObject({
    data: { causes: [{ since: '1970-01-01T00:00:00.000Z', until: expect.any(String) }] },
  });
});
