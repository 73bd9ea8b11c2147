import fs from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { isBad, parseLine } from './line.ts';
import { linesOf } from './lines.ts';
import { Verification, type JournalVerification, type KeptHead } from './verification.ts';

export type { JournalFinding, JournalVerification, KeptHead } from './verification.ts';

/** Yields to the event loop after this many bytes. */
const TURN_BYTES = 1024 * 1024;
const PAUSE_MS = 20;

export interface VerifyOptions {
  readonly head?: KeptHead | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Once the last commit has been incomplete for this long (milliseconds), it is not one being written. */
  readonly patienceMs?: number;
}

/**
 * Reads the whole journal and reports, in words for auditors, everything that differs from what receiptd wrote. May run
 * beside the writer; ignores what is appended meanwhile. Uses constant memory.
 * @throws ReceiptdError FILE_UNREADABLE; a missing journal is a finding
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
        const parsed = parseLine(value.bytes);
        if (isBad(parsed)) verification.bad(parsed);
        else verification.line(parsed);
        if (value.offset - turn > TURN_BYTES) {
          turn = value.offset;
          await setImmediate(undefined, { signal });
        }
      }
    };
    // Also before a small file: a caller that verifies in a loop must not monopolize the event loop.
    await setImmediate(undefined, { signal });
    const { size } = fs.fstatSync(fd);
    let whole = await read(0, size);
    let unfinished = size - whole;
    const isUnfinished = (): boolean => unfinished > 0 || verification.isWithinCommit;
    for (let waited = 0; isUnfinished() && waited < patienceMs; waited += PAUSE_MS) {
      await sleep(PAUSE_MS, undefined, { signal });
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
      { path, detail: messageOf(error), isWindows: process.platform === 'win32' },
      { cause: error },
    );
  }
}
