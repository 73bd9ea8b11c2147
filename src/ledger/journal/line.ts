import { hash } from 'node:crypto';
import type { Json, JournalEntry, JournalEvent, JournalHead, JsonObject } from '../../core/ports/journal.ts';
import type { JournalFlawFact } from '../../core/domain/why.ts';

/** The first entry has this in place of its predecessor's hash. */
export const NO_HASH = '0'.repeat(64);
/** Far larger than any entry: a longer line is damage, and is never held in memory whole. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const TAB = 9;
const SPACE = 32;
const SHA256 = /^[0-9a-f]{64}$/;
const UTC = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An entry with its text, with which it moves into another chain. */
export interface JournalLine extends JournalEntry {
  readonly line: { readonly entry: string; readonly personal: string };
}

/** One line: ENTRY, HASH, PERSONAL, separated by tabs; see docs/audit.md. */
export interface ParsedLine {
  readonly entry: JournalLine;
  readonly prev: string;
  /** The commit continues with the next entry. */
  readonly isPart: boolean;
  /** Byte position of the personal data in the line; empty if there never were any. */
  readonly personalAt: { readonly from: number; readonly length: number };
  /** `broken`: the field does not match the digest in the entry. */
  readonly personal: 'none' | 'kept' | 'erased' | 'broken';
}

/** A line that is not an entry; `seq` is the number that it claims, if readable. */
export interface BadLine {
  readonly seq: number | null;
  readonly flaw: JournalFlawFact;
}

/** Formats an event as the successor of `after`, with line feed; `isPart` if its commit continues after it. */
export function formatLine(
  { kind, at, facts, personal }: JournalEvent,
  after: Pick<JournalHead, 'seq' | 'hash'>,
  salt: () => string,
  isPart = false,
): { readonly text: string; readonly seq: number; readonly hash: string } {
  const own = personal && Object.assign({ salt: salt() }, personal);
  const personalText = own === undefined ? '' : JSON.stringify(own);
  const seq = after.seq + 1;
  const entry = JSON.stringify({
    seq,
    at: utcOf(at),
    kind,
    facts,
    personal: own === undefined ? null : sha256(personalText),
    prev: after.hash,
    ...(isPart && { part: true }),
  });
  const digest = sha256(entry);
  const text = `${entry}\t${digest}\t${personalText}\n`;
  if (isTooLong(text)) throw new RangeError(`An entry of kind ${kind} is too long.`);
  return { text, seq, hash: digest };
}

/** Checks everything that needs no neighbouring line. `line` is without its line feed; null: too long. */
export function parseLine(line: Buffer | null): ParsedLine | BadLine {
  if (line === null) return { seq: null, flaw: { is: 'lineTooLong' } };
  const first = line.indexOf(TAB);
  const second = first < 0 ? -1 : line.indexOf(TAB, first + 1);
  const seq = claimedSeq(line);
  if (second < 0 || line.includes(TAB, second + 1)) {
    return { seq, flaw: { is: 'notThreeFields' } };
  }
  const entryBytes = line.subarray(0, first);
  const digest = line.toString('latin1', first + 1, second);
  if (sha256(entryBytes) !== digest) return { seq, flaw: { is: 'entryChanged' } };
  const text = entryBytes.toString();
  const entry = parseEntryText(text);
  if (entry === undefined) return { seq, flaw: { is: 'notAnEntry' } };
  const personalBytes = line.subarray(second + 1);
  const state = personalState(entry.personal, personalBytes);
  const personal = personalBytes.toString();
  const kept = state === 'kept' ? parseObject(personal) : null;
  return {
    entry: {
      seq: entry.seq,
      hash: digest,
      kind: entry.kind,
      at: entry.at,
      facts: entry.facts,
      personal: kept && withoutSalt(kept),
      line: { entry: text, personal },
    },
    prev: entry.prev,
    isPart: entry.isPart,
    personalAt: { from: second + 1, length: personalBytes.length },
    personal: state === 'kept' && kept === null ? 'broken' : state,
  };
}

export function isBad(line: ParsedLine | BadLine): line is BadLine {
  return 'flaw' in line;
}

let last = { at: NaN, utc: '' };

/** Cached: formatting takes as long as hashing the line, and much of a commit happens in one millisecond. */
function utcOf(at: number): string {
  if (at !== last.at) last = { at, utc: new Date(at).toISOString() };
  return last.utc;
}

/** A UTF-16 code unit takes at most three bytes, so that few lines have to be measured. */
function isTooLong(text: string): boolean {
  return text.length > MAX_LINE_BYTES / 3 && Buffer.byteLength(text) > MAX_LINE_BYTES;
}

function sha256(data: string | Buffer): string {
  return hash('sha256', data, 'hex');
}

function personalState(digest: string | null, bytes: Buffer): ParsedLine['personal'] {
  if (digest === null) return bytes.length === 0 ? 'none' : 'broken';
  if (bytes.length > 0 && bytes.every((byte) => byte === SPACE)) return 'erased';
  return sha256(bytes) === digest ? 'kept' : 'broken';
}

/** Undefined for anything that receiptd does not write. Does not check the hash. */
export function parseEntryText(text: string) {
  const { seq, at, kind, facts, personal, prev, part } = parseObject(text) ?? {};
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return undefined;
  if (typeof at !== 'string' || !UTC.test(at) || Number.isNaN(Date.parse(at))) return undefined;
  if (typeof kind !== 'string' || !isObject(facts) || !isDigest(prev)) return undefined;
  if (personal !== null && !isDigest(personal)) return undefined;
  if (part !== undefined && part !== true) return undefined;
  return { seq, at: Date.parse(at), kind, facts, personal, prev, isPart: part === true };
}

function isDigest(value: Json | undefined): value is string {
  return typeof value === 'string' && SHA256.test(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Drops the salt: it only keeps erased personal data from being guessed by their digest. */
function withoutSalt(personal: JsonObject): JsonObject {
  const { salt: _, ...rest } = personal;
  return rest;
}

function claimedSeq(line: Buffer): number | null {
  const digits = /^\{"seq":(\d{1,15}),/.exec(line.toString('latin1', 0, 32))?.[1];
  return digits === undefined ? null : Number(digits);
}
