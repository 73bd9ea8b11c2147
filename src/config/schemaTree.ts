import { z } from 'zod';
import type { RateUnit } from '../core/domain/rate.ts';
import { settings as texts } from '../texts/en/settings.ts';
import { configSchema } from './schema.ts';

/** The parts of JSON Schema that the config's schema uses, and what the table of settings adds. */
export interface SchemaNode {
  readonly type?: string;
  readonly const?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly defaultText?: string;
  readonly example?: unknown;
  readonly unit?: RateUnit;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | false;
  readonly items?: SchemaNode;
}

const HELP: Readonly<Partial<Record<string, { readonly help: string }>>> = texts;

/** Built once: it takes a while, and nobody changes it. */
let tree: SchemaNode | null = null;

/** JSON Schema of the config file as written, before defaults are filled in. */
export function schemaTree(): SchemaNode {
  tree ??= described(
    JSON.parse(JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }))) as SchemaNode,
    '',
  );
  return tree;
}

/** Adds the help of each setting. */
function described(node: SchemaNode, key: string): SchemaNode {
  const { properties, items, additionalProperties: named } = node;
  const help = HELP[key]?.help;
  return {
    ...node,
    ...(help !== undefined && { description: help }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, its]) => [
          name,
          described(its, key === '' ? name : `${key}.${name}`),
        ]),
      ),
    }),
    ...(items && { items: described(items, `${key}[]`) }),
    ...(named && { additionalProperties: described(named, `${key}.*`) }),
  };
}

/** The node that describes the value at `path`; undefined if the schema has no such path. */
export function nodeAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const key of path) {
    if (node === undefined) return undefined;
    if (typeof key === 'number' || key === '[]') node = node.items;
    else if (node.properties !== undefined) {
      node = Object.hasOwn(node.properties, key) ? node.properties[String(key)] : undefined;
    } else node = node.additionalProperties === false ? undefined : node.additionalProperties;
  }
  return node;
}

/** What is ours and not JSON Schema's. */
const OWN = new Set([
  'applies',
  'page',
  'group',
  'why',
  'defaultText',
  'example',
  'relativeTo',
  'among',
  'unit',
]);

/** The text of config/receiptd.schema.json. */
export function jsonSchemaText(): string {
  const standard = (node: unknown, isProperties = false): unknown => {
    if (Array.isArray(node)) return node.map((each) => standard(each));
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).filter(([key]) => isProperties || !OWN.has(key));
    return Object.fromEntries(
      entries.map(([key, its]) => [
        key,
        key === 'default' ? its : standard(its, key === 'properties' && !isProperties),
      ]),
    );
  };
  return `${JSON.stringify(standard({ title: 'receiptd configuration', ...schemaTree() }), null, 2)}\n`;
}
