import { schemaTree, type SchemaNode } from '../../src/config/schemaTree.ts';

/** Paths of all settings: `folders[].settle.short`, `endpoints.*.uid`. */
export function settingsOf(node: SchemaNode = schemaTree(), path = ''): string[] {
  if (node.items?.properties) return settingsOf(node.items, `${path}[]`);
  const others = node.additionalProperties;
  if (typeof others === 'object' && others.properties) return settingsOf(others, `${path}.*`);
  if (!node.properties) return [path];
  return Object.entries(node.properties).flatMap(([key, its]) =>
    settingsOf(its, path === '' ? key : `${path}.${key}`),
  );
}
