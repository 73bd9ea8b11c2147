import type { JournalHead, JsonObject } from '../../core/ports/journal.ts';
import { NO_HASH, type BadLine, type ParsedLine } from './line.ts';
import { PersonalData } from './personalData.ts';

export interface JournalFinding {
  /** Number of the entry, if known. */
  readonly seq: number | null;
  /** Line of the file, from 1; null if the finding is not about a line. */
  readonly line: number | null;
  /** A complete sentence. */
  readonly what: string;
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
  readonly remarks: readonly string[];
  /** Entries whose personal data were erased. */
  readonly erased: number;
}

/** A journal head that was recorded elsewhere. */
export type KeptHead = Pick<JournalHead, 'seq' | 'hash'> & { readonly ledger?: string };

/** The last entry of an archived chain, and the file that ends with it. */
export interface ArchivedEnd extends JournalHead {
  readonly file: string;
}

const MOST_FINDINGS = 1_000;

/** How far times may go backwards: concurrent events are recorded in the order in which they end. */
const OVERTAKEN_MS = 1_000;

/** Findings and statistics collected while reading lines in order; never holds the lines themselves. */
export class Verification {
  readonly #kept: KeptHead | undefined;
  readonly #after: ArchivedEnd | undefined;
  readonly #findings: JournalFinding[] = [];
  readonly #remarks: string[] = [];
  readonly #personal = new PersonalData();
  #more = 0;
  #lines = 0;
  #isWithinCommit = false;
  #entries = 0;
  #ledger: string | null = null;
  #first: { readonly seq: number; readonly prev: string } | null = null;
  /** The entry with the highest number so far. */
  #last: { readonly seq: number; readonly hash: string; readonly at: number } | null = null;
  /** Lines without a valid entry since `#last`. */
  #badSince = 0;
  #metKept = false;
  #backwards: { count: number; readonly first: number } | null = null;

  /** `after`: the end of the archived part, from which the chain continues. */
  constructor(kept?: KeptHead, after?: ArchivedEnd) {
    this.#kept = kept;
    this.#after = after;
  }

  bad({ seq, what }: BadLine): void {
    this.#lines += 1;
    this.#badSince += 1;
    this.#find(seq, `This line is not a valid entry: ${what}.`);
  }

  line({ entry, prev, personal, isPart }: ParsedLine): void {
    this.#lines += 1;
    this.#isWithinCommit = isPart;
    const { seq, hash, at, kind, facts } = entry;
    if (personal === 'broken') {
      this.#find(seq, `The personal data of entry ${seq} is not what was originally written.`);
    }
    if (this.#lines === 1) this.#begin(seq, prev, kind, facts);
    else if (!this.#isInPlace(seq, prev)) return;
    this.#first ??= { seq, prev };
    this.#entries += 1;
    this.#badSince = 0;
    if (this.#last !== null && at < this.#last.at - OVERTAKEN_MS) {
      this.#backwards ??= { count: 0, first: seq };
      this.#backwards.count += 1;
    }
    this.#last = { seq, hash, at };
    this.#personal.met(seq, personal);
    if (kind === 'erased') this.#personal.accounted(seq, facts['entries']);
    if (this.#kept?.seq === seq) {
      this.#metKept = true;
      if (this.#kept.hash !== hash) {
        this.#find(
          seq,
          `Entry ${seq} does not match the kept head: it, or something before it, has been rewritten.`,
        );
      }
    }
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
    this.#findAnywhere(`There is no journal at ${path}.`);
    return this.#result();
  }

  /** @param unfinished bytes after the last complete line */
  end(unfinished: number): JournalVerification {
    this.#lines += 1;
    if (unfinished > 0) {
      this.#find(
        null,
        `The last line is incomplete (${unfinished} bytes). Either a crash interrupted it, and receiptd will remove it at its next start, or somebody cut it off.`,
      );
    }
    if (unfinished === 0 && this.#isWithinCommit) {
      this.#find(
        null,
        'The last commit is incomplete. Either a crash interrupted it, and receiptd will remove it at its next start, or somebody cut it off.',
      );
    }
    if (this.#lines === 1 && this.#after === undefined) this.#findAnywhere('The journal is empty.');
    for (const what of this.#personal.findings()) this.#findAnywhere(what);
    this.#compareKept();
    if (this.#backwards !== null) {
      const { count, first } = this.#backwards;
      this.#remarks.push(
        `${count} ${count === 1 ? 'entry has' : 'entries have'} a time earlier than the entry before; the first is entry ${first}. Possible reasons: the machine's clock was set back, images were deferred while a shared ledger was unreachable, or a new journal first records what the ledger already contained.`,
      );
    }
    const { erased } = this.#personal;
    if (erased > 0) {
      this.#remarks.push(`The personal data of ${erased} ${erased === 1 ? 'entry' : 'entries'} were erased.`);
    }
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

  #begin(seq: number, prev: string, kind: string, facts: JsonObject): void {
    const { ledger, because } = facts;
    if (typeof ledger === 'string') this.#ledger = ledger;
    const after = this.#after;
    if (after !== undefined && seq === after.seq + 1 && prev === after.hash) {
      this.#ledger = after.ledger;
      this.#remarks.push(
        `Entries 1 to ${after.seq} were archived and not verified. The last of their files is ${after.file}.`,
      );
    } else if (kind === 'continued') {
      const why = typeof because === 'string' ? ` Recorded reason: ${because}` : '';
      this.#remarks.push(
        `This journal was restarted with entry ${seq}.${why} Entries 1 to ${seq - 1} are not in this file and were not verified. Look for a file that was set aside, or in a backup.`,
      );
    } else if (seq !== 1) {
      this.#find(seq, `The beginning is missing: the file starts with entry ${seq}.`);
    } else if (kind !== 'begun' || prev !== NO_HASH || this.#ledger === null) {
      this.#find(seq, 'The first entry is not the start of a ledger.');
    }
  }

  /** False if the entry is out of place; later entries are then compared with those before it. */
  #isInPlace(seq: number, prev: string): boolean {
    const last = this.#last;
    if (last === null) return true;
    if (seq <= last.seq) {
      this.#find(seq, `Entry ${seq} comes after entry ${last.seq}: it was moved or copied here.`);
      return false;
    }
    if (seq > last.seq + 1 + this.#badSince) {
      const missing =
        seq === last.seq + 2 ? `Entry ${last.seq + 1} is` : `Entries ${last.seq + 1} to ${seq - 1} are`;
      this.#find(seq, `${missing} missing before entry ${seq}.`);
    } else if (seq === last.seq + 1 && prev !== last.hash) {
      this.#find(
        seq,
        `Entry ${seq} was not written after this entry ${last.seq}: one of the two was replaced.`,
      );
    }
    return true;
  }

  #compareKept(): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    if (kept.ledger !== undefined && this.#ledger !== null && kept.ledger !== this.#ledger) {
      this.#findAnywhere(
        `The kept head belongs to ledger ${kept.ledger}, but this journal belongs to ledger ${this.#ledger}.`,
      );
    }
    if (this.#metKept) return;
    const first = this.#first;
    if (first !== null && first.seq === kept.seq + 1) {
      if (first.prev === kept.hash) return;
      this.#findAnywhere(
        `This journal does not continue from entry ${kept.seq} of the kept head, but from a different one.`,
      );
    } else if (first !== null && first.seq > kept.seq) {
      this.#findAnywhere(
        `Entry ${kept.seq} of the kept head is not in this file, which starts with entry ${first.seq}. Nothing before that can be confirmed.`,
      );
    } else if (this.#last === null || this.#last.seq < kept.seq) {
      this.#findAnywhere(
        `The end was cut off: the kept head is entry ${kept.seq}, but the last entry here is ${this.#last?.seq ?? 'none'}.`,
      );
    } else this.#findAnywhere(`Entry ${kept.seq} of the kept head is missing from its place.`);
  }

  #find(seq: number | null, what: string): void {
    this.#add({ seq, line: this.#lines, what });
  }

  #findAnywhere(what: string): void {
    this.#add({ seq: null, line: null, what });
  }

  #add(finding: JournalFinding): void {
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push(finding);
    else this.#more += 1;
  }
}
