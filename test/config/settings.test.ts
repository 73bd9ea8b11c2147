/** The table of settings, its texts, and what is drawn from it. */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { formFields } from '../../src/config/forms.ts';
import { jsonSchemaText, nodeAt, type SchemaNode } from '../../src/config/schemaTree.ts';
import { readConfig } from '../../src/config/load.ts';
import { referenceText } from '../../src/config/reference.ts';
import { SETTINGS, valueOf } from '../../src/config/settings.ts';
import english from '../../src/console/app/languages/en.ts';
import german from '../../src/console/app/languages/de.ts';
import { settings as inEnglish } from '../../src/texts/en/settings.ts';
import { settings as inGerman } from '../../src/texts/de/settings.ts';
import { MARKS } from '../support/catalogue.ts';
import { everySetting, nodeOf, otherValue, placeOf } from './settings.ts';
import { context, FILE } from './support.ts';

const KEYS = SETTINGS.map(({ key }) => key).toSorted();
const SCHEMA = JSON.parse(jsonSchemaText()) as SchemaNode;
const REFERENCE = referenceText();
const FIELDS = new Map(formFields().map((field) => [field.key, field]));
const FULL = everySetting();
const MINIMAL = {
  service: { baseUrl: 'https://api.example.com' },
  endpoints: { office: { uid: 'u-1' } },
  folders: [{ path: '/srv/scans' }],
};
const WORDS = [english(MARKS), german(MARKS)];

const read = (values: object) => readConfig(JSON.stringify(values), FILE, context()).parsed;
const [fullRead, minimalRead] = [read(FULL), read(MINIMAL)];
const table = SETTINGS.map((setting) => [setting.key, setting] as const);

it.each([
  ['English', inEnglish],
  ['German', inGerman],
])('the texts in %s are those of the settings', (_, texts) => {
  expect(Object.keys(texts).toSorted(), 'keys in src/texts/*/settings.ts').toEqual(KEYS);
  const wrong = Object.entries(texts).filter(
    ([, { label, help }]) => !/^[^.]*\S$/u.test(label) || !/^\S.*\.$/u.test(help) || help.includes("'"),
  );
  expect(wrong).toEqual([]);
});

it.each(table)(
  '%s has a default or says what it depends on, another value that is kept, a row in schema and reference, and a field',
  (key, setting) => {
    const node = nodeOf(setting);
    const { required, group, why, page } = FIELDS.get(key)!;
    expect(
      [required, node.defaultText !== undefined, node.default !== undefined].filter(Boolean),
    ).toHaveLength(1);
    expect(otherValue(setting)).not.toEqual(node.default);
    const isNested = /\[\]|\*/.test(key);
    expect(isNested || !isDeepStrictEqual(valueOf(fullRead, setting), valueOf(minimalRead, setting))).toBe(
      true,
    );

    expect(nodeAt(SCHEMA, setting.path)?.description).toBe(inEnglish[key as keyof typeof inEnglish]?.help);
    const [section = '', ...rest] = setting.path;
    const [, part = ''] =
      new RegExp(`^## \`${section}(?:\\[\\]|\\.<name>)?\`\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(REFERENCE) ??
      [];
    const row = rest.filter((step) => step !== '[]' && step !== '*').join('.') || section;
    expect(part).toContain(`\n| \`${row}\` |`);
    expect([group === null, why === null]).toEqual([why !== null, group !== null]);
    const words = WORDS.map(({ form, settings }): object =>
      group === null ? settings.sections : { ...form.groups, ...settings.groups },
    );
    expect(words.map((its) => Object.hasOwn(its, group ?? page))).toEqual([true, true]);
  },
);

it('each default is accepted, and means the same as if it was left out', () => {
  const [written, without] = [structuredClone(FULL), structuredClone(FULL)];
  for (const [key, setting] of table) {
    const { default: its } = nodeOf(setting);
    // The others need a shared ledger.
    if (its === undefined || key === 'ledger.kind' || key === 'ledger.url') continue;
    set(written, placeOf(setting), its);
    set(without, placeOf(setting), undefined);
  }
  expect(read(written)).toEqual(read(without));
});

function set(values: object, path: readonly string[], value: unknown): void {
  const holder = path.slice(0, -1).reduce<object>((at, step) => Reflect.get(at, step) as object, values);
  const key = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(holder, key);
  else Reflect.set(holder, key, value);
}

it('the table has the settings of this program', () => {
  expect(KEYS.length).toBeGreaterThan(100);
  expect(new Set(KEYS).size).toBe(KEYS.length);
});
