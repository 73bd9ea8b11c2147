import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  allOf,
  DELIVERY_FIELDS,
  endpointFields,
  folderFields,
  keyOf,
  TYPES,
  type FieldGroups,
} from '../../../src/console/app/settings/fields.ts';
import { SECTIONS } from '../../../src/console/app/settings/sections.ts';
import { IMAGE_TYPES } from '../../../src/core/domain/imageType.ts';
import { ALL_KEYS, FILE_ONLY, isEditable } from '../../../src/wiring/consoleKeys.ts';

const below = (prefix: string, groups: FieldGroups) => allOf(groups).map((field) => prefix + keyOf(field));

/** Every key that some form sets. */
const IN_FORMS = [
  ...below('folders[].', folderFields(['office'])),
  ...below('endpoints.*.', endpointFields([])),
  ...below('delivery.', DELIVERY_FIELDS),
  ...SECTIONS.flatMap(({ groups }) => below('', groups)),
];

it('every setting has exactly one form field, or a reason why only the file can change it', () => {
  const inFile = FILE_ONLY.map(({ key }) => key);
  expect([...IN_FORMS, ...inFile].toSorted()).toEqual(ALL_KEYS.toSorted());
});

it('a form has no field that the agent would reject', () => {
  expect(IN_FORMS.filter((key) => !isEditable(key))).toEqual([]);
});

it('settings that only the file can change appear on exactly one settings page', () => {
  for (const { key } of FILE_ONLY) {
    const pages = SECTIONS.filter(({ keys }) => keys.includes(key.split('.', 1)[0] ?? ''));
    expect([key, pages.length]).toEqual([key, 1]);
  }
});

it('the configuration reference lists exactly these settings', async () => {
  const text = await readFile(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  const named = text.split(/^## /m).flatMap((section) => {
    const [, heading = ''] = /^`([^`]+)`/.exec(section) ?? [];
    const prefix = heading.replace('<name>', '*');
    const keys = [...section.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, key = '']) => key);
    return heading === '' ? [] : keys.map((key) => (key === prefix ? key : `${prefix}.${key}`));
  });
  expect(named.toSorted()).toEqual(ALL_KEYS.toSorted());
});

it('the folder form offers every image type', () => {
  expect(TYPES).toEqual([...IMAGE_TYPES]);
});
