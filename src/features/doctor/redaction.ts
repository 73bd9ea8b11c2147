import { createHmac, randomBytes } from 'node:crypto';
import { hiderOf } from '../../logs/hideTexts.ts';
import { createRedactor } from '../../logs/redact.ts';

/** What stands between a support bundle and what must not be in it. */
export interface Redaction {
  /** Whether names of files, folders, documents and people may be shown. */
  readonly withNames: boolean;
  /** The same name gets the same stand-in within one bundle, and another one in the next. */
  name(text: string, kind?: string): string;
  /** A sentence of ours about things whose names are known: those get stand-ins, and so does every word that may be a name. */
  sentence(text: string): string;
  /** The last gate: known secrets in any of their forms, and what looks like one. Everything that is written goes through it. */
  scrub(text: string): string;
}

const HIDDEN = '[redacted]';
/** Shorter ones would hit words of ours. */
const SHORTEST = 4;
/** A figure with its unit, as our sentences have them. */
const FIGURE = /^[-+]?\d[\d.,:]*(?:%|ms|s|h|min|kB|MB|GB)?$/;
/** Nothing of ours is that long without a space, besides hashes, which are names here. */
const TOKEN = /[A-Za-z0-9+/_=-]{40,}/g;

export function createRedaction(options: {
  readonly withNames: boolean;
  readonly secrets: readonly string[];
  /** Names that are known from the configuration, the machine and the service. */
  readonly names: readonly string[];
  /** Of our own texts; any other word may be a name. */
  readonly words: ReadonlySet<string>;
}): Redaction {
  const { withNames, words } = options;
  const key = randomBytes(32);
  const forms = [...new Set(options.secrets.filter((each) => each.length >= SHORTEST).flatMap(formsOf))];
  const hide = hiderOf(forms, { anyCase: true });
  const patterns = createRedactor();
  const names = options.names.filter((each) => each.length >= SHORTEST_NAME);
  const standIn = hiderOf(names, { anyCase: true });
  // Everywhere, also where JSON needs a word of ours as it is.
  const foreign = hiderOf(
    names.filter((each) => !words.has(each) && !words.has(each.toLowerCase())),
    { anyCase: true },
  );
  const name = (text: string, kind = 'name'): string =>
    withNames ? text : `${kind}-${createHmac('sha256', key).update(text).digest('hex').slice(0, 8)}`;
  const isShownPath = (text: string): boolean =>
    withNames &&
    text.startsWith('/') &&
    options.names.some((each) => each.startsWith('/') && each.includes(text));
  const scrub = (text: string): string => {
    const nameless = withNames ? text : foreign(text, (found) => name(found));
    return patterns
      .redact(hide(nameless, () => HIDDEN))
      .replace(TOKEN, (found) => (isShownPath(found) ? found : HIDDEN));
  };
  const isOurs = (token: string): boolean => {
    const [, inner = ''] = AROUND.exec(token) ?? [];
    if (FIGURE.test(inner) || STAND_IN.test(inner)) return true;
    return inner
      .split(WITHIN)
      .every((word) => word === '' || words.has(word) || words.has(uncapitalised(word)));
  };
  return {
    withNames,
    name,
    scrub,
    sentence(text) {
      if (withNames) return text;
      // What stands in quotation marks was read somewhere: in the configuration, in an answer of the service.
      const unquoted = text.replace(/"[^"]*"/g, '[…]');
      const tokens = standIn(unquoted, (found) => name(found)).split(' ');
      return tokens.map((token) => (token === '[…]' || isOurs(token) ? token : '[…]')).join(' ');
    },
  };
}

const SHORTEST_NAME = 3;
const AROUND = /^[("'`[]*(.*?)[)"'`\].,;:!?]*$/;
/** `service.baseUrl`, `folders[0]`, `can't`, `--dry-run`. */
const WITHIN = /[-.'’_[\]<>=()\d]+/;
const STAND_IN = /^[a-z]+-[0-9a-f]{8}$/;

/** As at the beginning of a sentence. */
function uncapitalised(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** As it is, in JSON, percent-encoded, in hexadecimal, and in base64 wherever it begins there. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const json = JSON.stringify(value).slice(1, -1);
  const all = [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(bytes.toString()),
    bytes.toString('hex'),
  ];
  all.push([...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  all.push(new URLSearchParams([['', value]]).toString().slice(1));
  for (let shift = 0; shift < 3; shift += 1) {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    // Characters at the edges depend on the neighbours.
    const from = Math.ceil((shift * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    for (const kind of ['base64', 'base64url'] as const) all.push(padded.toString(kind).slice(from, until));
  }
  return all.filter((form) => form.length >= SHORTEST);
}
