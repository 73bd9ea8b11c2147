import { createHmac, randomBytes } from 'node:crypto';
import { hiderOf } from '../../logs/hideTexts.ts';
import { createRedactor } from '../../logs/redact.ts';
import { formsOf, SHORTEST_SECRET } from '../../logs/secretForms.ts';

/** Redacts names and secrets from a support bundle. */
export interface Redaction {
  /** Whether names of files, folders, documents and people may be shown. */
  readonly withNames: boolean;
  /** Replaces a name. Equal names get equal stand-ins within one bundle, but not across bundles. */
  name(text: string, kind?: string): string;
  /** Redacts one of our sentences: known names get stand-ins, and so does every other word that may be a name. */
  sentence(text: string): string;
  /** The final filter, for everything that is written: known secrets in any form, and anything that looks like one. */
  scrub(text: string): string;
}

const HIDDEN = '[redacted]';
/** A number with its unit, as in our sentences. */
const FIGURE = /^[-+]?\d[\d.,:]*(?:%|ms|s|h|min|kB|MB|GB)?$/;
/** Nothing of ours is that long without a space, except hashes, which count as names here. */
const TOKEN = /[A-Za-z0-9+/_=-]{40,}/g;

export function createRedaction(options: {
  readonly withNames: boolean;
  readonly secrets: readonly string[];
  /** Known names, from the configuration, the machine and the service. */
  readonly names: readonly string[];
  /** Words of our own texts; any other word may be a name. */
  readonly words: ReadonlySet<string>;
}): Redaction {
  const { withNames, words } = options;
  const key = randomBytes(32);
  const forms = [
    ...new Set(options.secrets.filter((each) => each.length >= SHORTEST_SECRET).flatMap(formsOf)),
  ];
  const hide = hiderOf(forms, { anyCase: true });
  const patterns = createRedactor();
  const names = options.names.filter((each) => each.length >= SHORTEST_NAME);
  const standIn = hiderOf(names, { anyCase: true });
  // Replaced everywhere, even where JSON needs our own words unchanged.
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
      // Quoted text comes from elsewhere: the configuration, or an answer of the service.
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

/** Undoes the capital letter at the start of a sentence. */
function uncapitalised(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}
