import { isDeepStrictEqual } from 'node:util';
import { Lexer } from 'yaml';
import type { Config } from '../../config/config.ts';
import type { ConfigChange, ConfigKey } from '../../config/change.ts';
import { applyEdits } from '../../config/edit.ts';
import { readYaml } from '../../config/yamlSource.ts';
import { hidePasswords } from '../../config/hidePasswords.ts';

/** Removes passwords in addresses, and the webhook's path, from a config file's text, however they are escaped. */
export function withoutSecrets(
  text: string,
  config: Pick<Config, 'file' | 'service'>,
): { readonly text: string; readonly hasPasswords: boolean } {
  const uncommented = inComments(text, (comment) => hidePasswords(hidePaths(comment, config)));
  const edits: ConfigChange[] = [];
  let hasPasswords = false;
  for (const [path, value] of textsIn(readYaml(uncommented.replace(MARK, ''), config.file).data)) {
    const isHook = isDeepStrictEqual(path, ['alerts', 'webhook', 'url']);
    // Knowing the full webhook address is enough to post there.
    const shown = isHook ? `${new URL(value).origin}/***` : hidePasswords(value);
    if (shown === value) continue;
    edits.push({ kind: 'set', path, value: shown });
    hasPasswords ||= !isHook;
  }
  return { text: applyEdits(uncommented, edits, config.file), hasPasswords };
}

const MARK = /^\uFEFF/;
const ADDRESS = /[a-z][a-z0-9+.-]*:(?:\\?\/){2}[^\s"'<>]+/gi;

/** Hides the path of addresses in a comment: an earlier webhook may still work. */
function hidePaths(comment: string, { service }: Pick<Config, 'service'>): string {
  return comment.replace(ADDRESS, (found) => {
    const address = found.replaceAll('\\/', '/');
    if (address.startsWith(service.baseUrl)) return found;
    const [, before = '', after = ''] = /^([^:]+:\/\/[^/?#]*)(.*)$/s.exec(address) ?? [];
    return after.length > 1 ? `${before}/***` : found;
  });
}

/** The lexer's token before a scalar. */
const SCALAR = '\u001F';
/** Tokens with no length in the text. */
const MARKS = new Set(['\u0002', '\u0018', SCALAR]);

function inComments(text: string, change: (comment: string) => string): string {
  let result = '';
  let before = '';
  for (const token of new Lexer().lex(text)) {
    if (!MARKS.has(token)) result += token.startsWith('#') && before !== SCALAR ? change(token) : token;
    before = token;
  }
  return result;
}

function* textsIn(value: unknown, path: readonly ConfigKey[] = []): Generator<[ConfigKey[], string]> {
  if (typeof value === 'string') yield [[...path], value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}
