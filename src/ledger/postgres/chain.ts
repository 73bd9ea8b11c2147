import { randomBytes } from 'node:crypto';
import type { JournalHead } from '../../core/ports/journal.ts';
import { formatLine, parseEntryText, type JournalLine } from '../journal/line.ts';
import { CHAIN, subjectsOf, toJournal, type Entry } from '../entries.ts';
import type { RecordedEntry } from '../engine.ts';
import type { Cells } from '../schema.ts';
import type { Sql } from './statements.ts';

/** The last entry of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Of an agent's chain, in its row. */
export const HEAD = 'SELECT ledger, seq, hash FROM agents WHERE id = :agent';
export const SET_HEAD = 'UPDATE agents SET seq = :seq, hash = :hash WHERE id = :agent';

export async function headOf(sql: Pick<Sql, 'get'>, agent: number): Promise<JournalHead> {
  const head = await sql.get<JournalHead>(HEAD, { agent });
  if (head === undefined) throw new Error('the row of this agent is missing');
  return head;
}

/** A line of an agent's chain, with the document and the file that its personal data are about. `ord` is the database's. */
export const CHAIN_COLUMNS = {
  agent: 'int',
  seq: 'int',
  document: 'int?',
  file: 'int?',
  entry: 'text',
  hash: 'text',
  personal: 'text',
} as const;

const NOBODY = { document: null, file: null };

/** Entries as lines behind `head`, which are one commit. */
export function chainLines(
  entries: readonly { readonly entry: Entry; readonly at: number }[],
  head: ChainHead,
  agent: number,
): { readonly rows: Cells[]; readonly head: ChainHead } {
  const salts = randomBytes(16 * entries.length).toString('hex');
  let last = head;
  const rows = entries.map(({ entry: each, at }, i): Cells => {
    const event = toJournal(each, at);
    const line = formatLine(event, last, () => salts.slice(32 * i, 32 * i + 32), i < entries.length - 1);
    last = { seq: line.seq, hash: line.hash };
    const [entry = '', hash = '', personal = ''] = line.text.slice(0, -1).split('\t');
    const { document, file } =
      event.personal === undefined ? NOBODY : subjectsOf(event, line.seq, agent * CHAIN);
    return { agent, seq: line.seq, document, file, entry, hash, personal };
  });
  return { rows, head: last };
}

/** The line as it is, with its hash. */
export function movedLine({ line, ...entry }: JournalLine, agent: number): Cells {
  const { document, file } = line.personal === '' ? NOBODY : subjectsOf(entry, entry.seq, agent * CHAIN);
  return {
    agent,
    seq: entry.seq,
    document,
    file,
    entry: line.entry,
    hash: entry.hash,
    personal: line.personal,
  };
}

const LINES = `
SELECT agent, seq, ord, entry, hash, personal FROM chain WHERE agent = :agent AND seq > :after AND seq < :before ORDER BY seq LIMIT :page`;

/** Lines of an agent's chain behind a number, in pages. */
export async function* linesBehind(
  sql: Pick<Sql, 'all'>,
  agent: number,
  seq: number,
  { before = Number.MAX_SAFE_INTEGER, page = 1_000 } = {},
): AsyncGenerator<readonly ChainLine[], undefined> {
  for (let after = seq; ;) {
    const lines = await sql.all<ChainLine>(LINES, { agent, after, before, page });
    const last = lines.at(-1);
    if (last === undefined) return;
    yield lines;
    after = last.seq;
  }
}

/** The line as a journal file has it, with its line feed. */
export function lineText({ entry, hash, personal }: Cells | ChainLine): string {
  return `${entry}\t${hash}\t${personal}\n`;
}

export interface ChainLine extends ChainHead {
  readonly agent: number;
  readonly ord: number;
  readonly entry: string;
  readonly personal: string;
}

export interface ChainRow extends Omit<ChainLine, 'seq'> {
  /** The agent's. */
  readonly name: string;
}

/** An entry of a chain as the fold takes it, with its place in the order of all chains. */
export interface ChainEntry extends RecordedEntry {
  readonly ord: number;
}

/** As it stands: whether it was changed is a question of `ledger verify`. Null if it is no entry. */
export function chainEntry({ agent, name, ord, entry, hash, personal }: ChainRow): ChainEntry | null {
  const parsed = parseEntryText(entry);
  if (parsed === undefined) return null;
  const { seq, kind, at, facts } = parsed;
  return { seq, hash, kind, at, facts, personal: personalOf(personal), base: agent * CHAIN, name, ord };
}

function personalOf(text: string): RecordedEntry['personal'] {
  if (text.trim() === '') return null;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `formatLine`
    const { salt: _, ...rest } = JSON.parse(text) as NonNullable<RecordedEntry['personal']>;
    return rest;
  } catch {
    return null;
  }
}
