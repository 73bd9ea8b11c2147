import { resolve } from 'node:path';
import type { Command } from './command.ts';
import {
  makeBackup,
  type BackedUp,
  type BackupOptions,
  type WithoutImage,
} from '../features/backup/makeBackup.ts';
import { restoredAt } from '../features/backup/source.ts';
import { copyLedger, refuseOtherVersion } from '../wiring/ledger.ts';
import { openReports } from '../ledger/configured/reports.ts';
import type { Config } from '../config/config.ts';
import { unwritable } from '../state-dir/stateDir.ts';
import { movedAway, unmarkMovedAway } from '../state-dir/stateMarks.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { demandYes } from './ask.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { outputUnwritable } from './output.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { configOf, operate, underLock, type JsonOption } from './session.ts';
import { VERSION } from './version.ts';
import { messageText, shown } from '../core/domain/why.ts';
import { textsOf } from './language.ts';

interface BackupCommandOptions extends JsonOption {
  readonly final?: boolean;
  readonly reopen?: boolean;
  readonly yes?: boolean;
}

const SHOWN = 5;

export function addBackup(program: Command, io: Io): void {
  const { help: all, option } = io.texts;
  const { backup: help } = all;
  program
    .command('backup')
    .argument('[file]', help.file)
    .description(help.about)
    .option('--config <file>', option.config)
    .option('--final', help.final)
    .option('--reopen', help.reopen)
    .option('--yes', option.yes)
    .option('--json', help.json)
    .explain({
      examples: ['backup /media/stick/office.receiptd', 'backup --final office.receiptd', 'backup --reopen'],
      statuses: help.statuses,
      more: help.more,
    })
    .action(async (file: string | undefined, options: BackupCommandOptions) => {
      const config = await configOf(io, options);
      if (options.reopen) return reopen(io, config, options);
      if (config.ledger.kind !== 'sqlite') throw new ReceiptdError('LEDGER_SHARED.nothingToBackUp');
      if (file !== undefined) return archive(io, config, resolve(io.cwd, file), options);
      if (!options.final) return ledgerAlone(io, config, options);
      throw new ReceiptdError('USAGE.finalNeedsFile');
    });
}

/** Makes a backup like the agent's automatic ones. */
async function ledgerAlone(io: Io, config: Config, options: BackupCommandOptions): Promise<void> {
  await refuseOtherVersion(config);
  const result = await operate(io, config, 'backup', { by: operatorName() });
  if (options.json) return printJson(io, result);
  const { wrote, backup: words } = io.texts;
  print(io, wrote(escapeUnsafe(result.file)));
  print(io, words.ledgerAlone(result.head));
  print(io, words.nameAFile);
}

async function archive(io: Io, config: Config, file: string, options: BackupCommandOptions): Promise<void> {
  // Throws a clear error if the ledger is missing, unreadable, or of another version.
  await (await openReports(config)).close();
  const final = options.final ?? false;
  const common = {
    file,
    version: VERSION,
    final,
    onWithoutImage: (missing: WithoutImage) => confirm(io, final, missing, options),
  };
  const made = await (final ? makeFinal(config, common) : makeBeside(io, config, common)).catch(
    (error: unknown) => {
      throw systemCode(error) === undefined || error instanceof ReceiptdError
        ? error
        : outputUnwritable(file, error, final ? 'finalBackup' : 'backup');
    },
  );
  if (options.json) {
    const setUpAgain = made.manifest.setUpAgain.map((each) => shown(each));
    return printJson(io, { file, ...made, manifest: { ...made.manifest, setUpAgain } });
  }
  await tell(io, config, file, made);
}

type Common = Omit<BackupOptions, 'copyLedger'>;

function makeBeside(io: Io, config: Config, common: Common): Promise<BackedUp> {
  const copy = async (output: string) =>
    (await operate(io, config, 'backup', { by: operatorName(), output })).head;
  return makeBackup(config, { ...common, copyLedger: copy });
}

/** Holds the lock throughout, so that nothing is sent between the copy and the mark. */
function makeFinal(config: Config, common: Common): Promise<BackedUp> {
  const copy = (target: string) => copyLedger(config, target);
  return underLock(config, () => makeBackup(config, { ...common, copyLedger: copy }));
}

async function tell(
  io: Io,
  { stateDir }: Config,
  file: string,
  { manifest, bytes, withoutImage: missing }: BackedUp,
): Promise<void> {
  const { documents, waiting, setUpAgain, final } = manifest;
  const { backup: words } = io.texts;
  print(io, words.wrote({ file: escapeUnsafe(file), size: bytes, documents, waiting }));
  if (missing.count > 0) print(io, escapeUnsafe(words.withoutImage(few(missing))));
  print(io, words.keepPrivate);
  print(io, words.notInFile);
  const texts = await textsOf(io);
  for (const each of setUpAgain) print(io, escapeUnsafe(`  ${messageText(texts, each)}`));
  if (!final) return print(io, words.continues);
  print(io, words.closed(escapeUnsafe(stateDir)));
  print(io, `  receiptd restore ${escapeUnsafe(file)}`);
  print(io, words.ifThatFails);
}

async function confirm(
  io: Io,
  final: boolean,
  missing: WithoutImage,
  { yes }: BackupCommandOptions,
): Promise<void> {
  if (!final || yes) return;
  const some = few(missing);
  const otherwise = new ReceiptdError('CONFIRMATION_NEEDED.withoutImage', some);
  const { backup: words } = io.texts;
  await demandYes(io, `${words.withoutImage(some)} ${words.moveAnyway}`, otherwise);
}

function few({ count, paths }: WithoutImage): WithoutImage {
  return { count, paths: paths.slice(0, SHOWN) };
}

async function reopen(io: Io, config: Config, { yes }: BackupCommandOptions): Promise<void> {
  const { stateDir } = config;
  const work = async (): Promise<void> => {
    const mark = await movedAway(stateDir);
    if (mark === null) return print(io, io.texts.backup.neverClosed);
    if (!yes) await confirmReopening(io, mark.file);
    await unmarkMovedAway(stateDir).catch((error: unknown) => {
      throw unwritable(stateDir, error);
    });
    print(io, io.texts.backup.reopened);
  };
  await underLock(config, work, { evenIfMoved: true });
}

/** Asks before reopening if a record beside `file` shows that the backup was restored on another PC. */
async function confirmReopening(io: Io, file: string): Promise<void> {
  const last = file === '' ? undefined : (await restoredAt(file)).at(-1);
  if (last === undefined) return;
  const { host, at } = last;
  const known = { file, host, at };
  const otherwise = new ReceiptdError('CONFIRMATION_NEEDED.restoredElsewhere', known);
  const { backup: words } = io.texts;
  await demandYes(io, `${words.restoredOn(known)} ${words.reopenAnyway}`, otherwise);
}
