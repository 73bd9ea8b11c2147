import { z } from 'zod';
import { matcherOf, PatternTooComplex } from '../core/domain/globs.ts';
import type { Expected } from '../texts/en/settingFlaws.ts';
import { BUILT_IN_IGNORES, OWN_FILES } from './ignores.ts';
import { HOURS_PATTERN, parseHours } from '../core/domain/hours.ts';
import { RATE_PATTERN, parseRate, type RateUnit } from '../core/domain/rate.ts';
import { DURATION_PATTERN, SIZE_PATTERN, parseDay, parseDuration, parseSize } from './units.ts';

/*
 * Value types of the config file. Every `error` says what was expected; `title` names the type in the reference and in
 * editors. `example` is a valid value, for tests that change each setting.
 */

/** A fact for `error`, which takes texts only. */
export function expects(expected: Expected): string {
  return JSON.stringify(expected);
}

/** The fact of the first issue that `expects` made. */
export function expectedIn(issues: readonly { readonly message: string }[]): Expected {
  const [message = ''] = issues.map((issue) => issue.message).filter((each) => each.startsWith('{'));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return message === '' ? { is: 'other' } : (JSON.parse(message) as Expected);
}

export const yesOrNo = z.boolean();

export function text(pattern: RegExp, expected: Expected) {
  const error = expects(expected);
  return z.string({ error }).regex(pattern, { error, abort: true });
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** Alias of an endpoint. */
export const shortName = z.string().regex(NAME, { error: expects({ is: 'shortName' }) });

/** Not `none`, which an endpoint uses for the default account. */
export const accountName = z.string().regex(/^(?!none$)[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, {
  error: expects({ is: 'accountName' }),
});

/** Not `share` and not one letter: folders appear as `<agent>:<path>`, `share:<share>` or with a Windows drive letter. */
export const agentName = z.string().regex(/^(?!share$)[A-Za-z0-9][A-Za-z0-9_-]{1,62}$/, {
  error: expects({ is: 'agentName' }),
});

/** Null for `none`. */
export function nameOrNone(expected: Expected, pattern = /^/) {
  return text(pattern, expected).transform((value) => (value === 'none' ? null : value));
}

/** Name of a shared folder. */
export const shareName = nameOrNone({ is: 'shortNameOrNone' }, NAME).meta({
  title: 'short name, or none',
  example: 'branch',
});
export const groupName = nameOrNone({ is: 'group' }, /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/).meta({
  title: 'group, or none',
  example: 'branch',
});
export const userName = nameOrNone({ is: 'user' }, /^[^\0\r\n]{1,200}$/).meta({
  title: 'text, or none',
  example: 'branch',
});

/** Node timers overflow after 24.8 days and then fire immediately. */
const LONGEST = '24d';

export function duration(atLeast: string, atMost = LONGEST) {
  const expected: Expected = { is: 'duration', atLeast, atMost };
  const [least, most] = [parseDuration(atLeast), parseDuration(atMost)];
  return text(DURATION_PATTERN, expected)
    .refine((value) => parseDuration(value) >= least && parseDuration(value) <= most, {
      error: expects(expected),
    })
    .transform(parseDuration)
    .meta({ title: 'duration', example: atMost === LONGEST ? '2h' : atMost });
}

/** Milliseconds of working hours. */
export const silentAfter = text(/^(?:auto|never|\d{1,9}(?:ms|s|m|h|d))$/, { is: 'silentAfter' })
  .transform((value) => (value === 'auto' || value === 'never' ? value : parseDuration(value)))
  .refine((value) => typeof value === 'string' || value >= parseDuration('30m'), {
    error: expects({ is: 'silentAfter' }),
  })
  .meta({ title: 'auto, never or duration', example: '4h' });

export function size(atLeast: string, atMost: string) {
  const expected: Expected = { is: 'size', atLeast, atMost };
  return text(SIZE_PATTERN, expected)
    .refine((value) => isSizeWithin(value, atLeast, atMost), { error: expects(expected) })
    .transform(parseSize)
    .meta({ title: 'size', example: atMost });
}

/** Bytes; 0: off. */
export function sizeOrOff(atLeast: string, atMost: string) {
  const error = expects({ is: 'sizeOrOff', atLeast, atMost });
  return z
    .string({ error })
    .refine((value) => value === 'off' || isSizeWithin(value, atLeast, atMost), { error })
    .transform((value) => (value === 'off' ? 0 : parseSize(value)))
    .meta({ title: 'size, or off', example: 'off' });
}

function isSizeWithin(value: string, atLeast: string, atMost: string): boolean {
  // NaN, which is neither, for anything else.
  return parseSize(value) >= parseSize(atLeast) && parseSize(value) <= parseSize(atMost);
}

export function whole(min: number, max: number) {
  const error = expects({ is: 'wholeNumber', min, max });
  return z
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .meta({ title: `whole number, ${min} to ${max}` });
}

/** `unit`: that of a number alone, as people type it. */
export function rate(unit: RateUnit) {
  const expected: Expected = { is: 'rate', unit };
  const error = expects(expected);
  return z
    .union([text(RATE_PATTERN, expected), z.int().min(1, { error }).max(9_999_999, { error })], { error })
    .transform((value) => parseRate(String(value), unit))
    .meta({ title: 'rate', example: '7/min', unit });
}

const BUDGET = expects({ is: 'uploads' });
export const budget = z
  .union([z.literal('unlimited'), z.int().min(1, { error: BUDGET }).max(1_000_000_000, { error: BUDGET })], {
    error: BUDGET,
  })
  .transform((value) => (value === 'unlimited' ? null : value))
  .meta({ title: 'whole number, or unlimited', example: 70 });

export const path = text(/^(?!~[^/\\])[^\0]+$/, { is: 'path' }).meta({
  title: 'path',
  example: 'other/place',
});

/** Null for `none`; otherwise the absolute path, once the settings are assembled. */
export const fileOrNone = path
  .transform((value) => (value === 'none' ? null : value))
  .meta({ title: 'path, or none', example: 'other.pem', relativeTo: 'file' });

export const patterns = z
  .array(text(/^(?!\/|!(?!\())[^\0]+$/, { is: 'pattern' }).meta({ title: 'pattern' }))
  .refine(isCheap, { error: expects({ is: 'cheapPatterns' }) })
  .meta({ title: 'list of patterns', example: ['*.other'] });

/** Whether a folder can use them, with the patterns that it always has. */
function isCheap(own: readonly string[]): boolean {
  try {
    matcherOf([...own, ...BUILT_IN_IGNORES, ...OWN_FILES]);
    return true;
  } catch (error) {
    if (!(error instanceof PatternTooComplex)) throw error;
    return false;
  }
}

const EXISTING = expects({ is: 'existing' });
export const existing = z
  .union(
    [
      z.enum(['skip', 'send']),
      text(/^since \d{4}-\d{2}-\d{2}$/, { is: 'existing' }).refine(
        (value) => !Number.isNaN(parseDay(value.slice('since '.length))),
        { error: EXISTING },
      ),
    ],
    { error: EXISTING },
  )
  .transform(readExisting)
  .meta({ title: 'send, skip or since YYYY-MM-DD', example: 'skip' });

/** `at`: local midnight of that day in wall-clock milliseconds. */
type ExistingValue = { kind: 'send' } | { kind: 'skip' } | { kind: 'since'; at: number; text: string };

function readExisting(value: string): ExistingValue {
  if (value === 'send' || value === 'skip') return { kind: value };
  const day = value.slice('since '.length);
  return { kind: 'since', at: parseDay(day), text: day };
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
export const contentType = text(new RegExp(`^(?:auto|${TOKEN}/${TOKEN})$`), { is: 'contentType' }).meta({
  title: 'auto or a media type',
  example: 'image/other',
});

/** Bytes per second; null for unlimited. */
export const bandwidth = text(/^(?:unlimited|[1-9]\d{0,9}(?:kB|MB|GB)\/s)$/, { is: 'bandwidth' })
  .transform((value) => (value === 'unlimited' ? null : parseSize(value.slice(0, -2))))
  .meta({ title: 'size per second, or unlimited', example: '1MB/s' });

/** `word` stands for null. */
function spansOr(word: 'always' | 'none', example: string) {
  const error = expects({ is: 'spans', word, example });
  return z
    .union([z.literal(word), z.array(z.string().regex(HOURS_PATTERN, { error })).min(1, { error })], {
      error,
    })
    .transform((value) => (typeof value === 'string' ? null : parseHours(value)))
    .meta({ title: `${word}, or list of days and times`, example: ['Sat 08:00-12:00'] });
}

export const hours = spansOr('always', '[ Mon-Fri 07:00-19:00 ]');
export const quietHours = spansOr('none', '[ Mon-Fri 19:00-07:00, Sat-Sun 00:00-24:00 ]');

/** Minutes since midnight, local time; null: off. */
export const timeOfDay = text(/^(?:off|(?:[01]\d|2[0-3]):[0-5]\d)$/, { is: 'timeOfDay' })
  .transform((value) => (value === 'off' ? null : Number(value.slice(0, 2)) * 60 + Number(value.slice(3))))
  .meta({ title: 'off, or HH:MM', example: '07:30' });

const COMMAND = expects({ is: 'command' });
/** Null: none. The program is started directly, without a shell. */
export const command = z
  .union(
    [z.literal('none'), z.array(z.string().regex(/^[^\0]*$/, { error: COMMAND })).min(1, { error: COMMAND })],
    {
      error: COMMAND,
    },
  )
  .refine((value) => value === 'none' || /^(?:\/|[A-Za-z]:[\\/])/.test(value[0] ?? ''), { error: COMMAND })
  .transform((value) => (value === 'none' ? null : value))
  .meta({ title: 'none, or list of texts', example: ['/bin/other'] });

/** A document status of the service, verbatim; the service's API does not list the possible ones. */
export const serviceStatus = text(/^[^\0\r\n]{1,200}$/, { is: 'status' }).meta({ title: 'status' });

const OTHER_COLUMNS =
  'name|state|status|endpointUid|path|sha256|type|size|attempts|answerLost|reason|message|archivedTo|createdAt|updatedAt';

/** Name of a result value; must differ from all other columns of an export. */
export const columnName = z
  .string()
  .regex(new RegExp(`^(?!(?:${OTHER_COLUMNS})$)\\p{L}[\\p{L}\\d _-]{0,39}$`, 'u'), {
    error: expects({ is: 'columnName' }),
  });

/** A JSON pointer (RFC 6901). */
export const pointer = text(/^\/(?:[^~\p{Cc}]|~[01]){0,198}$/u, { is: 'pointer' }).meta({
  title: 'JSON pointer',
});
