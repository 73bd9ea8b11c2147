import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { z } from 'zod';
import { ledgerHead, verifyLedger } from '../wiring/ledger.ts';
import { systemClock as clock } from '../system/systemClock.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { anyText } from '../core/domain/encoding.ts';
import type { JournalHead } from '../core/ports/journal.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { count, counted, iso } from '../core/domain/words.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { addSharedLedger } from './ledgerShared.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

/** Value of `--head`: the output of `ledger head --json`, or only sequence number and hash. */
type KeptHead = Pick<JournalHead, 'seq' | 'hash'> & { readonly ledger?: string };
type Verified = Awaited<ReturnType<typeof verifyLedger>>;

const HEAD_FILE = z.object({
  ledger: z.string(),
  seq: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

export function addLedger(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const ledger = program.command('ledger').description('verify, share and move the ledger');
  ledger
    .command('head')
    .description(
      "print the number and hash of the journal's last entry; keep them where nobody can change both",
    )
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { ledger, seq, hash, at }, for `ledger verify --head`')
    .explain({ examples: ['ledger head', 'ledger head --json > head-2026-01-31.json'] })
    .action((options: JsonOption) => head(io, options));
  ledger
    .command('verify')
    .description('read the whole journal and ledger, and find any change made to either')
    .option('--config <file>', 'config file')
    .option('--head <head>', 'a head that you kept: a file from `ledger head --json`, or NUMBER:HASH')
    .option('--json', 'as JSON: { verdict, against, journal, ledger }')
    .explain({
      examples: ['ledger verify', 'ledger verify --head head-2026-01-31.json'],
      statuses: '3 something was changed',
      more: 'Without a head kept elsewhere, a journal that was cut off at the end or rewritten completely looks valid.\ndocs/audit.md explains what this proves, what it cannot prove, and how to verify without receiptd.',
    })
    .action((options: JsonOption & { head?: string }) => verify(io, options, done));
  addSharedLedger(ledger, io);
}

async function head(io: Io, options: JsonOption): Promise<void> {
  const config = await configOf(io, options);
  const found = await ledgerHead(config);
  if (found === null) {
    throw new ReceiptdError('LEDGER_MISSING.noJournal');
  }
  const { ledger, seq, hash } = found;
  if (options.json) return printJson(io, { ledger, seq, hash, at: iso(clock.now()) });
  print(io, `Ledger ${ledger}`);
  print(io, `Entry  ${seq}`);
  print(io, `Hash   ${hash}`);
}

async function verify(
  io: Io,
  options: JsonOption & { head?: string },
  done: (status: ExitStatus) => void,
): Promise<void> {
  const against = options.head === undefined ? null : await keptHead(io, options.head);
  const config = await configOf(io, options);
  const verified = await verifyLedger(config, against);
  const { journal, ledger } = verified;
  const found = journal.findings.length + journal.moreFindings + ledger.findings.length;
  if (found > 0) done(EXIT.refused);
  if (options.json) {
    return printJson(io, { verdict: found === 0 ? 'sound' : 'findings', against, journal, ledger });
  }
  printVerified(io, verified, against, found);
}

function printVerified(io: Io, { journal, ledger }: Verified, against: KeptHead | null, found: number): void {
  const colors = colorsFor(io, io.stdout);
  const { entries, firstSeq, lastSeq } = journal;
  const which =
    firstSeq === null || lastSeq === null ? '' : `, numbers ${count(firstSeq)} to ${count(lastSeq)}`;
  print(io, `Journal: ${counted(entries, 'entry', 'entries')}${which}.`);
  print(io, `Ledger:  ${comparedText(ledger)}`);
  if (against !== null) print(io, `Head:    entry ${count(against.seq)}, compared with the head you kept.`);
  if (found > 0) {
    print(io);
    print(io, colors.red(`${counted(found, 'finding')}:`));
    for (const { line, what } of journal.findings) {
      print(io, escapeUnsafe(`  ${line === null ? 'journal' : `journal, line ${line}`}: ${what}`));
    }
    if (journal.moreFindings > 0) print(io, `  journal: and ${count(journal.moreFindings)} more.`);
    for (const what of ledger.findings) print(io, escapeUnsafe(`  ledger: ${what}`));
  }
  const remarks = [...journal.remarks];
  if (against === null) {
    remarks.push(
      'No head was given. Without one, nobody can tell whether the end was cut off or the whole journal rewritten.',
    );
  }
  if (remarks.length > 0) {
    print(io);
    print(io, 'Note:');
    for (const remark of remarks) print(io, escapeUnsafe(`  ${remark}`));
  }
  print(io);
  if (found === 0 && firstSeq !== null && firstSeq > 1) {
    const gone = `entries 1 to ${firstSeq - 1} are in another file and were not verified`;
    print(io, colors.yellow(`This journal is as receiptd wrote it, but ${gone}.`));
  } else if (found === 0) print(io, colors.green('Everything is as receiptd wrote it.'));
  else print(io, 'Keep both files as they are. docs/audit.md explains what each finding can mean.');
  if (journal.head !== null) print(io, `Last entry: ${journal.head.seq}:${journal.head.hash}`);
}

function comparedText({ documents, compared = documents, head, findings }: Verified['ledger']): string {
  if (head === null && findings.length > 0) return "can't be compared with the journal.";
  const of = compared === documents ? '' : ` ${count(compared)} of them`;
  return `${counted(documents, 'document')},${of} compared with the journal.`;
}

async function keptHead(io: Io, given: string): Promise<KeptHead> {
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(given) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash: hash.toLowerCase() };
  const file = resolve(io.cwd, given);
  let text: string;
  try {
    text = anyText(await readFile(file));
  } catch (error) {
    throw new ReceiptdError('USAGE.headUnreadable', { file }, { cause: error });
  }
  const parsed = HEAD_FILE.safeParse(jsonOrNull(text));
  if (parsed.success) return parsed.data;
  throw new ReceiptdError('USAGE.notHead', { file });
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
