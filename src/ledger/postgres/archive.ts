import { hash as digestOf } from 'node:crypto';
import fs from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ReceiptdError, saidBy, systemCode } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { isBad, NO_HASH, parseEntryText, parseLine } from '../journal/line.ts';
import { ChainCheck } from '../journal/read.ts';
import { linesBehind, lineText, type ChainLine } from './chain.ts';
import type { Connection } from './connection.ts';
import { isOwner } from './rights.ts';
import { lockTables, requireTables } from './tables.ts';

export interface ArchiveOptions {
  /** Wall-clock milliseconds: archives months that ended before. */
  readonly before: number;
  readonly dir: string;
  readonly gzip: boolean;
  /** Writes and checks files without removing anything from the database. */
  readonly keep: boolean;
}

export interface ArchivedFile {
  readonly file: string;
  readonly agent: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** An agent's chain, and where the part of it ends that is in files by now. */
interface Chain {
  readonly id: number;
  readonly agent: string;
  /** The last line, which stays: what a machine remembers, and a kept head, are compared with it. */
  readonly head: number;
  readonly after: number;
  readonly afterHash: string;
  /** The end of the last file's month; 0: there is none. */
  readonly until: number;
}

interface Written extends ArchivedFile {
  readonly chain: Chain;
  readonly hash: string;
  readonly lines: number;
  readonly digest: bigint;
}

const PAGE = 2_000;

const CHAINS = `
SELECT a.id, a.name AS agent, a.seq AS head, coalesce(l.to_seq, 0) AS after, coalesce(l.to_hash, '${NO_HASH}') AS "afterHash", coalesce(l.until, 0) AS until
  FROM agents a LEFT JOIN LATERAL (SELECT * FROM archives r WHERE r.agent = a.id ORDER BY r.to_seq DESC LIMIT 1) l ON true
 ORDER BY a.name`;

/** Of a line, in 60 bits; they are added up. An erasure changes it. */
const DIGEST = `('x' || left(encode(sha256(convert_to(entry || E'\\t' || hash || E'\\t' || personal, 'UTF8')), 'hex'), 15))::bit(60)::bigint`;
const TAKE = `
WITH taken AS (DELETE FROM chain WHERE agent = :id AND seq > :after AND seq <= :toSeq RETURNING ord, ${DIGEST} AS digest),
  sums AS (SELECT count(*) AS lines, coalesce(sum(digest), 0)::text AS digest, coalesce(max(ord), 0) AS ord FROM taken),
  noted AS (INSERT INTO archives (agent, to_seq, to_hash, to_ord, until, file) SELECT :id::integer, :toSeq::bigint, :hash::text, ord, :until::bigint, :file::text FROM sums)
SELECT lines, digest FROM sums`;

/**
 * Writes the lines of each month that ended before a date to journal files, one for each agent, checks them, and removes them from the database. Oldest
 * month first, each in one transaction: after a crash, a month is in the database, in complete files, or both. The month of a line is that of its time,
 * or that of the line before it if that is later.
 * @throws ReceiptdError LEDGER_REFUSED, HISTORY_KEPT, OUTPUT_UNWRITABLE
 */
export async function archiveHistory(
  connection: Connection,
  where: string,
  options: ArchiveOptions,
): Promise<readonly ArchivedFile[]> {
  if (!(await isOwner(connection))) throw new ReceiptdError('LEDGER_REFUSED.historyNotOwned', { where });
  const chains = new Map((await connection.all<Chain>(CHAINS)).map((chain) => [chain.id, chain]));
  const ends = new Map<number, number>();
  for (const chain of chains.values()) ends.set(chain.id, await nextEnd(connection, chain));
  const files: ArchivedFile[] = [];
  for (;;) {
    const until = Math.min(...ends.values());
    if (until > options.before) return files;
    const due = [...chains.values()].filter(({ id }) => ends.get(id) === until);
    for (const { chain, hash, ...file } of await archiveMonth(connection, where, until, due, options)) {
      const rest = { ...chain, after: file.toSeq, afterHash: hash, until };
      chains.set(chain.id, rest);
      ends.set(chain.id, await nextEnd(connection, rest));
      files.push({ file: file.file, agent: file.agent, fromSeq: file.fromSeq, toSeq: file.toSeq });
    }
  }
}

/** The end of the month that comes next; Infinity if there is no line but the last. */
async function nextEnd(connection: Connection, chain: Chain): Promise<number> {
  const first = await firstLeft(connection, chain);
  return first === undefined ? Infinity : Math.max(endOfMonth(timeOf(first)), endOfMonth(chain.until));
}

async function archiveMonth(
  connection: Connection,
  where: string,
  until: number,
  chains: readonly Chain[],
  { dir, gzip, keep }: ArchiveOptions,
): Promise<readonly Written[]> {
  const month = new Date(until - 1).toISOString().slice(0, 7);
  const files: Written[] = [];
  for (const chain of chains) {
    const file = join(dir, `history-${chain.agent}-${month}.journal${gzip ? '.gz' : ''}`);
    await refuseAnother(connection, file, gzip, month, chain);
    const counted = { lines: 0 };
    try {
      await write(file, gzip, linesOf(connection, chain, until, counted));
    } catch (error) {
      if (error instanceof ReceiptdError || systemCode(error) === undefined) throw error;
      const why = saidBy(error);
      throw new ReceiptdError('OUTPUT_UNWRITABLE.archive', { file, ...why }, { cause: error });
    }
    files.push(await check(file, gzip, month, chain, counted.lines));
  }
  if (!keep) await take(connection, where, until, month, files);
  return files;
}

async function take(
  connection: Connection,
  where: string,
  until: number,
  month: string,
  files: readonly Written[],
): Promise<void> {
  await connection.exec('BEGIN');
  try {
    // Tables that are made anew need every line.
    await lockTables(connection);
    await requireTables(connection, where);
    for (const { chain, file, toSeq, hash, lines, digest } of files) {
      const of = { id: chain.id, after: chain.after, toSeq, hash, until, file: basename(file) };
      const taken = await connection.get<{ readonly lines: number; readonly digest: string }>(TAKE, of);
      if (taken?.lines !== lines || BigInt(taken.digest) !== digest)
        throw new ReceiptdError('HISTORY_KEPT.changed', { month });
    }
    await connection.exec('COMMIT');
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function* linesOf(
  connection: Connection,
  chain: Chain,
  until: number,
  counted: { lines: number },
): AsyncGenerator<string> {
  for await (const lines of linesLeft(connection, chain, PAGE)) {
    const next = lines.findIndex((line) => timeOf(line) >= until);
    const own = next < 0 ? lines : lines.slice(0, next);
    counted.lines += own.length;
    yield own.map(lineText).join('');
    if (next >= 0) return;
  }
}

/** What is left of it. */
const linesLeft = (connection: Connection, { id, after, head }: Chain, page: number) =>
  linesBehind(connection, id, after, { before: head, page });

async function firstLeft(connection: Connection, chain: Chain): Promise<ChainLine | undefined> {
  return (await linesLeft(connection, chain, 1).next()).value?.[0];
}

/** Of a line that is none, 0: the check of its file says so. */
function timeOf({ entry }: ChainLine): number {
  return parseEntryText(entry)?.at ?? 0;
}

/** The first moment after the month of this one; 0 if there is none. */
function endOfMonth(at: number): number {
  if (at === 0) return 0;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/**
 * Refuses to replace a file of that name unless it begins with the same line of the same chain, as after `--keep` or a crash. A file of another ledger,
 * with an agent of the same name, may be the only copy of its history.
 */
async function refuseAnother(
  connection: Connection,
  file: string,
  gzip: boolean,
  month: string,
  chain: Chain,
): Promise<void> {
  if (!fs.existsSync(file)) return;
  const first = await firstLeft(connection, chain);
  try {
    for await (const bytes of linesOfFile(file, gzip)) {
      const line = parseLine(bytes);
      if (!isBad(line) && line.entry.hash === first?.hash) return;
      break;
    }
  } catch {
    // Not a file that this version of receiptd writes.
  }
  throw new ReceiptdError('HISTORY_KEPT.otherFile', { month, file });
}

/** Durable; the file appears under its name only when complete. */
async function write(file: string, gzip: boolean, texts: AsyncIterable<string>): Promise<void> {
  const aside = `${file}.part`;
  try {
    const target = fs.createWriteStream(aside, { mode: 0o600, flush: true });
    if (gzip) await pipeline(Readable.from(texts), createGzip(), target);
    else await pipeline(Readable.from(texts), target);
    await rename(aside, file);
    syncDirectorySync(dirname(file));
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/** Reads the file back: every line is sound and follows from the previous one, and none is missing. */
async function check(
  file: string,
  gzip: boolean,
  month: string,
  chain: Chain,
  count: number,
): Promise<Written> {
  const { agent } = chain;
  // A journal that was lost goes on in a new one, which may have moved here.
  const checked = new ChainCheck({ seq: chain.after, hash: chain.afterHash });
  let first = chain.after + 1;
  let last = { seq: chain.after, hash: chain.afterHash };
  let lines = 0;
  let digest = 0n;
  for await (const bytes of linesOfFile(file, gzip)) {
    const { parsed, fault } = checked.next(bytes);
    if (fault !== undefined || parsed === null)
      throw new ReceiptdError('HISTORY_KEPT.unsound', {
        month,
        agent,
        entry: last.seq,
        flaw: fault?.flaw ?? { is: 'numberTwice' },
      });
    const { seq, hash } = parsed.entry;
    if (lines === 0) first = seq;
    last = { seq, hash };
    lines += 1;
    digest += BigInt(`0x${digestOf('sha256', bytes, 'hex').slice(0, 15)}`);
  }
  if (lines !== count) throw new ReceiptdError('HISTORY_KEPT.incomplete', { month, file, lines, count });
  return { file, agent, fromSeq: first, toSeq: last.seq, hash: last.hash, chain, lines, digest };
}

async function* linesOfFile(file: string, gzip: boolean): AsyncGenerator<Buffer> {
  const raw = fs.createReadStream(file);
  const input: AsyncIterable<Buffer> = gzip ? raw.pipe(createGunzip()) : raw;
  let rest = Buffer.alloc(0);
  for await (const chunk of input) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      yield bytes.subarray(from, end);
      from = end + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
  }
  if (rest.length > 0) yield rest;
}
