import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from './command.ts';
import { acceptedHere, newerHere, relationTo, type Relation } from '../features/backup/relation.ts';
import { refuseOther, restoreBackup, type Restored } from '../features/backup/restoreBackup.ts';
import { misfits } from '../features/backup/settings.ts';
import { inspectBackup, noteRestored, restoredAt, type BackupSource } from '../features/backup/source.ts';
import type { Config } from '../config/config.ts';
import { createConfigFile } from '../config/configFile.ts';
import { applyEdits } from '../config/edit.ts';
import { placeForConfig } from '../config/locate.ts';
import { parseConfig, readConfigFile, textOf } from '../config/load.ts';
import { openArchive } from '../system/tar/read.ts';
import { systemClock } from '../system/systemClock.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { demandYes } from './ask.ts';
import { unlessStopped } from './ending.ts';
import { commandLine } from './help.ts';
import { loadContext, print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { outputUnwritable } from './output.ts';
import { asOwner, otherOwner } from './owner.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { textsOf } from './language.ts';
import { configOf, type JsonOption } from './session.ts';
import { errorWords } from '../texts/explain.ts';
import { makeDirectory } from '../system/makeDirectory.ts';
import type { RestoreRisks } from '../texts/en/errors/commands.ts';
import { messageText, shown, type WhyFact } from '../core/domain/why.ts';

interface RestoreCommandOptions extends JsonOption {
  readonly replace?: boolean;
  readonly older?: boolean;
  readonly beside?: string;
  readonly yes?: boolean;
}

export function addRestore(program: Command, io: Io): void {
  const { restore: help } = io.texts.help;
  program
    .command('restore')
    .argument('<file>', help.file)
    .description(help.about)
    .option('--config <file>', help.config)
    .option('--replace', help.replace)
    .option('--older', help.older)
    .option('--beside <folder>', help.beside)
    .option('--yes', io.texts.option.yes)
    .option('--json', help.json)
    .explain({
      examples: [
        'restore /media/stick/office.receiptd',
        'restore /var/lib/receiptd/backups/ledger-20260131T080000000Z.db',
        'restore office.receiptd --beside /tmp/january',
      ],
      statuses: help.statuses,
      more: help.more,
    })
    .action((file: string, options: RestoreCommandOptions) =>
      unlessStopped(io, () => run(io, resolve(io.cwd, file), options)),
    );
}

/** Where to restore to. `text`: the configuration to write there; null if it exists. */
interface RestoreTarget {
  readonly config: Config;
  readonly text: string | null;
}

async function run(io: Io, file: string, options: RestoreCommandOptions): Promise<void> {
  let source: BackupSource | null = null;
  try {
    source = await inspectBackup(file);
    const target = await (options.beside === undefined
      ? targetHere(io, source, options)
      : targetBeside(io, source, resolve(io.cwd, options.beside), options));
    const { config } = target;
    if (config.ledger.kind !== 'sqlite') throw new ReceiptdError('LEDGER_SHARED.noRestore', { file });
    if (options.beside === undefined && !options.yes) await confirm(io, file, source, config, options);
    await tell(io, file, target, source, await restoreTo(target, file, source, options), options);
  } catch (error) {
    throw error instanceof ReceiptdError ? await withWayBack(io, error, source) : error;
  }
}

/** Writes the configuration first, so that nothing can fail once the ledger is in place. */
async function restoreTo(
  { config, text }: RestoreTarget,
  file: string,
  source: BackupSource,
  { replace = false, older = false, beside }: RestoreCommandOptions,
): Promise<Restored & { readonly misfits: readonly WhyFact[] }> {
  // Only the service's user may write its state directory; it may not be able to open root's file.
  const opened = (await otherOwner(config.stateDir)) === null ? null : await openArchive(file);
  const isCopy = beside !== undefined;
  const by = operatorName();
  try {
    if (text !== null) await writeConfig(config.file, text);
    const done = await asOwner(config.stateDir, async () => {
      const restored = await restoreBackup(config, { file, opened, source, replace, older, isCopy, by });
      return { ...restored, misfits: isCopy ? [] : await misfits(config) };
    }).catch(async (error: unknown) => {
      if (text !== null) await rm(config.file, { force: true });
      throw error;
    });
    const { isNoted, relation } = done;
    if (isNoted || opened === null || source.kind === 'ledger' || relation === 'earlier') return done;
    const at = new Date(systemClock.now()).toISOString();
    return { ...done, isNoted: await noteRestored(file, config.stateDir, at) };
  } finally {
    await opened?.close();
  }
}

async function tell(
  io: Io,
  file: string,
  { config, text }: RestoreTarget,
  source: BackupSource,
  restored: Restored & { readonly misfits: readonly WhyFact[] },
  { beside, json }: RestoreCommandOptions,
): Promise<void> {
  const { documents, replayed, setAside, story, relation, isNoted, misfits: unfit } = restored;
  const manifest = source.kind === 'archive' && relation !== 'earlier' ? source.manifest : null;
  const setUpAgain = manifest === null || beside !== undefined ? [] : manifest.setUpAgain;
  const wroteConfig = text === null ? null : config.file;
  if (json)
    return printJson(io, {
      documents,
      replayed,
      setAside,
      story: story.map((each) => shown(each)),
      wroteConfig,
      misfits: unfit.map((each) => shown(each)),
      setUpAgain: setUpAgain.map((each) => shown(each)),
    });
  const texts = await textsOf(io);
  const say = (why: WhyFact | string): string => escapeUnsafe(messageText(texts, why));
  const { restore: words } = io.texts;
  const done = { file: escapeUnsafe(file), stateDir: escapeUnsafe(config.stateDir), documents };
  print(
    io,
    manifest === null
      ? words.restored(done)
      : words.restoredOf({ ...done, waiting: manifest.waiting, at: manifest.at }),
  );
  if (replayed > 0) print(io, words.replayed(replayed));
  if (setAside !== null) print(io, words.setAside(escapeUnsafe(setAside)));
  for (const each of story) print(io, say(each));
  if (wroteConfig !== null) print(io, words.settings(escapeUnsafe(wroteConfig)));
  if (beside !== undefined) {
    print(io, words.copy);
    return print(io, `  ${commandLine('list', '--config', escapeUnsafe(config.file))}`);
  }
  if (unfit.length > 0) {
    print(io, words.misfits);
    for (const each of unfit) print(io, `  ${say(each)}`);
  }
  if (setUpAgain.length > 0) {
    print(io, words.setUpAgain);
    for (const each of setUpAgain) print(io, `  ${say(each)}`);
  }
  if (manifest !== null && !isNoted) print(io, words.onlyHere);
  print(io, words.next);
}

/** The existing configuration; otherwise the backup's, to be written where setup would write one. */
async function targetHere(
  io: Io,
  source: BackupSource,
  options: RestoreCommandOptions,
): Promise<RestoreTarget> {
  try {
    return { config: await configOf(io, options), text: null };
  } catch (error) {
    const isMissing = error instanceof ReceiptdError && error.code === 'CONFIG_NOT_FOUND';
    if (!isMissing || source.kind === 'ledger') throw error;
  }
  const { file } = await placeForConfig(options.config, loadContext(io));
  return { config: parseConfig(source.settings, file, loadContext(io)), text: source.settings };
}

async function targetBeside(
  io: Io,
  source: BackupSource,
  folder: string,
  options: RestoreCommandOptions,
): Promise<RestoreTarget> {
  await makeDirectory(folder, 0o700).catch((error: unknown) => {
    throw outputUnwritable(folder, error, 'beside');
  });
  if ((await readdir(folder)).length > 0) throw new ReceiptdError('USAGE.folderNotEmpty', { folder });
  const file = join(folder, 'receiptd.yaml');
  const context = loadContext(io);
  const env = { ...context.env, RECEIPTD_STATE_DIR: undefined };
  const settings = source.kind === 'archive' ? source.settings : await ownSettings(io, options);
  const text = applyEdits(settings, [{ kind: 'set', path: ['stateDir'], value: folder }], file);
  return { config: parseConfig(text, file, { ...context, env }), text };
}

async function ownSettings(io: Io, options: RestoreCommandOptions): Promise<string> {
  const { file } = await configOf(io, options);
  return textOf(await readConfigFile(file), file);
}

async function writeConfig(file: string, text: string): Promise<void> {
  try {
    await createConfigFile(file, text);
  } catch (error) {
    const cause: unknown = error instanceof ReceiptdError ? error.cause : error;
    throw outputUnwritable(file, cause, 'restoredConfig');
  }
}

/** Says what the restore discards, warns of a second agent that could send the same documents, and asks for confirmation. */
async function confirm(
  io: Io,
  file: string,
  source: BackupSource,
  config: Config,
  { replace = false, older = false }: RestoreCommandOptions,
): Promise<void> {
  const relation = await relationTo(config, source.head, null);
  if (relation === 'other') refuseOther(config, replace);
  const here = riskHere(source, config, relation, older);
  const elsewhere = relation === 'earlier' ? null : await riskElsewhere(file, source);
  if (here === null && elsewhere === null) return;
  const risks = { file, stateDir: config.stateDir, here, elsewhere };
  const { restore: words } = io.texts;
  const question = `${words.risks(risks)} ${words.anyway}`;
  await demandYes(io, question, new ReceiptdError('CONFIRMATION_NEEDED.restore', risks));
}

/** Null if there is no ledger here, or if the backup may contain all of it. */
function riskHere(
  { head }: BackupSource,
  config: Config,
  relation: Relation,
  older: boolean,
): RestoreRisks['here'] {
  if (relation === 'earlier' && older) return { ledger: 'older', ...newerHere(config, head, null) };
  if (relation === 'earlier') return { ledger: 'earlier' };
  if (relation === 'other') return { ledger: 'other', accepted: acceptedHere(config) };
  return relation === 'diverged' && older ? { ledger: 'diverged' } : null;
}

async function riskElsewhere(file: string, source: BackupSource): Promise<RestoreRisks['elsewhere']> {
  const before = (await restoredAt(file)).at(-1);
  if (before !== undefined) return { what: 'restored', ...before };
  if (source.kind === 'ledger') return { what: 'ledgerAlone' };
  const { final, host, at, waiting } = source.manifest;
  return final ? null : { what: 'backup', host, at, waiting };
}

/** Adds to a failed restore how to reopen the old PC, if it was closed for the move; in the language of the terminal. */
async function withWayBack(
  io: Io,
  error: ReceiptdError,
  source: BackupSource | null,
): Promise<ReceiptdError> {
  if (error.code === 'CONFIRMATION_NEEDED' || source?.kind === 'ledger') return error;
  const { final, host } = source?.manifest ?? { final: null, host: '' };
  // A closed PC already says how to reopen it.
  if (final === false || error.code === 'STATE_MOVED') return error;
  const texts = await textsOf(io);
  const way = new ReceiptdError('STATE_MOVED.otherPc', { host: final ? host : null });
  const said = { code: error.code, message: errorWords(texts, error), hint: errorWords(texts, way) };
  return new ReceiptdError(said, { cause: error });
}
