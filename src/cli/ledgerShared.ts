import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { messageOf, ReceiptdError } from '../core/domain/errors.ts';
import { counted } from '../core/domain/words.ts';
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

interface ArchiveOptions extends ToOptions {
  readonly before: string;
  readonly dir: string;
  readonly gzip?: boolean;
  readonly keep?: boolean;
}

const PASSWORD =
  'The password comes from --password-file, PGPASSWORD or ~/.pgpass; the address must not contain one.';

export function addSharedLedger(ledger: Command, io: Io): void {
  whereTo(ledger.command('prepare'))
    .description(
      'create or upgrade a shared ledger in PostgreSQL, and grant the agents their privileges; run by its owner',
    )
    .option('--role <name>', 'database role of the agents; it gets only the privileges they need')
    .option('--json', 'as JSON: { where, roles }')
    .explain({
      examples: [
        'ledger prepare --to postgres://owner@db.example.com/receiptd --role receiptd',
        'ledger prepare',
      ],
      more: `Run it again after each receiptd update, before you start the agents.\n${PASSWORD}`,
    })
    .action((options: ToOptions & { role?: string }) => prepare(io, options));
  whereTo(ledger.command('migrate'))
    .description("move this machine's ledger into a shared one, and compare every row")
    .option('--agent <name>', "this machine's name in the shared ledger; defaults to the host name")
    .option('--json', 'as JSON: { where, agent, rows, twins, failed, renamed, head }')
    .explain({
      examples: ['ledger migrate --to postgres://receiptd@db.example.com/receiptd --agent scan-pc'],
      more: `The agent can keep running until almost the end. If the command is interrupted, run it again: it continues where it stopped.\n${PASSWORD}`,
    })
    .action((options: MigrateOptions) => migrate(io, options));
  whereTo(ledger.command('archive'))
    .description('move old history of a shared ledger from the database into journal files; run by its owner')
    .requiredOption('--before <date>', 'archive months that ended before this date: YYYY-MM-DD (UTC)')
    .requiredOption('--dir <directory>', 'existing directory to write the files to')
    .option('--gzip', 'compress the files')
    .option('--keep', 'write and check the files, but remove nothing from the database')
    .option('--json', 'as JSON: { where, files }')
    .explain({
      examples: ['ledger archive --before 2025-01-01 --dir /archive/receiptd --gzip'],
      more: `Each file is a journal as described in docs/audit.md. Keep it as long as the law requires.\n${PASSWORD}`,
    })
    .action((options: ArchiveOptions) => archive(io, options));
}

function whereTo(command: Command): Command {
  return command
    .option('--config <file>', 'config file')
    .option('--to <url>', 'the database: postgres://user@host/database; defaults to the one in the config')
    .option('--password-file <file>', "file that contains that user's password")
    .option('--ca <file>', 'certificate authorities for the database (PEM)')
    .option('--allow-insecure', 'same as ledger.allowInsecure in the config');
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
    const words = messageOf(error);
    throw new ReceiptdError('USAGE.passwordFileUnreadable', { file, detail: words }, { cause: error });
  }
}

async function prepare(io: Io, options: ToOptions & { role?: string }): Promise<void> {
  const target = await targetOf(io, options);
  const { prepareShared } = await import('../wiring/sharedLedger/prepare.ts');
  const { where, roles } = await prepareShared(target, options.role ?? null);
  if (options.json) return printJson(io, { where, roles });
  print(io, `The ledger at ${escapeUnsafe(where)} is ready for this receiptd.`);
  if (roles.length > 0) print(io, `Agents can use it as ${roles.map(escapeUnsafe).join(', ')}.`);
  else
    print(
      io,
      'No role was given for the agents. If they connect as the owner, they can change anything in it; see --role.',
    );
}

async function migrate(io: Io, options: MigrateOptions): Promise<void> {
  const config = await configOf(io, options);
  if (config.ledger.kind !== 'sqlite') throw new ReceiptdError('USAGE.alreadyShared');
  const target = await targetOf(io, options);
  const agent = await nameOf(options.agent);
  const { moveLedger } = await import('../wiring/sharedLedger/moveLedger.ts');
  const moved = await moveLedger(config, {
    target,
    agent,
    version: VERSION,
    onProgress: progressOf(io, options),
    onAgentRuns: () =>
      io.stderr.write(
        'Everything is moved except what the running agent still does. Stop it now, and do not start it again before you have changed its configuration.\n',
      ),
    signal: io.stop,
  });
  if (moved === null) {
    if (options.json) return printJson(io, null);
    return print(io, 'This ledger was already moved; there is nothing left to do.');
  }
  const { where, rows, merged, head } = moved;
  if (options.json) return printJson(io, { where, agent, rows, ...merged, head });
  const compared = `${counted(rows.documents, 'document')}, ${counted(rows.attempts, 'upload request')}, ${counted(rows.files, 'file')}`;
  print(io, `Moved to ${escapeUnsafe(where)}, and compared row by row: ${compared}.`);
  tellMerged(io, merged);
  print(io, 'Now add this to the configuration, then start the agent:');
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
  print(
    io,
    `The old ledger and its journal, up to entry ${head.seq}, stay in ${escapeUnsafe(config.stateDir)} as evidence.`,
  );
  print(
    io,
    'They contain names and paths that `receiptd erase` cannot erase there. Remove them when you no longer need them.',
  );
}

function tellMerged(
  io: Io,
  { twins, failed, renamed }: { twins: number; failed: number; renamed: number },
): void {
  if (twins === 0) return;
  print(
    io,
    `${counted(twins, 'document')} had the same image or name as a document from another machine; both are kept.`,
  );
  if (failed > 0)
    print(
      io,
      `  ${counted(failed, 'document')} that waited here and already existed there are now failed: \`receiptd list --state failed\`.`,
    );
  if (renamed > 0) print(io, `  ${counted(renamed, 'document')} that were never sent got a new name.`);
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
function progressOf(io: Io, { json }: ToOptions): (step: string, count: number) => void {
  if (json === true || !isTerminal(io.stderr)) return () => {};
  const words: Readonly<Record<string, string>> = {
    entries: 'entries of the journal moved',
    compared: 'rows compared',
  };
  return (step, count) =>
    void io.stderr.write(`\r\u001b[K${count.toLocaleString('en')} ${words[step] ?? step}`);
}

async function archive(io: Io, options: ArchiveOptions): Promise<void> {
  const { before, dir, gzip = false, keep = false } = options;
  const at = /^\d{4}-\d\d-\d\d$/.test(before) ? Date.parse(`${before}T00:00:00Z`) : Number.NaN;
  // Date parsing accepts February 30 as a day in March.
  if (Number.isNaN(at) || at > Date.now() || new Date(at).toISOString().slice(0, 10) !== before)
    throw new ReceiptdError('USAGE.notPastDate', { before });
  const target = await targetOf(io, options);
  const { archiveShared } = await import('../wiring/sharedLedger/archive.ts');
  const { where, files } = await archiveShared(target, { before: at, dir: resolve(io.cwd, dir), gzip, keep });
  if (options.json) return printJson(io, { where, files });
  for (const { file, agent, fromSeq, toSeq } of files)
    print(io, `Wrote ${escapeUnsafe(file)}: agent ${escapeUnsafe(agent)}, entries ${fromSeq} to ${toSeq}.`);
  if (files.length === 0) print(io, `No month of the history ended before ${before}.`);
  else if (keep) print(io, 'The files were verified. The database still has all of the data.');
  else print(io, 'The files were verified, and their data was removed from the database.');
}
