import fs from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { ReceiptdError, saidBy, systemCode } from '../../core/domain/errors.ts';
import type { JournalHead, Json } from '../../core/ports/journal.ts';
import type { ParsedLine } from './line.ts';
import { linesOf, ChainCheck } from './read.ts';
import { factOf, whyText, type WhyFact } from '../../core/domain/why.ts';

export interface JournalFinding {
  /** Number of the entry, if known. */
  readonly seq: number | null;
  /** Line of the file, from 1; null if the finding is not about a line. */
  readonly line: number | null;
  /** In English. */
  readonly what: string;
  readonly fact: WhyFact;
}

export interface JournalVerification {
  /** Number of lines with an entry in its correct place. */
  readonly entries: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  /** The last entry; null if there is none or the ledger's name is unknown. */
  readonly head: JournalHead | null;
  /** Differences from what receiptd wrote; at most `MOST_FINDINGS`. */
  readonly findings: readonly JournalFinding[];
  /** Number of findings beyond those. */
  readonly moreFindings: number;
  /** Notes for auditors about things that are not wrong. */
  readonly remarks: readonly WhyFact[];
  /** Entries whose personal data were erased. */
  readonly erased: number;
}

/** A journal head that was recorded elsewhere. */
export type KeptHead = Pick<JournalHead, 'seq' | 'hash'> & { readonly ledger?: string };

/** The last entry of an archived chain, and the file that ends with it. */
export interface ArchivedEnd extends JournalHead {
  readonly file: string;
}

export interface VerifyOptions {
  readonly head?: KeptHead | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Once the last commit has been incomplete for this long (milliseconds), it is not one being written. */
  readonly patienceMs?: number;
}

/** Yields to the event loop after this many bytes. */
const TURN_BYTES = 1024 * 1024;
const PAUSE_MS = 20;

/**
 * Reads the whole journal and reports everything that differs from what receiptd wrote. May run
 * beside the writer; ignores what is appended meanwhile. Uses constant memory.
 * @throws ReceiptdError FILE_UNREADABLE; a missing journal is a finding. The signal's reason if it aborts
 */
export async function verifyJournal(
  path: string,
  { head, signal, patienceMs = 200 }: VerifyOptions = {},
): Promise<JournalVerification> {
  const verification = new Verification(head);
  const fd = openForReading(path);
  if (fd === null) return verification.missing(path);
  try {
    const read = async (from: number, until: number): Promise<number> => {
      const lines = linesOf(fd, from, until);
      for (let turn = from; ;) {
        const { value, done } = lines.next();
        if (done) return value;
        verification.line(value.bytes);
        if (value.offset - turn > TURN_BYTES) {
          turn = value.offset;
          await setImmediate();
          signal?.throwIfAborted();
        }
      }
    };
    // Also before a small file: a caller that verifies in a loop must not monopolize the event loop.
    await setImmediate();
    const { size } = fs.fstatSync(fd);
    let whole = await read(0, size);
    let unfinished = size - whole;
    const isUnfinished = (): boolean => unfinished > 0 || verification.isWithinCommit;
    for (let waited = 0; isUnfinished() && waited < patienceMs; waited += PAUSE_MS) {
      await sleep(PAUSE_MS);
      const now = fs.fstatSync(fd).size;
      const end = await read(whole, now);
      // Its writer completed the commit, or took it back.
      unfinished = end > whole ? 0 : Math.max(0, now - whole);
      whole = end;
    }
    return verification.end(unfinished);
  } finally {
    fs.closeSync(fd);
  }
}

function openForReading(path: string): number | null {
  try {
    return fs.openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw new ReceiptdError(
      'FILE_UNREADABLE.journal',
      { path, ...saidBy(error), isWindows: process.platform === 'win32' },
      { cause: error },
    );
  }
}

const MOST_FINDINGS = 1_000;

/** How far times may go backwards: concurrent events are recorded in the order in which they end. */
const OVERTAKEN_MS = 1_000;

/** Findings and statistics of a chain, whose lines come in order and are not kept. */
export class Verification {
  readonly #kept: KeptHead | undefined;
  readonly #after: ArchivedEnd | undefined;
  readonly #chain: ChainCheck;
  readonly #findings: JournalFinding[] = [];
  readonly #remarks: WhyFact[] = [];
  readonly #personal = new PersonalData();
  #more = 0;
  #lines = 0;
  #isWithinCommit = false;
  #entries = 0;
  #ledger: string | null = null;
  #first: { readonly seq: number; readonly prev: string } | null = null;
  #last: { readonly seq: number; readonly hash: string; readonly at: number } | null = null;
  #metKept = false;
  #backwards: { count: number; readonly first: number } | null = null;

  /** `after`: the end of the archived part, from which the chain continues. */
  constructor(kept?: KeptHead, after?: ArchivedEnd) {
    this.#kept = kept;
    this.#after = after;
    this.#chain = new ChainCheck(after);
  }

  /** @returns the line, if it is an entry in its place */
  line(bytes: Buffer | null): ParsedLine | null {
    this.#lines += 1;
    const { parsed, fault } = this.#chain.next(bytes);
    if (fault) this.#find({ is: 'journalFlaw', flaw: fault.flaw }, fault.seq);
    if (parsed === null) return null;
    this.#isWithinCommit = parsed.isPart;
    if (this.#first === null) this.#begin(parsed);
    const { seq, hash, at, kind, facts } = parsed.entry;
    this.#entries += 1;
    if (this.#last !== null && at < this.#last.at - OVERTAKEN_MS) {
      this.#backwards ??= { count: 0, first: seq };
      this.#backwards.count += 1;
    }
    this.#last = { seq, hash, at };
    this.#personal.met(seq, parsed.personal);
    if (kind === 'erased') this.#personal.accounted(seq, facts['entries']);
    if (this.#kept?.seq === seq) {
      this.#metKept = true;
      if (this.#kept.hash !== hash) this.#find({ is: 'keptDiffers', seq }, seq);
    }
    return parsed;
  }

  /** Entries whose personal data an entry of another agent's chain erased. */
  erasedElsewhere(from: number, to: number): void {
    this.#personal.accountedElsewhere(from, to);
  }

  /** Whether the last entry is not the end of its commit. */
  get isWithinCommit(): boolean {
    return this.#isWithinCommit;
  }

  missing(path: string): JournalVerification {
    this.#findAnywhere({ is: 'journalMissing', path });
    return this.#result();
  }

  /** @param unfinished bytes after the last complete line */
  end(unfinished: number): JournalVerification {
    this.#lines += 1;
    if (unfinished > 0 || this.#isWithinCommit)
      this.#find({ is: 'lastIncomplete', bytes: unfinished > 0 ? unfinished : null });
    if (this.#lines === 1 && this.#after === undefined) this.#findAnywhere({ is: 'journalEmpty' });
    for (const found of this.#personal.findings()) this.#findAnywhere(found);
    this.#compareKept();
    if (this.#backwards !== null) this.#remarks.push({ is: 'timesBackwards', ...this.#backwards });
    const { erased } = this.#personal;
    if (erased > 0) this.#remarks.push({ is: 'personalErased', count: erased });
    return this.#result();
  }

  #result(): JournalVerification {
    const last = this.#last;
    const ledger = this.#ledger;
    return {
      entries: this.#entries,
      firstSeq: this.#first?.seq ?? null,
      lastSeq: last?.seq ?? null,
      head: last === null || ledger === null ? null : { ledger, seq: last.seq, hash: last.hash },
      findings: this.#findings,
      moreFindings: this.#more,
      remarks: this.#remarks,
      erased: this.#personal.erased,
    };
  }

  #begin({ entry: { seq, kind, facts }, prev }: ParsedLine): void {
    this.#first = { seq, prev };
    const { ledger, because } = facts;
    if (typeof ledger === 'string') this.#ledger = ledger;
    const after = this.#after;
    if (after !== undefined && seq === after.seq + 1 && prev === after.hash) {
      this.#ledger = after.ledger;
      this.#remarks.push({ is: 'archivedBefore', seq: after.seq, file: after.file });
    } else if (kind === 'continued') {
      const why = typeof because === 'string' ? (factOf(because) ?? because) : null;
      this.#remarks.push({ is: 'journalRestarted', seq, because: why });
    } else if (seq === 1 && (kind !== 'begun' || this.#ledger === null))
      this.#find({ is: 'journalNotAStart' }, seq);
  }

  #compareKept(): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    if (kept.ledger !== undefined && this.#ledger !== null && kept.ledger !== this.#ledger)
      this.#findAnywhere({ is: 'keptOfOther', kept: kept.ledger, ledger: this.#ledger });
    if (this.#metKept) return;
    const first = this.#first;
    if (first !== null && first.seq === kept.seq + 1) {
      if (first.prev === kept.hash) return;
      this.#findAnywhere({ is: 'keptNotContinued', seq: kept.seq });
    } else if (first !== null && first.seq > kept.seq) {
      this.#findAnywhere({ is: 'keptBefore', seq: kept.seq, first: first.seq });
    } else if (this.#last === null || this.#last.seq < kept.seq) {
      this.#findAnywhere({ is: 'keptCutOff', seq: kept.seq, last: this.#last?.seq ?? null });
    } else this.#findAnywhere({ is: 'keptMissing', seq: kept.seq });
  }

  /** In the line at hand. */
  #find(fact: WhyFact, seq: number | null = null): void {
    this.#add(seq, this.#lines, fact);
  }

  #findAnywhere(fact: WhyFact): void {
    this.#add(null, null, fact);
  }

  #add(seq: number | null, line: number | null, fact: WhyFact): void {
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push({ seq, line, what: whyText(fact), fact });
    else this.#more += 1;
  }
}

/** Merges the verifications of the chains of all agents. Entry numbers are per chain, so they are given only if there is a single one. */
export function joined(
  found: readonly { readonly name: string; readonly journal: JournalVerification }[],
  head: JournalHead | null,
): JournalVerification {
  const sum = (of: (each: JournalVerification) => number): number =>
    found.reduce((total, { journal }) => total + of(journal), 0);
  const [first, ...others] = found;
  const only = others.length === 0 ? first?.journal : undefined;
  return {
    entries: sum(({ entries }) => entries),
    firstSeq: only?.firstSeq ?? null,
    lastSeq: only?.lastSeq ?? null,
    head,
    findings: found.flatMap(({ name, journal }) =>
      journal.findings.map(({ seq, fact: finding }) => {
        const fact: WhyFact = { is: 'ofAgent', agent: name, finding };
        return { seq, line: null, what: whyText(fact), fact };
      }),
    ),
    moreFindings: sum(({ moreFindings }) => moreFindings),
    remarks: found.flatMap(({ name, journal }) =>
      journal.remarks.map((finding): WhyFact => ({ is: 'ofAgent', agent: name, finding })),
    ),
    erased: sum(({ erased }) => erased),
  };
}

/* ---- Personal data ---- */

type EntryRange = [from: number, to: number];

/** Which personal data exist, which were erased, and whether the `erased` entries agree. */
class PersonalData {
  readonly #erased: EntryRange[] = [];
  /** May span entries that never had personal data, so that a journal without erasures is one range. */
  readonly #kept: EntryRange[] = [];
  readonly #accounted: EntryRange[] = [];
  #erasedCount = 0;
  #keptIsOpen = false;

  get erased(): number {
    return this.#erasedCount;
  }

  /** Numbers must rise from call to call. */
  met(seq: number, personal: ParsedLine['personal']): void {
    if (personal === 'kept') {
      const open = this.#keptIsOpen ? this.#kept.at(-1) : undefined;
      if (open) open[1] = seq;
      else this.#kept.push([seq, seq]);
      this.#keptIsOpen = true;
    } else if (personal === 'erased') {
      this.#erasedCount += 1;
      this.#keptIsOpen = false;
      const last = this.#erased.at(-1);
      if (last && last[1] === seq - 1) last[1] = seq;
      else this.#erased.push([seq, seq]);
    }
  }

  /** Entry `seq` claims to account for `ranges`; it can do so only for earlier entries. */
  accounted(seq: number, ranges: Json | undefined): void {
    if (!Array.isArray(ranges)) return;
    for (const range of ranges as readonly Json[]) {
      const [from, to] = Array.isArray(range) ? (range as readonly Json[]) : [];
      if (typeof from === 'number' && typeof to === 'number' && from <= to && from < seq)
        this.#accounted.push([from, Math.min(to, seq - 1)]);
    }
  }

  accountedElsewhere(from: number, to: number): void {
    this.#accounted.push([from, to]);
  }

  *findings(): Generator<WhyFact, void> {
    const accounted = merged(this.#accounted);
    for (const [from, to] of common(this.#erased, between(accounted)))
      yield { is: 'personalBlank', from, to };
    for (const [from, to] of common(this.#kept, accounted)) yield { is: 'personalNotErased', from, to };
  }
}

/** Sorted, with overlapping and adjacent ranges merged. */
function merged(ranges: readonly EntryRange[]): EntryRange[] {
  const result: EntryRange[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** What merged ranges leave out. */
function between(ranges: readonly EntryRange[]): EntryRange[] {
  const froms = [0, ...ranges.map(([, to]) => to + 1)];
  return froms.map((from, i): EntryRange => [from, (ranges[i]?.[0] ?? Infinity) - 1]);
}

/** The parts of `ranges` that one of `others` covers; both sorted. */
function* common(ranges: readonly EntryRange[], others: readonly EntryRange[]): Generator<EntryRange, void> {
  let next = 0;
  for (const [from, to] of ranges) {
    while (others[next] && (others[next]?.[1] ?? 0) < from) next += 1;
    for (let at = next; ; at += 1) {
      const other = others[at];
      if (!other || other[0] > to) break;
      yield [Math.max(from, other[0]), Math.min(to, other[1])];
    }
  }
}
