import { t } from '../texts.ts';
import { allOf, DELIVERY_FIELDS, endpointFields, folderFields, keyOf, type Field } from './fields.ts';
import { SECTIONS } from './sections.ts';

const LISTS: readonly (readonly [prefix: RegExp, fields: readonly Field[]])[] = [
  [/^folders\[\d+\]\./, allOf(folderFields([]))],
  [/^endpoints\.[^.]+\./, allOf(endpointFields([]))],
  [/^delivery\./, allOf(DELIVERY_FIELDS)],
  [/^/, SECTIONS.flatMap(({ groups }) => allOf(groups))],
];

/** Form label and help of a key such as folders[0].maxFileSize; the key itself if no form has it. */
export function labelOf(key: string): string {
  for (const [prefix, fields] of LISTS) {
    if (!prefix.test(key)) continue;
    const path = key.replace(prefix, '').replace(/\[\d+\]$/, '');
    const field = fields.find((each) => keyOf(each) === path);
    if (field === undefined) continue;
    const { label, help } = t.fields[field.id];
    return help === '' ? label : `${label}: ${help}`;
  }
  return key;
}
