import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { ReceiptdError, saidBy } from '../core/domain/errors.ts';
import type { CliTexts } from '../texts/cli.ts';
import { isTerminal, print, printJson, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { configOf, type JsonOption } from './session.ts';
import { VERSION } from './version.ts';

/* Administrator commands for a shared ledger. Their modules are loaded only when one of them runs. */

interface ToOptions extends JsonOption {
  readonly to?: string;
  readonly passwordFile?: string;
  readonly ca?: string;
  readonly allowInsecure?: boolean;
}

interface MigrateOptions extends ToOptions {
  readonly agent?: string;
}

interface ArchiveArguments extends ToOptions {
  readonly before: string;
  readonly dir: string;
  readonly gzip?: boolean;
  readonly keep?: boolean;
}

export function addSharedLedger(ledger: Command, io: Io): void {
  const {
    help: { ledgerPrepare, ledgerMigrate, ledgerArchive },
  } = io.texts;
  whereTo(ledger.command('prepare'), io.texts)
    .description(ledgerPrepare.about)
    .option('--role <name>', ledgerPrepare.role)
    .option('--json', ledgerPrepare.json)
    .explain({
      examples: [
        'ledger prepare --to postgres://owner@db.example.com/receiptd --role receiptd',
        'ledger prepare',
      ],
      more: ledgerPrepare.more,
    })
    .action((options: ToOptions & { role?: string }) => prepare(io, options));
  whereTo(ledger.command('migrate'), io.texts)
    .description(ledgerMigrate.about)
    .option('--agent <name>', ledgerMigrate.agent)
    .option('--json', ledgerMigrate.json)
    .explain({
      examples: ['ledger migrate --to postgres://receiptd@db.example.com/receiptd --agent scan-pc'],
      more: ledgerMigrate.more,
    })
    .action((options: MigrateOptions) => migrate(io, options));
  whereTo(ledger.command('archive'), io.texts)
    .description(ledgerArchive.about)
    .requiredOption('--before <date>', ledgerArchive.before)
    .requiredOption('--dir <directory>', ledgerArchive.dir)
    .option('--gzip', ledgerArchive.gzip)
    .option('--keep', ledgerArchive.keep)
    .option('--json', ledgerArchive.json)
    .explain({
      examples: ['ledger archive --before 2025-01-01 --dir /archive/receiptd --gzip'],
      more: ledgerArchive.more,
    })
    .action((options: ArchiveArguments) => archive(io, options));
}

function whereTo(command: Command, { help: { ledgerTarget: help }, option }: CliTexts): Command {
  return command
    .option('--config <file>', option.config)
    .option('--to <url>', help.to)
    .option('--password-file <file>', help.passwordFile)
    .option('--ca <file>', help.ca)
    .option('--allow-insecure', help.allowInsecure);
}

/** The ledger given with `--to`, otherwise the configured one. */
async function targetOf(io: Io, options: ToOptions) {
  const { to, passwordFile, ca, allowInsecure = false } = options;
  const file = (given: string | undefined): string | null =>
    given === undefined ? null : resolve(io.cwd, given);
  if (to !== undefined) {
    const { ledgerUrl } = await import('../config/ledgerChecks.ts');
    return {
      url: ledgerUrl(to, allowInsecure),
      passwordFile: await readable(file(passwordFile)),
      caFile: file(ca),
    };
  }
  const { ledger } = await configOf(io, options);
  if (ledger.kind === 'postgres')
    return {
      url: ledger.url,
      passwordFile: await readable(file(passwordFile) ?? ledger.passwordFile),
      caFile: file(ca) ?? ledger.ca,
    };
  throw new ReceiptdError('USAGE.noSharedLedger');
}

async function readable(file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    await readFile(file, 'utf8');
    return file;
  } catch (error) {
    const words = saidBy(error);
    throw new ReceiptdError('USAGE.passwordFileUnreadable', { file, ...words }, { cause: error });
  }
}

async function prepare(io: Io, options: ToOptions & { role?: string }): Promise<void> {
  const target = await targetOf(io, options);
  const { prepareShared } = await import('../wiring/sharedLedger/prepare.ts');
  const { where, roles } = await prepareShared(target, options.role ?? null);
  if (options.json) return printJson(io, { where, roles });
  const { sharedLedger: words } = io.texts;
  print(io, words.ready(escapeUnsafe(where)));
  print(io, roles.length > 0 ? words.roles(roles.map(escapeUnsafe)) : words.noRole);
}

async function migrate(io: Io, options: MigrateOptions): Promise<void> {
  const config = await configOf(io, options);
  if (config.ledger.kind !== 'sqlite') throw new ReceiptdError('USAGE.alreadyShared');
  const target = await targetOf(io, options);
  const agent = await nameOf(options.agent);
  const { sharedLedger: words } = io.texts;
  const { moveLedger } = await import('../wiring/sharedLedger/moveLedger.ts');
  const moved = await moveLedger(config, {
    target,
    agent,
    version: VERSION,
    onProgress: progressOf(io, options),
    onAgentRuns: () => io.stderr.write(`${words.agentRuns}\n`),
    signal: io.stop,
  });
  if (moved === null) {
    if (options.json) return printJson(io, null);
    return print(io, words.movedBefore);
  }
  const { where, rows, merged, head } = moved;
  if (options.json) return printJson(io, { where, agent, rows, ...merged, head });
  print(io, words.moved(escapeUnsafe(where), rows));
  if (merged.twins > 0) print(io, words.twins(merged.twins));
  if (merged.failed > 0) print(io, `  ${words.failed(merged.failed)}`);
  if (merged.renamed > 0) print(io, `  ${words.renamed(merged.renamed)}`);
  print(io, words.addToConfig);
  print(io, '  ledger:');
  print(io, '    kind: postgres');
  print(io, `    url: ${escapeUnsafe(options.to ?? '')}`);
  for (const [key, file] of [
    ['passwordFile', options.passwordFile],
    ['ca', options.ca],
  ] as const)
    if (file !== undefined) print(io, `    ${key}: ${escapeUnsafe(resolve(io.cwd, file))}`);
  if (options.allowInsecure) print(io, '    allowInsecure: true');
  print(io, `    agent: ${escapeUnsafe(agent)}`);
  print(io, words.oldStays({ seq: head.seq, stateDir: escapeUnsafe(config.stateDir) }));
  print(io, words.oldErase);
}

async function nameOf(given: string | undefined): Promise<string> {
  const [{ agentName }, { shortName }] = await Promise.all([
    import('../config/fleetMember.ts'),
    import('../config/values.ts'),
  ]);
  if (given === undefined) return agentName({ agent: null });
  if (shortName.safeParse(given).success) return given;
  throw new ReceiptdError('USAGE.agentName', { given });
}

/** Overwrites one progress line; only on a terminal. */
function progressOf(
  { stderr, texts }: Io,
  { json }: ToOptions,
): (step: keyof CliTexts['sharedLedger']['progress'], count: number) => void {
  if (json === true || !isTerminal(stderr)) return () => {};
  return (step, count) => void stderr.write(`\r\u001b[K${texts.sharedLedger.progress[step](count)}`);
}

async function archive(io: Io, options: ArchiveArguments): Promise<void> {
  const { before, dir, gzip = false, keep = false } = options;
  const at = /^\d{4}-\d\d-\d\d$/.test(before) ? Date.parse(`${before}T00:00:00Z`) : Number.NaN;
  // Date parsing accepts February 30 as a day in March.
  if (Number.isNaN(at) || at > Date.now() || new Date(at).toISOString().slice(0, 10) !== before)
    throw new ReceiptdError('USAGE.notPastDate', { before });
  const target = await targetOf(io, options);
  const { archiveShared } = await import('../wiring/sharedLedger/archive.ts');
  const { where, files } = await archiveShared(target, { before: at, dir: resolve(io.cwd, dir), gzip, keep });
  if (options.json) return printJson(io, { where, files });
  const { sharedLedger: words } = io.texts;
  for (const { file, agent, fromSeq: from, toSeq: to } of files)
    print(io, words.archived({ file: escapeUnsafe(file), agent: escapeUnsafe(agent), from, to }));
  if (files.length === 0) print(io, words.nothingToArchive(before));
  else print(io, keep ? words.verified : words.removed);
}
