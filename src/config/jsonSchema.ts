import { schemaTree } from './schemaTree.ts';

/** The text of config/receiptd.schema.json. */
export function jsonSchemaText(): string {
  const withoutOwnWords = (key: string, value: unknown): unknown => (key === 'x-default' ? undefined : value);
  return `${JSON.stringify({ title: 'receiptd configuration', ...schemaTree() }, withoutOwnWords, 2)}\n`;
}
