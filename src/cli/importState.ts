import { resolve } from 'node:path';
import type { Command } from 'commander';
import { refuseShared } from '../compose/ledger.ts';
import { importState, misfits } from '../compose/moving/importState.ts';
import type { Manifest } from '../compose/moving/manifest.ts';
import { readManifest, readSettings } from '../compose/moving/unpack.ts';
import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/load.ts';
import { createDurably } from '../daemon/durableFile.ts';
import { ReceiptdError } from '../domain/errors.ts';
import { counted, local } from '../domain/words.ts';
import { ask, canAsk } from './ask.ts';
import { unlessStopped } from './ending.ts';
import { helpOf } from './help.ts';
import { loadContext, print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { outputUnwritable } from './output.ts';
import { printable } from './printable.ts';
import { configOf, type ConfigOption } from './session.ts';

interface Options extends ConfigOption {
  readonly replace?: boolean;
  readonly older?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function addImportState(program: Command, io: Io): void {
  program
    .command('import-state')
    .argument('<file>', 'a file that `receiptd export-state` wrote')
    .description('put what another PC exported into the state directory of this one, all of it or nothing')
    .option('--config <file>', 'config file; written from the archive if there is none')
    .option('--replace', 'put a ledger that is here aside')
    .option('--older', 'with --replace: even one that recorded more of the same ledger since')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON: { documents, waiting, setAside, isNew, wroteConfig, misfits, anew }')
    .addHelpText(
      'after',
      helpOf({
        examples: [
          'import-state office.receiptd',
          'import-state backup.receiptd --yes --config /etc/receiptd/receiptd.yaml',
        ],
        statuses: '6 an agent is running:\nstop it first',
        more: 'Run it as the user that the agent runs as. A file that was made without --final is asked about: the PC that it comes\nfrom may be running still, and both would send what waits.',
      }),
    )
    .action((file: string, options: Options) =>
      unlessStopped(io, () => run(io, resolve(io.cwd, file), options)),
    );
}

const IMPORT_HINT =
  'Import it with `ledger.kind: sqlite`; then move that ledger over with `receiptd ledger migrate`.';

async function run(io: Io, file: string, options: Options): Promise<void> {
  const manifest = await readManifest(file);
  const { config, text } = await configFor(io, file, options);
  refuseShared(config, `${file} can't be imported`, IMPORT_HINT);
  await confirm(io, manifest, options);
  const result = await importState(config, {
    file,
    replace: options.replace ?? false,
    older: options.older ?? false,
    by: operatorName(),
  });
  if (text !== null) await writeConfig(config.file, text);
  const unfit = await misfits(config);
  const { documents, setAside, isNew } = result;
  const wroteConfig = text === null ? null : config.file;
  if (options.json)
    return printJson(io, {
      documents,
      waiting: manifest.waiting,
      setAside,
      isNew,
      wroteConfig,
      misfits: unfit,
      anew: manifest.anew,
    });
  const here = `${counted(documents, 'document')}, ${manifest.waiting} of them waiting, state of ${local(manifest.at)}`;
  print(
    io,
    isNew
      ? `Imported into ${printable(config.stateDir)}: ${here}.`
      : `${printable(file)} had been imported before; the ledger is left as it is.`,
  );
  if (setAside !== null) print(io, `What was there before is kept in ${printable(setAside)}.`);
  if (wroteConfig !== null) print(io, `Wrote the settings to ${printable(wroteConfig)}.`);
  if (unfit.length > 0)
    print(io, 'Does not fit this machine; correct the configuration, or make what is missing:');
  for (const sentence of unfit) print(io, printable(`  ${sentence}`));
  print(io, 'To be given anew:');
  for (const sentence of manifest.anew) print(io, printable(`  ${sentence}`));
  print(io, 'Next: `receiptd check`, then start the agent.');
}

/** The one that is here; else the one of the archive, and its text, to be written where one was looked for first. */
async function configFor(
  io: Io,
  file: string,
  options: Options,
): Promise<{ config: Config; text: string | null }> {
  try {
    return { config: await configOf(io, options), text: null };
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code !== 'CONFIG_NOT_FOUND') throw error;
  }
  const text = await readSettings(file);
  if (text === null)
    throw new ReceiptdError('CONFIG_NOT_FOUND', `There is no config file here, nor in ${file}.`, {
      hint: 'Write one with `receiptd init`.',
    });
  const context = loadContext(io);
  const path = resolve(io.cwd, options.config ?? (io.env['RECEIPTD_CONFIG'] || 'receiptd.yaml'));
  return { config: parseConfig(text, path, context), text };
}

async function writeConfig(file: string, text: string): Promise<void> {
  try {
    await createDurably(file, text);
  } catch (error) {
    throw outputUnwritable(
      file,
      error,
      'The ledger is imported; say --config with another file, and import again.',
    );
  }
}

async function confirm(io: Io, { final, host, at, waiting }: Manifest, { yes }: Options): Promise<void> {
  if (final || yes) return;
  const about = `This file is a backup of ${printable(host)} from ${local(at)}. If receiptd still runs there, both send the ${counted(waiting, 'document')} that waited; what was sent since is not known here.`;
  if (canAsk(io) && (await ask(io, `${about} Import it?`))) return;
  throw new ReceiptdError('CONFIRMATION_NEEDED', `Nothing was imported. ${about}`, {
    hint: 'If it does not run there any more, say --yes.',
  });
}
