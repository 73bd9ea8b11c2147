import fs from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { messageOf, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { isBad, NO_HASH, parseLine } from '../journal/line.ts';
import type { Connection } from './connection.ts';

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

interface Chain {
  readonly agentId: number;
  readonly agent: string;
  readonly count: number;
  readonly after: number;
  readonly afterHash: string;
}

interface Line {
  readonly seq: number;
  readonly entry: string;
  readonly hash: string;
  readonly personal: string;
}

const PAGE = 2_000;

const OWNS = `
SELECT pg_has_role(relowner, 'MEMBER') AS owns FROM pg_class WHERE oid = 'receiptd.history'::regclass`;

const PARTITIONS = `
SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = 'receiptd.history'::regclass AND c.relname ~ '^history_[0-9]{4}_[0-9]{2}$' ORDER BY 1`;

/** Each agent's part of a partition, and the archived end of its chain before that. */
const chainsOf = (partition: string): string => `
SELECT h.agent_id AS "agentId", a.name AS agent, count(*) AS count, coalesce(last.to_seq, 0) AS after,
       coalesce(last.to_hash, '${NO_HASH}') AS "afterHash"
  FROM ${partition} h JOIN agents a ON a.id = h.agent_id
  LEFT JOIN LATERAL (SELECT to_seq, to_hash FROM archives WHERE agent_id = h.agent_id ORDER BY to_seq DESC LIMIT 1) last ON true
 GROUP BY 1, 2, 4, 5 ORDER BY 2`;

/** Changes with every line, also when one is erased. */
const digestOf = (partition: string): string => `
SELECT count(*)::text || ' ' || coalesce(sum(hashtextextended(entry || hash || personal, seq)::numeric), 0)::text AS digest FROM ${partition}`;

const linesOf = (partition: string): string => `
SELECT seq, entry, hash, personal FROM ${partition} WHERE agent_id = :agentId AND seq > :after ORDER BY seq LIMIT ${PAGE}`;

const RECORD = `
INSERT INTO archives (agent_id, to_seq, to_hash, file) VALUES (:agentId, :toSeq, :toHash, :file)`;

/**
 * Writes each month of the history that ended before a date to journal files, one per agent, checks them, and removes
 * the month from the database. Oldest month first, each in one transaction: after a crash, a month is in the database,
 * in complete files, or both.
 * @throws ReceiptdError LEDGER_REFUSED, HISTORY_KEPT, OUTPUT_UNWRITABLE
 */
export async function archiveHistory(
  connection: Connection,
  where: string,
  options: ArchiveOptions,
): Promise<readonly ArchivedFile[]> {
  const right = await connection.get<{ owns: boolean }>(OWNS);
  if (right?.owns !== true) throw new ReceiptdError('LEDGER_REFUSED.historyNotOwned', { where });
  const files: ArchivedFile[] = [];
  const heads = new Map<number, { readonly seq: number; readonly hash: string }>();
  for (const { name } of await connection.all<{ name: string }>(PARTITIONS)) {
    if (endOf(name) > options.before) break;
    files.push(...(await archivePartition(connection, name, options, heads)));
  }
  return files;
}

async function archivePartition(
  connection: Connection,
  partition: string,
  options: ArchiveOptions,
  heads: Map<number, { readonly seq: number; readonly hash: string }>,
): Promise<ArchivedFile[]> {
  const before = await connection.get<{ digest: string }>(digestOf(partition));
  const files: (ArchivedFile & { readonly agentId: number; readonly name: string; readonly hash: string })[] =
    [];
  for (const chain of await connection.all<Chain>(chainsOf(partition))) {
    const { agentId, agent } = chain;
    // A month kept in the database is not recorded as archived: continue from the files written just now.
    const after = heads.get(agentId) ?? { seq: chain.after, hash: chain.afterHash };
    const month = partition.slice('history_'.length).replace('_', '-');
    const name = `history-${agent}-${month}.journal${options.gzip ? '.gz' : ''}`;
    const file = join(options.dir, name);
    await refuseAnother(connection, file, options.gzip, partition, agentId);
    try {
      await write(file, options.gzip, linesIn(connection, partition, agentId));
    } catch (error) {
      if (error instanceof ReceiptdError || systemCode(error) === undefined) throw error;
      const words = messageOf(error);
      throw new ReceiptdError('OUTPUT_UNWRITABLE.archive', { file, detail: words }, { cause: error });
    }
    const last = await check(file, options.gzip, partition, chain, after);
    heads.set(agentId, last);
    files.push({ file, name, agent, agentId, fromSeq: after.seq + 1, toSeq: last.seq, hash: last.hash });
  }
  if (!options.keep) {
    await connection.exec('BEGIN');
    try {
      // Only erasures write to a past month; everything else continues.
      await connection.exec(`LOCK TABLE ${partition} IN SHARE MODE`);
      const now = await connection.get<{ digest: string }>(digestOf(partition));
      if (now?.digest !== before?.digest) throw new ReceiptdError('HISTORY_KEPT.changed', { partition });
      for (const { agentId, toSeq, hash, name } of files)
        await connection.run(RECORD, { agentId, toSeq, toHash: hash, file: name });
      await connection.exec(`ALTER TABLE history DETACH PARTITION ${partition}; DROP TABLE ${partition}`);
      await connection.exec('COMMIT');
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {});
      throw error;
    }
  }
  return files.map(({ file, agent, fromSeq, toSeq }) => ({ file, agent, fromSeq, toSeq }));
}

async function* linesIn(connection: Connection, partition: string, agentId: number): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const lines = await connection.all<Line>(linesOf(partition), { agentId, after });
    yield lines.map(({ entry, hash, personal }) => `${entry}\t${hash}\t${personal}\n`).join('');
    const last = lines.at(-1);
    if (last === undefined || lines.length < PAGE) return;
    after = last.seq;
  }
}

/**
 * Refuses to replace a file of that name unless it contains the same month of the same chain, as after `--keep` or a
 * crash. A file of another ledger, with an agent of the same name, may be the only copy of its history.
 */
async function refuseAnother(
  connection: Connection,
  file: string,
  gzip: boolean,
  partition: string,
  agentId: number,
): Promise<void> {
  if (!fs.existsSync(file)) return;
  const first = await connection.get<Line>(linesOf(partition), { agentId, after: 0 });
  try {
    for await (const bytes of linesOfFile(file, gzip)) {
      const line = parseLine(bytes);
      if (!isBad(line) && line.entry.hash === first?.hash) return;
      break;
    }
  } catch {
    // Not a file that this version of receiptd writes.
  }
  throw new ReceiptdError('HISTORY_KEPT.otherFile', { partition, file });
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
  partition: string,
  { agent, count }: Chain,
  after: { readonly seq: number; readonly hash: string },
): Promise<{ readonly seq: number; readonly hash: string }> {
  let last = after;
  let lines = 0;
  for await (const bytes of linesOfFile(file, gzip)) {
    const line = parseLine(bytes);
    if (isBad(line))
      throw new ReceiptdError('HISTORY_KEPT.unsound', {
        partition,
        agent,
        entry: last.seq + 1,
        detail: line.what,
      });
    const { seq, hash } = line.entry;
    if (seq !== last.seq + 1 || line.prev !== last.hash)
      throw new ReceiptdError('HISTORY_KEPT.notFollowing', {
        partition,
        agent,
        entry: seq,
        before: last.seq,
      });
    if (line.personal === 'broken')
      throw new ReceiptdError('HISTORY_KEPT.personalChanged', { partition, agent, entry: seq });
    last = { seq, hash };
    lines += 1;
  }
  if (lines !== count) throw new ReceiptdError('HISTORY_KEPT.incomplete', { partition, file, lines, count });
  return last;
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

/** The first moment after the month. */
function endOf(partition: string): number {
  const [, year = 0, month = 0] = partition.split('_').map(Number);
  return Date.UTC(year, month, 1);
}
