import type { Dice } from '../../reliability/support/dice.ts';
import type { AttemptOutcome } from '../../../src/core/domain/document.ts';
import type { FileNote } from '../../../src/core/ports/ledgerIntake.ts';
import type { Transition } from '../uploads.ts';
import type { Contents } from './contents.ts';
import { toMessage, type WhyFact } from '../../../src/core/domain/why.ts';

/** One thing that happens to a file after it was admitted or noted; times in milliseconds. */
export type After =
  | {
      readonly do: 'send';
      readonly at: number;
      readonly tookMs: number;
      readonly outcome: AttemptOutcome;
      readonly httpStatus: number | null;
      readonly message: string | null;
      readonly transition: Transition;
    }
  /** The upload has not been answered yet. */
  | { readonly do: 'begin'; readonly at: number }
  | { readonly do: 'lose'; readonly at: number; readonly message: string }
  | {
      readonly do: 'dispose';
      readonly at: number;
      readonly how: 'archived' | 'deleted';
      /** Relative to the folder. */
      readonly archivedTo: string | null;
    }
  | { readonly do: 'gone'; readonly at: number }
  | { readonly do: 'result'; readonly at: number; readonly status: string }
  /** Done last, because each erasure goes through the whole journal. */
  | { readonly do: 'erase' };

type Send = Extract<After, { do: 'send' }>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

function accepted(at: number, status = 'PROCESSING'): Send {
  const response = JSON.stringify({ status, pages: [{ index: 0 }], notes: ['<b>'], total: 12.5 });
  const transition: Transition = { state: 'accepted', serviceStatus: status, response };
  return { do: 'send', at, tookMs: 420, outcome: 'accepted', httpStatus: 200, message: null, transition };
}

const SERVICE = { at: 'service', host: 'api.example.com' } as const;

function trouble(at: number, reason: string, answerLost: boolean, waitMs = MINUTE): Send {
  const httpStatus = reason.startsWith('HTTP_') ? Number(reason.slice(5)) : null;
  const message = toMessage(
    httpStatus === null
      ? { is: 'fault', fault: { ...SERVICE, code: reason, isConnecting: !answerLost, other: null } }
      : { is: 'answered', status: httpStatus, words: '<h1>Bad gateway</h1>' },
  );
  const notBefore = at + waitMs;
  const isOdd = reason.startsWith('HTTP_5');
  const transition: Transition = { state: 'queued', notBefore, reason, message, answerLost, isOdd };
  const outcome = answerLost ? 'unknown' : reason === 'HTTP_429' ? 'limited' : 'trouble';
  return { do: 'send', at, tookMs: 30 * SECOND, outcome, httpStatus, message, transition };
}

function refused(at: number, httpStatus: number, state: 'failed' | 'unconfirmed', words: string): Send {
  const message = toMessage(
    state === 'failed' ? { is: 'refused', words } : { is: 'mayHaveIt', status: httpStatus, words },
  );
  const transition: Transition = { state, reason: `HTTP_${httpStatus}`, message };
  return { do: 'send', at, tookMs: 900, outcome: 'refused', httpStatus, message, transition };
}

/** What happened to an image that arrived at `at`. */
export type ImageFate = (at: number) => readonly After[];

/** Fates of settled images. A document with duplicates stays in its folder (`kept`). */
export const SETTLED = {
  accepted: (at) => [accepted(at + SECOND)],
  archived: (at) => [
    accepted(at + SECOND),
    { do: 'dispose', at: at + 2 * SECOND, how: 'archived', archivedTo: '.archive' },
  ],
  deleted: (at) => [
    accepted(at + SECOND),
    { do: 'dispose', at: at + 2 * SECOND, how: 'deleted', archivedTo: null },
  ],
  tidied: (at) => [accepted(at + SECOND), { do: 'gone', at: at + 3 * MINUTE }],
  afterTrouble: (at) => [
    trouble(at + SECOND, 'HTTP_503', false),
    trouble(at + MINUTE, 'HTTP_429', false),
    trouble(at + 2 * MINUTE, 'ECONNRESET', false),
    accepted(at + 5 * MINUTE),
  ],
  answerLost: (at) => [trouble(at + SECOND, 'ETIMEDOUT', true), accepted(at + 2 * MINUTE)],
  judged: (at) => [accepted(at + SECOND), { do: 'result', at: at + 9 * MINUTE, status: 'DONE' }],
  judgedOddly: (at) => [
    accepted(at + SECOND, 'RECEIVED'),
    { do: 'result', at: at + 9 * MINUTE, status: 'EN_COURS' },
    { do: 'result', at: at + 11 * MINUTE, status: '<b>prüfen</b>\u202e' },
  ],
  erased: (at) => [accepted(at + SECOND), { do: 'gone', at: at + 5 * MINUTE }, { do: 'erase' }],
  failed: (at) => [refused(at + SECOND, 422, 'failed', '<script>alert(1)</script>')],
  failedTooLarge: (at) => [
    refused(at + SECOND, 413, 'failed', '{"error":{"code":"E413","message":"Payload Too Large"}}'),
  ],
  unconfirmed: (at) => [
    trouble(at + SECOND, 'ETIMEDOUT', true),
    refused(at + 2 * MINUTE, 409, 'unconfirmed', 'name exists'),
  ],
  proven: (at) => [
    trouble(at + SECOND, 'ETIMEDOUT', true),
    refused(at + 2 * MINUTE, 409, 'unconfirmed', 'name exists'),
    { do: 'result', at: at + 20 * MINUTE, status: 'DONE' },
  ],
  lost: (at) => [
    trouble(at + SECOND, 'ECONNREFUSED', false),
    { do: 'gone', at: at + 2 * MINUTE },
    { do: 'lose', at: at + 3 * MINUTE, message: toMessage({ is: 'fileGone', file: '/scans/lost.jpg' }) },
  ],
} as const satisfies Readonly<Record<string, ImageFate>>;

/** Fates of images that are not settled yet. */
export const WAITING = {
  queued: () => [],
  queuedAgain: (at) => [trouble(at + SECOND, 'HTTP_503', false, DAY)],
  queuedWithoutAnswer: (at) => [trouble(at + SECOND, 'ETIMEDOUT', true, DAY)],
  uploading: (at) => [{ do: 'begin', at: at + SECOND }],
} as const satisfies Readonly<Record<string, ImageFate>>;

/** A note, or that a file was split into pages. */
export type Noted =
  | Omit<FileNote, 'at'>
  | (Omit<FileNote, 'at' | 'verdict' | 'reason'> & { readonly verdict: 'split'; readonly reason: null });

/** A file that is not a document: its contents and what was noted. */
export interface OtherFate {
  readonly contents: Contents;
  readonly ending: string;
  readonly note: Pick<Noted, 'verdict' | 'reason' | 'message'>;
  readonly isHashed?: boolean;
  readonly isGone?: boolean;
}

function note(verdict: FileNote['verdict'], reason: string, why: WhyFact): OtherFate['note'] {
  return { verdict, reason, message: toMessage(why) };
}

export const OTHERS: readonly OtherFate[] = [
  {
    contents: 'text',
    ending: '.txt',
    note: note('rejected', 'NOT_AN_IMAGE', { is: 'notAnImage', content: { is: 'text' } }),
  },
  {
    contents: 'text',
    ending: '.jpg',
    note: note('rejected', 'NOT_AN_IMAGE', { is: 'notAnImage', content: { is: 'text' } }),
    isHashed: true,
  },
  {
    contents: 'pdf',
    ending: '.pdf',
    note: note('rejected', 'PDF_NOT_ACCEPTED', { is: 'notAccepted', type: 'pdf' }),
  },
  {
    contents: 'tooLarge',
    ending: '.jpg',
    note: note('rejected', 'TOO_LARGE', { is: 'tooLarge', bytes: 500_300, limit: 500_000 }),
  },
  {
    contents: 'text',
    ending: '.png',
    note: note('rejected', 'NAME_NOT_UTF8', { is: 'badName' }),
    isGone: true,
  },
  {
    contents: 'pdf',
    ending: '.pdf',
    note: {
      verdict: 'split',
      reason: null,
      message: toMessage({ is: 'everyPageSent', pages: 3, attachments: 0 }),
    },
    isHashed: true,
  },
  { contents: 'empty', ending: '.jpg', note: note('incomplete', 'EMPTY', { is: 'empty' }) },
  {
    contents: 'half',
    ending: '.jpg',
    note: note('incomplete', 'INCOMPLETE', {
      is: 'incomplete',
      gap: { is: 'endMissing', type: 'jpeg', has: 512 },
    }),
  },
  {
    contents: 'half',
    ending: '.jpg',
    note: note('incomplete', 'INCOMPLETE', {
      is: 'incomplete',
      gap: { is: 'endMissing', type: 'jpeg', has: 512 },
    }),
    isGone: true,
  },
  {
    contents: 'image',
    ending: '.jpg',
    note: note('unreadable', 'EACCES', { is: 'cantBeRead', system: 'EACCES' }),
  },
  {
    contents: 'image',
    ending: '.jpg',
    note: note('skipped', 'EXISTING', { is: 'existing', existing: 'skip' }),
  },
];

/** Draws each kind once before drawing at random, so that a small office has them all. */
export function drawEach<K extends string>(dice: Dice, kinds: readonly K[], nth: number): K {
  return kinds[nth] ?? dice.pick(kinds);
}
