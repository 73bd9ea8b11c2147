import { z } from 'zod';
import { matcherOf, PatternTooComplex } from '../core/domain/globs.ts';
import { BUILT_IN_IGNORES, OWN_FILES } from './ignores.ts';
import { HOURS_PATTERN, parseHours } from '../core/domain/hours.ts';
import { RATE_PATTERN, parseRate } from '../core/domain/rate.ts';
import { DURATION_PATTERN, SIZE_PATTERN, parseDay, parseDuration, parseSize } from './units.ts';

/*
 * Value types of the config file. Every `error` completes the sentence "expected ..."; `title` names the type in the
 * reference and in editors. `example` is a valid value, for tests that change each setting.
 */

export const yesOrNo = z.boolean();

export function text(title: string, pattern: RegExp, expected: string, example?: string) {
  const its = z.string({ error: expected }).regex(pattern, { error: expected, abort: true });
  return its.meta(example === undefined ? { title } : { title, example });
}

const SHORT_NAME = 'a short name of letters, digits, - and _';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** Alias of an endpoint. */
export const shortName = z.string().regex(NAME, { error: SHORT_NAME });

/** Not `none`, which an endpoint uses for the default account. */
export const accountName = z.string().regex(/^(?!none$)[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, {
  error: `${SHORT_NAME}, other than none`,
});

/** Not `share` and not one letter: folders appear as `<agent>:<path>`, `share:<share>` or with a Windows drive letter. */
export const agentName = z.string().regex(/^(?!share$)[A-Za-z0-9][A-Za-z0-9_-]{1,62}$/, {
  error: 'a short name of at least two letters, digits, - and _, other than share',
});

/** Null for `none`. */
export function nameOrNone(expected: string, title: string, pattern = /^/) {
  return z
    .string({ error: expected })
    .regex(pattern, { error: expected })
    .transform((value) => (value === 'none' ? null : value))
    .meta({ title, example: 'branch' });
}

/** Name of a shared folder. */
export const shareName = nameOrNone(`${SHORT_NAME}, or none`, 'short name, or none', NAME);
export const groupName = nameOrNone(
  'the name of a group, or none',
  'group, or none',
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/,
);
export const userName = nameOrNone('a user name, or none', 'text, or none', /^[^\0\r\n]{1,200}$/);

/** Node timers overflow after 24.8 days and then fire immediately. */
const LONGEST = '24d';

export function duration(atLeast: string, atMost = LONGEST) {
  const expected = `a duration from ${atLeast} to ${atMost}, with a unit: 200ms, 10s, 5m, 1h, 1d`;
  const [least, most] = [parseDuration(atLeast), parseDuration(atMost)];
  return text('duration', DURATION_PATTERN, expected)
    .refine((value) => parseDuration(value) >= least && parseDuration(value) <= most, { error: expected })
    .transform(parseDuration)
    .meta({ title: 'duration', example: atMost === LONGEST ? '2h' : atMost });
}

const SILENT_AFTER = 'auto, never or a duration of at least 30m, with a unit: 90m, 4h';
/** Milliseconds of working hours. */
export const silentAfter = text(
  'auto, never or duration',
  /^(?:auto|never|\d{1,9}(?:ms|s|m|h|d))$/,
  SILENT_AFTER,
)
  .transform((value) => (value === 'auto' || value === 'never' ? value : parseDuration(value)))
  .refine((value) => typeof value === 'string' || value >= parseDuration('30m'), { error: SILENT_AFTER })
  .meta({ title: 'auto, never or duration', example: '4h' });

export function size(atLeast: string, atMost: string) {
  const expected = `a size from ${atLeast} to ${atMost}, with a unit: 500kB, 50MB, 1GB`;
  return text('size', SIZE_PATTERN, expected)
    .refine((value) => isSizeWithin(value, atLeast, atMost), { error: expected })
    .transform(parseSize)
    .meta({ title: 'size', example: atMost });
}

/** Bytes; 0: off. */
export function sizeOrOff(atLeast: string, atMost: string) {
  const expected = `off, or a size from ${atLeast} to ${atMost}, with a unit: 500kB, 50MB, 1GB`;
  return z
    .string({ error: expected })
    .refine((value) => value === 'off' || isSizeWithin(value, atLeast, atMost), { error: expected })
    .transform((value) => (value === 'off' ? 0 : parseSize(value)))
    .meta({ title: 'size, or off', example: 'off' });
}

function isSizeWithin(value: string, atLeast: string, atMost: string): boolean {
  // NaN, which is neither, for anything else.
  return parseSize(value) >= parseSize(atLeast) && parseSize(value) <= parseSize(atMost);
}

export function whole(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}`;
  return z
    .int({ error: expected })
    .min(min, { error: expected })
    .max(max, { error: expected })
    .meta({ title: `whole number, ${min} to ${max}` });
}

export const rate = text('rate', RATE_PATTERN, 'N/s, N/min or N/h, such as 120/min, or unlimited')
  .transform(parseRate)
  .meta({ title: 'rate', example: '7/min' });

const BUDGET = 'a whole number of uploads, 1 or more, or unlimited';
export const budget = z
  .union([z.literal('unlimited'), z.int().min(1, { error: BUDGET }).max(1_000_000_000, { error: BUDGET })], {
    error: BUDGET,
  })
  .transform((value) => (value === 'unlimited' ? null : value))
  .meta({ title: 'whole number, or unlimited', example: 70 });

export const path = text(
  'path',
  /^(?!~[^/\\])[^\0]+$/,
  'a path (~ works for your own home only)',
  'other/place',
);

/** Null for `none`; otherwise the absolute path, once the settings are assembled. */
export const fileOrNone = path
  .transform((value) => (value === 'none' ? null : value))
  .meta({ title: 'path, or none', example: 'other.pem', relativeTo: 'file' });

export const patterns = z
  .array(
    text(
      'pattern',
      /^(?!\/|!(?!\())[^\0]+$/,
      'a pattern relative to the folder that does not start with / or !',
    ),
  )
  .refine(isCheap, {
    error: 'has patterns that are too long, or with too many stars, alternatives or groups',
  })
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

const EXISTING = 'send, skip, or since and a day: since 2026-01-31';
export const existing = text(
  'send, skip or since YYYY-MM-DD',
  /^(?:send|skip|since \d{4}-\d{2}-\d{2})$/,
  EXISTING,
)
  .refine((value) => !value.startsWith('since ') || !Number.isNaN(parseDay(value.slice(6))), {
    error: EXISTING,
  })
  .transform(readExisting)
  .meta({ title: 'send, skip or since YYYY-MM-DD', example: 'skip' });

/** `at`: local midnight of that day in wall-clock milliseconds. */
type Existing = { kind: 'send' } | { kind: 'skip' } | { kind: 'since'; at: number; text: string };

function readExisting(value: string): Existing {
  if (value === 'send' || value === 'skip') return { kind: value };
  const day = value.slice('since '.length);
  return { kind: 'since', at: parseDay(day), text: day };
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
export const contentType = text(
  'auto or a media type',
  new RegExp(`^(?:auto|${TOKEN}/${TOKEN})$`),
  'auto or a media type such as application/octet-stream',
  'image/other',
);

/** Bytes per second; null for unlimited. */
export const bandwidth = text(
  'size per second',
  /^(?:unlimited|[1-9]\d{0,9}(?:kB|MB|GB)\/s)$/,
  'a size per second such as 500kB/s or 2MB/s, or unlimited',
)
  .transform((value) => (value === 'unlimited' ? null : parseSize(value.slice(0, -2))))
  .meta({ title: 'size per second, or unlimited', example: '1MB/s' });

/** `word` stands for null. */
function spansOr(word: 'always' | 'none', example: string) {
  const expected = `${word}, or a list of days and times such as ${example}`;
  return z
    .union(
      [
        z.literal(word),
        z.array(z.string().regex(HOURS_PATTERN, { error: expected })).min(1, { error: expected }),
      ],
      {
        error: expected,
      },
    )
    .transform((value) => (typeof value === 'string' ? null : parseHours(value)))
    .meta({ title: `${word}, or list of days and times`, example: ['Sat 08:00-12:00'] });
}

export const hours = spansOr('always', '[ Mon-Fri 07:00-19:00 ]');
export const quietHours = spansOr('none', '[ Mon-Fri 19:00-07:00, Sat-Sun 00:00-24:00 ]');

/** Minutes since midnight, local time; null: off. */
export const timeOfDay = text(
  'off, or time',
  /^(?:off|(?:[01]\d|2[0-3]):[0-5]\d)$/,
  'a time of day in quotes, such as "07:30", or off',
)
  .transform((value) => (value === 'off' ? null : Number(value.slice(0, 2)) * 60 + Number(value.slice(3))))
  .meta({ title: 'off, or HH:MM', example: '07:30' });

const COMMAND = 'none, or a list: the absolute path of a program, then its arguments';
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
export const serviceStatus = text(
  'status',
  /^[^\0\r\n]{1,200}$/,
  'a status, exactly as the service writes it',
);

const OTHER_COLUMNS =
  'name|state|status|endpointUid|path|sha256|type|size|attempts|answerLost|reason|message|archivedTo|createdAt|updatedAt';

/** Name of a result value; must differ from all other columns of an export. */
export const columnName = z
  .string()
  .regex(new RegExp(`^(?!(?:${OTHER_COLUMNS})$)\\p{L}[\\p{L}\\d _-]{0,39}$`, 'u'), {
    error: 'a short name of letters, digits, spaces, - and _ that is not already a column of exports',
  });

/** A JSON pointer (RFC 6901). */
export const pointer = text(
  'JSON pointer',
  /^\/(?:[^~\p{Cc}]|~[01]){0,198}$/u,
  'a JSON pointer, such as /total or /receipt/merchant/name',
);
