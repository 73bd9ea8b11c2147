import type { RateUnit } from '../core/domain/rate.ts';
import { nodeAt, schemaTree, type SchemaNode } from './schemaTree.ts';
import { SETTINGS, type Setting } from './settings.ts';

/** How a form shows a setting; null for the value that the schema or the machine sets. */
export interface FormField extends Pick<Setting, 'key' | 'page' | 'group' | 'why' | 'applies' | 'among'> {
  /** since: one of the options, or `since` and a day. */
  readonly kind: 'text' | 'number' | 'yes' | 'choice' | 'since' | 'lines' | 'checks' | 'pairs';
  readonly options: readonly string[];
  /** For lines: a single word that stands instead of a list. */
  readonly word: string | null;
  /** Of a rate: the unit of a number alone. */
  readonly unit: RateUnit | null;
  /** The default, as a form shows it. */
  readonly initial: string | null;
  readonly required: boolean;
}

let fields: readonly FormField[] | null = null;

/** All settings, those that only the file changes included. */
export function formFields(): readonly FormField[] {
  fields ??= SETTINGS.map(fieldOf);
  return fields;
}

function fieldOf({ path, key, page, group, why, applies, among }: Setting): FormField {
  const tree = schemaTree();
  const node = nodeAt(tree, path) ?? {};
  const above = nodeAt(tree, path.slice(0, -1)) ?? {};
  const word = node.anyOf?.find((each) => each.const !== undefined)?.const ?? null;
  return {
    key,
    page,
    group,
    why,
    applies,
    among,
    ...kindOf(node, among !== null),
    unit: node.unit ?? null,
    word,
    initial: defaultOf(node),
    required: above.required?.includes(path.at(-1) ?? '') ?? false,
  };
}

function kindOf(node: SchemaNode, isName: boolean): Pick<FormField, 'kind' | 'options'> {
  const list = node.type === 'array' ? node : node.anyOf?.find(({ type }) => type === 'array');
  if (isName) return { kind: 'choice', options: [] };
  if (node.enum) return { kind: 'choice', options: node.enum };
  const words = node.anyOf?.find((each) => each.enum)?.enum;
  if (words) return { kind: 'since', options: words };
  if (list?.items?.enum) return { kind: 'checks', options: list.items.enum };
  const isNumber =
    node.unit === undefined && [node, ...(node.anyOf ?? [])].some(({ type }) => type === 'integer');
  const kind =
    node.type === 'boolean'
      ? 'yes'
      : node.type === 'object'
        ? 'pairs'
        : list !== undefined
          ? 'lines'
          : isNumber
            ? 'number'
            : 'text';
  return { kind, options: [] };
}

function defaultOf({ default: its, defaultText, type }: SchemaNode): string | null {
  if (its === undefined) return defaultText?.replaceAll('`', '') ?? null;
  if (Array.isArray(its)) return its.length === 0 ? null : its.join(' ');
  if (typeof its === 'string') return its;
  return type === 'object' ? null : JSON.stringify(its);
}
