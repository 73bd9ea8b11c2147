import { z } from 'zod';
import { configSchema } from './schema.ts';

/** The parts of JSON Schema that the config's schema uses. */
export interface SchemaNode {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly 'x-default'?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | false;
  readonly items?: SchemaNode;
}

/** Built once: it takes a while, and nobody changes it. */
let tree: SchemaNode | null = null;

/** JSON Schema of the config file as written, before defaults are filled in. */
export function schemaTree(): SchemaNode {
  tree ??= JSON.parse(JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }))) as SchemaNode;
  return tree;
}

/** The node that describes the value at `path`; undefined if the schema has no such path. */
export function nodeAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const key of path) {
    if (node === undefined) return undefined;
    if (typeof key === 'number') node = node.items;
    else if (node.properties !== undefined) {
      node = Object.hasOwn(node.properties, key) ? node.properties[String(key)] : undefined;
    } else node = node.additionalProperties === false ? undefined : node.additionalProperties;
  }
  return node;
}

/** The text of config/receiptd.schema.json. */
export function jsonSchemaText(): string {
  const withoutOwnWords = (key: string, value: unknown): unknown => (key === 'x-default' ? undefined : value);
  return `${JSON.stringify({ title: 'receiptd configuration', ...schemaTree() }, withoutOwnWords, 2)}\n`;
}
