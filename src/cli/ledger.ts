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
import { iso } from '../core/domain/words.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import type { CliTexts } from '../texts/cli.ts';
import { addSharedLedger } from './ledgerShared.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { messageText, shown } from '../core/domain/why.ts';
import type { Texts } from '../texts/texts.ts';
import { textsOf } from './language.ts';

/** Value of `--head`: the output of `ledger head --json`, or only sequence number and hash. */
type GivenHead = Pick<JournalHead, 'seq' | 'hash'> & { readonly ledger?: string };
type Verified = Awaited<ReturnType<typeof verifyLedger>>;

const HEAD_FILE = z.object({
  ledger: z.string(),
  seq: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

export function addLedger(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { help, option } = io.texts;
  const ledger = program.command('ledger').description(help.ledger.about);
  ledger
    .command('head')
    .description(help.ledgerHead.about)
    .option('--config <file>', option.config)
    .option('--json', help.ledgerHead.json)
    .explain({ examples: ['ledger head', 'ledger head --json > head-2026-01-31.json'] })
    .action((options: JsonOption) => head(io, options));
  ledger
    .command('verify')
    .description(help.ledgerVerify.about)
    .option('--config <file>', option.config)
    .option('--head <head>', help.ledgerVerify.head)
    .option('--json', help.ledgerVerify.json)
    .explain({
      examples: ['ledger verify', 'ledger verify --head head-2026-01-31.json'],
      statuses: help.ledgerVerify.statuses,
      more: help.ledgerVerify.more,
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
  const { head: words } = io.texts.ledger;
  print(io, `${words.ledger} ${ledger}`);
  print(io, `${words.entry} ${seq}`);
  print(io, `${words.hash} ${hash}`);
}

async function verify(
  io: Io,
  options: JsonOption & { head?: string },
  done: (status: ExitStatus) => void,
): Promise<void> {
  const against = options.head === undefined ? null : await keptHead(io, options.head);
  const config = await configOf(io, options);
  const verified = await verifyLedger(config, against, io.stop);
  const { journal, ledger } = verified;
  const found = journal.findings.length + journal.moreFindings + ledger.findings.length;
  if (found > 0) done(EXIT.refused);
  if (options.json) {
    return printJson(io, {
      verdict: found === 0 ? 'sound' : 'findings',
      against,
      journal: { ...journal, remarks: journal.remarks.map((each) => shown(each)) },
      ledger: { ...ledger, findings: ledger.findings.map((each) => shown(each)) },
    });
  }
  printVerified(io, await textsOf(io), verified, against, found);
}

function printVerified(
  io: Io,
  texts: Texts,
  { journal, ledger }: Verified,
  against: GivenHead | null,
  found: number,
): void {
  const colors = colorsFor(io, io.stdout);
  const { ledger: words } = io.texts;
  const { entries, firstSeq: first, lastSeq: last } = journal;
  print(
    io,
    first === null || last === null ? words.journal(entries) : words.journalOf({ entries, first, last }),
  );
  print(io, comparedText(ledger, words));
  if (against !== null) print(io, words.against(against.seq));
  if (found > 0) {
    print(io);
    print(io, colors.red(words.findings(found)));
    for (const { line, fact } of journal.findings) {
      const what = messageText(texts, fact);
      const said = line === null ? words.inJournal(what) : words.inLine(line, what);
      print(io, escapeUnsafe(`  ${said}`));
    }
    if (journal.moreFindings > 0) print(io, `  ${words.more(journal.moreFindings)}`);
    for (const fact of ledger.findings)
      print(io, escapeUnsafe(`  ${words.inLedger(messageText(texts, fact))}`));
  }
  const remarks = [
    ...journal.remarks.map((each) => messageText(texts, each)),
    ...(against === null ? [words.noHead] : []),
  ];
  if (remarks.length > 0) {
    print(io);
    print(io, words.note);
    for (const remark of remarks) print(io, escapeUnsafe(`  ${remark}`));
  }
  print(io);
  if (found > 0) print(io, words.keep);
  else if (first !== null && first > 1) print(io, colors.yellow(words.partly(first - 1)));
  else print(io, colors.green(words.sound));
  if (journal.head !== null) print(io, words.last(`${journal.head.seq}:${journal.head.hash}`));
}

function comparedText(
  { documents, compared = documents, head, findings }: Verified['ledger'],
  words: CliTexts['ledger'],
): string {
  if (head === null && findings.length > 0) return words.notCompared;
  return compared === documents ? words.compared(documents) : words.comparedSome(documents, compared);
}

async function keptHead(io: Io, given: string): Promise<GivenHead> {
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
