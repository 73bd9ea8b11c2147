import YAML from 'yaml';
import { schemaTree } from '../../config/schemaTree.ts';
import { isSecretKey } from '../../config/secrets.ts';
import type { Redaction } from './redaction.ts';
import { bundleTexts } from '../../texts/en/written.ts';

/** Numbers with or without a unit, and hours of the day. */
const FIGURE =
  /^\d{1,9}(?:\.\d+)?\s?(?:ms|s|m|min|h|d|[kMG]?B)?(?:\/(?:s|min|h))?$|^\d\d:\d\d(?:-\d\d:\d\d)?$/;
/** Words that the schema describes without listing them. */
const OTHER_CHOICES = ['send', 'skip', 'on', 'direct', 'onDemand', 'events', 'polled'];

/** The file's settings, by an allow-list: comments are left out, unknown keys and free text get stand-ins. Accepts any text. */
export function redactedConfig(text: string, redaction: Redaction): string {
  let data: unknown;
  try {
    data = YAML.parse(text, { maxAliasCount: 10, logLevel: 'silent' });
  } catch {
    return `${bundleTexts.noYaml(text.split('\n').length)}\n`;
  }
  const keys = knownKeys();
  return YAML.stringify(shown(data, [], keys, redaction));
}

function shown(
  value: unknown,
  path: readonly string[],
  keys: ReadonlySet<string>,
  redaction: Redaction,
): unknown {
  const key = path.at(-1) ?? '';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null)
    return isSecretKey(key) ? HIDDEN : value;
  if (Array.isArray(value)) {
    // Arguments of programs may contain anything.
    if (key === 'command') return bundleTexts.program(value.length - 1);
    return value.map((each: unknown) => shown(each, path, keys, redaction));
  }
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value ?? {}).map(([name, inner]) => [
        keys.has(name) && path.at(-1) !== 'endpoints'
          ? name
          : redaction.name(name, path.at(-1) === 'endpoints' ? 'endpoint' : 'key'),
        isSecretKey(name) && (typeof inner !== 'object' || inner === null) && !name.endsWith('File')
          ? HIDDEN
          : shown(inner, [...path, name], keys, redaction),
      ]),
    );
  }
  return typeof value === 'string' ? shownText(value, key, redaction) : HIDDEN;
}

const HIDDEN = bundleTexts.hidden;

function shownText(text: string, key: string, redaction: Redaction): string {
  if (FIGURE.test(text) || choices().has(text)) return text;
  if (/^[a-z][a-z+.-]*:\/\//i.test(text)) {
    if (!URL.canParse(text)) return HIDDEN;
    const { protocol, hostname, port } = new URL(text);
    return `${protocol}//${redaction.name(hostname, 'host')}${port === '' ? '' : `:${port}`}`;
  }
  return redaction.name(text, key === 'endpoint' ? 'endpoint' : 'name');
}

/** A choice or a number, or our own name. */
export function isOwnWord(text: string): boolean {
  return FIGURE.test(text) || choices().has(text) || text === 'receiptd' || text === 'root';
}

let allChoices: ReadonlySet<unknown> | null = null;

/** Every word that a setting can have as its value. */
function choices(): ReadonlySet<unknown> {
  allChoices ??= new Set([...OTHER_CHOICES, ...choicesIn(schemaTree())]);
  return allChoices;
}

function choicesIn(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'enum' && Array.isArray(value) ? value : key === 'const' ? [value] : choicesIn(value),
  );
}

/** The keys of all settings. */
export function knownKeys(): ReadonlySet<string> {
  return keysOf(schemaTree());
}

function keysOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && typeof value === 'object' && value !== null)
      for (const name of Object.keys(value)) found.add(name);
    keysOf(value, found);
  }
  return found;
}
