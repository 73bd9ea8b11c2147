import { nodeAt, schemaTree, type SchemaNode } from '../../src/config/schemaTree.ts';
import { SETTINGS, type Setting } from '../../src/config/settings.ts';

/* Values for every setting, from the table. */

type Values = Record<string, unknown>;

export function nodeOf({ path }: Pick<Setting, 'path'>): SchemaNode {
  return nodeAt(schemaTree(), path) ?? {};
}

/** A valid value other than the default. */
export function otherValue(setting: Setting): unknown {
  if (setting.among !== null) return setting.among === 'accounts' ? 'branch' : 'depot';
  const node = nodeOf(setting);
  // No two of them are the same place.
  if (node.title?.startsWith('path') === true) return setting.key.replaceAll(/\W/g, '');
  return otherThan(node.default, node);
}

function otherThan(its: unknown, node: SchemaNode): unknown {
  if (node.example !== undefined) return node.example;
  if (node.enum) return node.enum.find((each) => each !== its);
  if (node.type === 'boolean') return its !== true;
  if (node.type === 'array') return [otherThan(undefined, node.items ?? {})];
  if (node.minimum !== undefined) return node.minimum === its ? node.minimum + 1 : node.minimum;
  throw new Error(`The type ${node.title ?? ''} has no example.`);
}

/** The name or index that stands for each step of a path. */
const NAMES: Readonly<Record<string, string>> = { accounts: 'branch', endpoints: 'office', folders: '0' };

/** Path of a setting in `everySetting`. */
export function placeOf({ path }: Pick<Setting, 'path'>): string[] {
  return path.map((step) => (step === '*' || step === '[]' ? (NAMES[path[0] ?? ''] ?? '') : step));
}

/** A configuration with all settings, none with its default. */
export function everySetting(): Values {
  const values: Values = {
    endpoints: { office: {}, depot: { uid: 'u-2' } },
    folders: [{}, { path: '/srv/more', endpoint: 'office' }],
  };
  for (const setting of SETTINGS) {
    const path = placeOf(setting);
    const last = path.pop() ?? '';
    const holder = path.reduce<Values>((at, step) => (at[step] ??= {}) as Values, values);
    holder[last] = otherValue(setting);
  }
  return values;
}
