import { createHmac, randomBytes } from 'node:crypto';
import { hiderOf } from '../../telemetry/hideTexts.ts';
import { createRedactor } from '../../telemetry/redact.ts';

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
/** Words and figures of our own sentences. */
const PLAIN_WORD =
  /^[(`"]*(?:[A-Za-z][a-z]{0,19}(?:['-][a-z]{1,12})?|[A-Z][A-Z_]{1,30}|\[[A-Z_]+\]|[\d.,:]+(?:%|ms|s|MB|GB|kB)?|[-–=+])[)`",.;:]*$/;
/** Nothing of ours is that long without a space, besides hashes, which are names here. */
const TOKEN = /[A-Za-z0-9+/_=-]{40,}/g;

export function createRedaction(options: {
  readonly withNames: boolean;
  readonly secrets: readonly string[];
  /** Names that are known from the configuration and the machine. */
  readonly names: readonly string[];
}): Redaction {
  const { withNames } = options;
  const key = randomBytes(32);
  const forms = [...new Set(options.secrets.filter((each) => each.length >= SHORTEST).flatMap(formsOf))];
  const hide = hiderOf(forms, { anyCase: true });
  const patterns = createRedactor();
  const standIn = hiderOf(
    options.names.filter((each) => each.length > 1),
    { anyCase: true },
  );
  const name = (text: string, kind = 'name'): string =>
    withNames ? text : `${kind}-${createHmac('sha256', key).update(text).digest('hex').slice(0, 8)}`;
  const scrub = (text: string): string => patterns.redact(hide(text, () => HIDDEN)).replace(TOKEN, HIDDEN);
  return {
    withNames,
    name,
    scrub,
    sentence(text) {
      if (withNames) return text;
      const words = standIn(text, (found) => name(found)).split(' ');
      return words.map((word) => (PLAIN_WORD.test(word) || STAND_IN.test(word) ? word : '[…]')).join(' ');
    },
  };
}

const STAND_IN = /^[a-z]+-[0-9a-f]{8}[,.;:)]*$/;

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
