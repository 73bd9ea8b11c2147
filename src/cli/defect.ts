import { defectText as de } from '../texts/de/defect.ts';
import { defectText as en } from '../texts/en/defect.ts';
import { languageOfTerminal, type Language } from '../texts/language.ts';
import { isNativeError } from 'node:util/types';
import { systemCode } from '../core/domain/errors.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { VERSION } from './version.ts';

/** Loaded with the program: when they are needed, nothing else may be loadable. */
const TEXTS = { en, de } as const satisfies Readonly<Record<Language, (version: string) => string>>;

/** Messages of the JavaScript engine, which name parts of the program but no values. */
const OF_PROGRAM =
  /^(?:Cannot (?:read|set) propert\S* of (?:undefined|null)|\S+ is not (?:a function|defined|iterable))/;
const FRAME = /^ {4}at .{0,300}(?::\d+:\d+|<anonymous>)\)?$/;

/**
 * Describes an unexpected exception: class, code, stack and cause. Leaves out its message, which may contain a secret or
 * part of a file, unless it is about the program alone.
 */
export function defectReport(error: unknown, env: NodeJS.ProcessEnv): string {
  const lines = [TEXTS[languageOfTerminal(env)](VERSION)];
  let before = '';
  for (let each = error; each !== undefined && lines.length < 60;) {
    lines.push(`${before}${nameOf(each)}`, ...framesOf(each));
    before = 'caused by ';
    each = isNativeError(each) ? each.cause : undefined;
  }
  return `${lines.join('\n')}\n`;
}

function nameOf(error: unknown): string {
  if (!isNativeError(error)) return `a thrown ${typeof error}`;
  const given = systemCode(error);
  const code = given !== undefined && /^\w{1,60}$/.test(given) ? given : undefined;
  const name = /^\w{1,60}$/.test(error.name) ? error.name : 'Error';
  const about =
    given === undefined && OF_PROGRAM.test(error.message) ? `: ${error.message.slice(0, 200)}` : '';
  return escapeUnsafe(`${name}${code === undefined ? '' : ` (${code})`}${about}`);
}

/** Skips the message at the start of the stack, which may contain lines that look like frames. */
function framesOf(error: unknown): string[] {
  if (!isNativeError(error) || error.stack === undefined) return [];
  const { stack, message } = error;
  const at = message === '' ? -1 : stack.indexOf(message);
  const rest = at < 0 ? stack : stack.slice(at + message.length);
  return rest
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, 15);
}
