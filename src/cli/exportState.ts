import { resolve } from 'node:path';
import type { Command } from 'commander';
import { copyLedger, refuseShared } from '../compose/ledger.ts';
import { exportState, type Exported, type ExportOptions } from '../compose/moving/exportState.ts';
import { openReports } from '../compose/reports.ts';
import type { Config } from '../config/config.ts';
import { acquireInstanceLock } from '../daemon/instanceLock.ts';
import { prepareStateDir, unwritable } from '../daemon/stateDir.ts';
import { unmarkMovedAway } from '../daemon/stateMoved.ts';
import { ReceiptdError, systemCode } from '../domain/errors.ts';
import { counted, size } from '../domain/words.ts';
import { ask, canAsk } from './ask.ts';
import { helpOf } from './help.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { outputUnwritable } from './output.ts';
import { printable } from './printable.ts';
import { configOf, operate, type ConfigOption } from './session.ts';
import { VERSION } from './version.ts';

interface Options extends ConfigOption {
  readonly final?: boolean;
  readonly undo?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const SHOWN = 5;
/** Nothing but what waits in the spool is this PC's alone. */
const MOVE_HINT =
  'Let this agent send what waits and stop it; then start one on the other PC with the same `ledger.url` and `ledger.agent`.';

export function addExportState(program: Command, io: Io): void {
  program
    .command('export-state')
    .argument('[file]', 'a new file')
    .description(
      'ledger, journal, images that wait and settings in one file, to move to another PC; no secrets',
    )
    .option('--config <file>', 'config file')
    .option('--final', 'this PC is done: receiptd refuses to run here from then on')
    .option('--undo', 'take --final back')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON: { file, bytes, manifest, withoutImage }')
    .addHelpText(
      'after',
      helpOf({
        examples: [
          'export-state --final office.receiptd',
          'export-state backup.receiptd',
          'export-state --undo',
        ],
        statuses: '6 --final while an\nagent is running: stop it first',
        more: 'Without --final it is a backup, also beside a running agent: this PC goes on. Two that run on the same state would\nsend what waits twice.',
      }),
    )
    .action(async (file: string | undefined, options: Options) => {
      const config = await configOf(io, options);
      if (options.undo) return undo(io, config);
      if (file === undefined)
        throw new ReceiptdError('USAGE', '`export-state` needs the name of a new file.', {
          hint: 'Put --help behind the command to see what it takes.',
        });
      await run(io, config, resolve(io.cwd, file), options);
    });
}

async function run(io: Io, config: Config, file: string, options: Options): Promise<void> {
  refuseShared(config, 'There is no ledger here to move', MOVE_HINT);
  // Says what is wrong with a ledger that is not there, not ours, or newer.
  await (await openReports(config)).close();
  const final = options.final ?? false;
  const common = {
    file,
    version: VERSION,
    final,
    onWithoutImage: (paths: readonly string[]) => confirm(io, final, paths, options),
  };
  const exported = await (final ? exportFinally(config, common) : exportBeside(io, config, common)).catch(
    (error: unknown) => {
      throw systemCode(error) === undefined || error instanceof ReceiptdError
        ? error
        : outputUnwritable(file, error, 'Name another file.');
    },
  );
  if (options.json) return printJson(io, { file, ...exported });
  tell(io, config, file, exported);
}

type Common = Omit<ExportOptions, 'backup'>;

function exportBeside(io: Io, config: Config, common: Common): Promise<Exported> {
  const backup = async (output: string) =>
    (await operate(io, config, 'backup', { by: operatorName(), output })).head;
  return exportState(config, { ...common, backup });
}

/** Under the lock from begin to end: nothing is sent between the copy and the mark. */
async function exportFinally(config: Config, common: Common): Promise<Exported> {
  await prepareStateDir(config);
  const lock = await acquireInstanceLock(config.stateDir);
  try {
    return await exportState(config, { ...common, backup: (target) => copyLedger(config, target) });
  } finally {
    await lock.release();
  }
}

function tell(io: Io, { stateDir }: Config, file: string, { manifest, bytes, withoutImage }: Exported): void {
  const { documents, waiting, anew, final } = manifest;
  print(
    io,
    `Wrote ${printable(file)} (${size(bytes)}): ${counted(documents, 'document')}, ${waiting} of them waiting.`,
  );
  if (withoutImage.length > 0) print(io, printable(without(withoutImage)));
  print(io, 'To be given anew on the other PC, for it is not in the file:');
  for (const sentence of anew) print(io, printable(`  ${sentence}`));
  print(io, 'The file holds receipts and names: keep it as private as the ledger. Next, on the other PC:');
  print(io, `  receiptd import-state ${printable(file)}`);
  if (final)
    print(
      io,
      `receiptd does not run on ${printable(stateDir)} any more, until \`receiptd export-state --undo\`.`,
    );
  else print(io, 'This PC goes on as before. To move for good, stop the agent and say --final.');
}

function without(paths: readonly string[]): string {
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
  return `${counted(paths.length, 'document')} wait whose image is neither in the spool nor where it was scanned: ${paths.slice(0, SHOWN).join(', ')}${more}. They are lost unless the other PC finds them there.`;
}

async function confirm(io: Io, final: boolean, paths: readonly string[], { yes }: Options): Promise<void> {
  if (!final || yes) return;
  if (canAsk(io) && (await ask(io, `${printable(without(paths))} Move all the same?`))) return;
  throw new ReceiptdError('CONFIRMATION_NEEDED', `Nothing was moved. ${without(paths)}`, {
    hint: 'Put them back where they were, or say --yes.',
  });
}

async function undo(io: Io, config: Config): Promise<void> {
  await prepareStateDir(config);
  const lock = await acquireInstanceLock(config.stateDir, { evenIfMoved: true });
  try {
    const was = await unmarkMovedAway(config.stateDir).catch((error: unknown) => {
      throw unwritable(config.stateDir, error);
    });
    print(
      io,
      was
        ? 'receiptd runs here again. Make sure that it does not run on the other PC with the same state.'
        : 'Nothing was moved away from here.',
    );
  } finally {
    await lock.release();
  }
}
