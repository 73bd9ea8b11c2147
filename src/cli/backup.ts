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
import { counted, local, size } from '../core/domain/words.ts';
import { demandYes } from './ask.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { outputUnwritable } from './output.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { configOf, operate, underLock, type JsonOption } from './session.ts';
import { VERSION } from './version.ts';
import { restoredOn, withoutImage } from '../texts/en/errors/commands.ts';
import { formatOf } from '../texts/format.ts';

interface Options extends JsonOption {
  readonly final?: boolean;
  readonly reopen?: boolean;
  readonly yes?: boolean;
}

const SHOWN = 5;

export function addBackup(program: Command, io: Io): void {
  program
    .command('backup')
    .argument(
      '[file]',
      'file to create; without it, only the ledger is backed up, to `backups` in the state directory',
    )
    .description(
      'back up ledger, journal, waiting images and settings to one file, and verify it; no secrets',
    )
    .option('--config <file>', 'config file')
    .option('--final', 'close this PC: receiptd then refuses to run here')
    .option('--reopen', 'reopen a PC that --final closed')
    .option('--yes', "don't ask")
    .option('--json', 'as JSON: { file, bytes, manifest, withoutImage }; without a file { file, head }')
    .explain({
      examples: ['backup /media/stick/office.receiptd', 'backup --final office.receiptd', 'backup --reopen'],
      statuses: '6 --final while an agent is running: stop it first',
      more: 'Works while the agent runs. To move to another PC, stop the agent and add --final: otherwise both agents would send what is waiting. `receiptd restore` restores the file, here or on the other PC.',
    })
    .action(async (file: string | undefined, options: Options) => {
      const config = await configOf(io, options);
      if (options.reopen) return reopen(io, config, options);
      if (config.ledger.kind !== 'sqlite') throw new ReceiptdError('LEDGER_SHARED.nothingToBackUp');
      if (file !== undefined) return archive(io, config, resolve(io.cwd, file), options);
      if (!options.final) return ledgerAlone(io, config, options);
      throw new ReceiptdError('USAGE.finalNeedsFile');
    });
}

/** Makes a backup like the agent's automatic ones. */
async function ledgerAlone(io: Io, config: Config, options: Options): Promise<void> {
  await refuseOtherVersion(config);
  const result = await operate(io, config, 'backup', { by: operatorName() });
  if (options.json) return printJson(io, result);
  print(io, `Wrote ${escapeUnsafe(result.file)}.`);
  print(io, `It contains the ledger up to journal entry ${result.head.seq}, hash ${result.head.hash}.`);
  print(io, 'To include waiting images and settings, name a file: `receiptd backup FILE`.');
}

async function archive(io: Io, config: Config, file: string, options: Options): Promise<void> {
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
  if (options.json) return printJson(io, { file, ...made });
  tell(io, config, file, made);
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

function tell(
  io: Io,
  { stateDir }: Config,
  file: string,
  { manifest, bytes, withoutImage: missing }: BackedUp,
): void {
  const { documents, waiting, setUpAgain, final } = manifest;
  print(
    io,
    `Wrote and verified ${escapeUnsafe(file)} (${size(bytes)}): ${counted(documents, 'document')}, ${waiting} of them waiting.`,
  );
  if (missing.count > 0) print(io, escapeUnsafe(withoutImage(shown(missing))));
  print(io, 'The file contains receipts and names. Keep it as private as the ledger.');
  print(io, 'Not in the file; if you restore it on another PC, set this up again there:');
  for (const sentence of setUpAgain) print(io, escapeUnsafe(`  ${sentence}`));
  if (!final)
    return print(io, 'This PC continues as before. To move to another PC, stop the agent and add --final.');
  print(io, `receiptd no longer runs on ${escapeUnsafe(stateDir)}. Next, on the other PC:`);
  print(io, `  receiptd restore ${escapeUnsafe(file)}`);
  print(io, 'If that fails, reopen this PC with `receiptd backup --reopen`.');
}

async function confirm(io: Io, final: boolean, missing: WithoutImage, { yes }: Options): Promise<void> {
  if (!final || yes) return;
  const few = shown(missing);
  const otherwise = new ReceiptdError('CONFIRMATION_NEEDED.withoutImage', few);
  await demandYes(io, `${withoutImage(few)} Move anyway?`, otherwise);
}

function shown({ count, paths }: WithoutImage): WithoutImage {
  return { count, paths: paths.slice(0, SHOWN) };
}

async function reopen(io: Io, config: Config, { yes }: Options): Promise<void> {
  const { stateDir } = config;
  const work = async (): Promise<void> => {
    const mark = await movedAway(stateDir);
    if (mark === null) return print(io, 'receiptd was never closed here, so there is nothing to reopen.');
    if (!yes) await confirmReopening(io, mark.file);
    await unmarkMovedAway(stateDir).catch((error: unknown) => {
      throw unwritable(stateDir, error);
    });
    print(io, 'receiptd can run here again. Make sure it does not run on another PC with the same state.');
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
  await demandYes(io, `${restoredOn(known, formatOf('en', local))} Reopen this PC?`, otherwise);
}
