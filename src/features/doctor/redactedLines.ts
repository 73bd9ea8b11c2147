import type { Redaction } from './redaction.ts';
import { bundleTexts } from '../../texts/en/written.ts';

/** Fields whose values are ours: a fixed choice, a code, a time. */
const OWN = /^(?:time|timestamp|level|code|version|state|outcome|reason|kind|at|store|scope|mode)$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const OWN_TEXT = /^(?:[A-Z][A-Z0-9_]{1,39}|[a-z][A-Za-z]{1,19}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+\.\d+\.\d+)$/;
/** Fields with whole sentences of ours. */
const SENTENCES = /^(?:message|hint|text)$/;
const CODE_AT_END = /\[([A-Z][A-Z_]{2,39})\]$/;

/** Redacts lines of JSON by an allow-list: numbers, codes and our own words stay, all other text gets a stand-in. */
export function redactedLines(text: string, redaction: Redaction): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => `${redactedLine(line, redaction)}\n`).join('');
}

function redactedLine(line: string, redaction: Redaction): string {
  try {
    const value: unknown = JSON.parse(line);
    return JSON.stringify(redactedValue(value, '', redaction));
  } catch {
    return JSON.stringify({ notShown: bundleTexts.noJson(line.length) });
  }
}

export function redactedValue(value: unknown, key: string, redaction: Redaction): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => redactedValue(each, key, redaction));
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value ?? {}).map(([name, inner]) => [
        /^[a-z][A-Za-z]{0,29}$/.test(name) && redaction.sentence(name) === name
          ? name
          : redaction.name(name, 'key'),
        redactedValue(inner, name, redaction),
      ]),
    );
  }
  if (typeof value !== 'string') return null;
  if (redaction.withNames) return value;
  if (OWN.test(key) && OWN_TEXT.test(value) && (TIME.test(value) || redaction.sentence(value) === value))
    return value;
  if (SENTENCES.test(key)) return redaction.sentence(value);
  const [, code] = CODE_AT_END.exec(value) ?? [];
  return code === undefined ? redaction.name(value) : `[${code}]`;
}
