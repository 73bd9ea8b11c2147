import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ConfigKey } from '../config/change.ts';
import type { Config } from '../config/config.ts';
import { formFields } from '../config/forms.ts';
import { findConfig } from '../config/locate.ts';
import { pathsOf } from '../config/resolve.ts';
import { settingKey } from '../config/settings.ts';
import { showPath } from '../config/show.ts';
import { readYaml } from '../config/yamlSource.ts';
import { callIfRunning } from '../control/client.ts';
import type { ConfigEdit, Response } from '../control/protocol/protocol.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { Command } from './command.ts';
import { fitted, loadContext, print, printJson, printTable, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { printApplied, RELOAD_MS } from './reload.ts';
import { configOf, type JsonOption } from './session.ts';
import { edited, readBefore, writePlanned, type PlannedConfig } from './setup/plan.ts';
import type { Before } from './setup/wanted.ts';
import { table } from './table.ts';

/** Commands that change the configuration file: by the running agent if it may write the file, otherwise in this process. */
export function addSettings(program: Command, io: Io): void {
  const { help, option } = io.texts;
  program
    .command('set')
    .argument('<key>', help.set.key)
    .argument('[value]', help.set.value)
    .description(help.set.about)
    .option('--config <file>', option.config)
    .option('--folder <path>', help.set.folder)
    .option('--default', help.set.default)
    .option('--json', help.set.json)
    .explain({
      examples: [
        'set delivery.rate 30/min',
        'set silentAfter never --folder /srv/scans',
        'set delivery.rate --default',
      ],
    })
    .action((key: string, value: string | undefined, options: SetOptions) => set(io, key, value, options));

  const folder = program.command('folder').description(help.folder.about);
  const addChange = (name: string, about: string) => folder.command(name).description(about);
  addChange('add', help.folderAdd.about)
    .argument('<path>', help.folderAdd.path)
    .option('--config <file>', option.config)
    .option('--endpoint <alias>', help.folderAdd.endpoint)
    .option('--existing <what>', help.folderAdd.existing, 'skip')
    .option('--json', help.set.json)
    .explain({ examples: ['folder add /srv/scans', 'folder add /srv/old --endpoint office --existing send'] })
    .action((path: string, options: AddOptions) => add(io, path, options));
  addChange('replace', help.folderReplace.about)
    .argument('<path>', help.folderRemove.path)
    .argument('<folder>', help.folderAdd.path)
    .option('--config <file>', option.config)
    .option('--json', help.set.json)
    .explain({ examples: ['folder replace /srv/scans /srv/new'] })
    .action((path: string, by: string, options: JsonOption) =>
      change(io, options, (config) => [
        { kind: 'set', path: ['folders', indexOf(config, path), 'path'], value: resolve(by) },
      ]).then(() => sayIfMissing(io, by)),
    );
  addChange('list', help.folderList.about)
    .option('--config <file>', option.config)
    .option('--json', help.folderList.json)
    .explain({ examples: ['folder list'] })
    .action((options: JsonOption) => list(io, options));
  addChange('remove', help.folderRemove.about)
    .argument('<path>', help.folderRemove.path)
    .option('--config <file>', option.config)
    .option('--json', help.set.json)
    .explain({ examples: ['folder remove /srv/scans'] })
    .action((path: string, options: JsonOption) =>
      change(io, options, (config) => [{ kind: 'remove', path: ['folders', indexOf(config, path)] }]),
    );
}

interface SetOptions extends JsonOption {
  readonly folder?: string;
  readonly default?: boolean;
}

function set(io: Io, key: string, value: string | undefined, options: SetOptions): Promise<void> {
  if ((value === undefined) !== (options.default === true))
    throw new ReceiptdError('USAGE.valueOrDefault', { key });
  return change(io, options, (config) => {
    const within: ConfigKey[] =
      options.folder === undefined ? [] : ['folders', indexOf(config, options.folder)];
    const path = [...within, ...pathOf(key)];
    return [
      value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: valueOf(path, value) },
    ];
  });
}

interface AddOptions extends JsonOption {
  readonly endpoint?: string;
  readonly existing: string;
}

async function list(io: Io, options: JsonOption): Promise<void> {
  const { folders } = await configOf(io, options);
  const rows = folders.map(({ path, alias, existing }) => ({
    path,
    endpoint: alias,
    existing: existing.kind === 'since' ? `since ${existing.text}` : existing.kind,
  }));
  if (options.json) return printJson(io, rows);
  const { folder, endpoint, existing } = io.texts.settings.columns;
  const cells = rows.map((row) => [escapeUnsafe(row.path), escapeUnsafe(row.endpoint), row.existing]);
  printTable(io, table([folder, endpoint, existing], cells));
}

/** A folder that was mistyped would be waited for without a word. */
async function sayIfMissing(io: Io, path: string): Promise<void> {
  const isMissing = await stat(resolve(path)).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT',
  );
  if (!isMissing) return;
  const said = io.texts.settings.missing(escapeUnsafe(resolve(path)));
  io.stderr.write(`${fitted(io.stderr, said)}\n`);
}

async function add(io: Io, path: string, { endpoint, existing, ...options }: AddOptions): Promise<void> {
  await change(io, options, ({ endpoints }) => {
    const known = endpoints.map(({ alias }) => alias);
    const alias = endpoint ?? (known.length === 1 ? known[0] : undefined);
    if (alias === undefined) throw new ReceiptdError('USAGE.whichEndpoint', { option: '--endpoint', known });
    return [{ kind: 'append', path: ['folders'], value: { path: resolve(path), endpoint: alias, existing } }];
  });
  await sayIfMissing(io, path);
}

/** `folders[0].settle.long` as steps. */
function pathOf(key: string): ConfigKey[] {
  const steps = key.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

type Value = Extract<ConfigEdit, { kind: 'set' }>['value'];

/** Texts as they are typed; everything else as in the file. */
function valueOf(path: readonly ConfigKey[], typed: string): Value {
  const key = settingKey(path);
  const kind = formFields().find((field) => field.key === key)?.kind;
  if (kind === 'text' || kind === 'choice' || kind === 'since') return typed;
  // What a YAML document holds is plain data.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return readYaml(typed, showPath(path)).data as Value;
}

/** @throws ReceiptdError USAGE if no folder of the configuration has this path */
function indexOf({ folders }: Config, path: string): number {
  const known = folders.map((each) => each.path);
  const index = [path, resolve(path)].map((each) => known.indexOf(each)).find((each) => each >= 0);
  if (index === undefined) throw new ReceiptdError('USAGE.noSuchFolder', { path, known });
  return index;
}

async function change(io: Io, options: JsonOption, editsOf: (config: Config) => ConfigEdit[]): Promise<void> {
  const context = loadContext(io);
  const file = pathsOf(context.platform).resolve(context.cwd, await findConfig(options.config, context));
  const before = await readBefore(file, context);
  const edits = editsOf(before.config);
  const planned = edited(before.text, edits, file, context);
  const isChanged = planned.text !== before.text;
  const applied = isChanged ? await apply(io, { file, before, planned, edits }) : null;
  const changed = isChanged ? edits.map(({ path }) => showPath(path)) : [];
  if (options.json) return printJson(io, { file, changed, restartNeeded: applied?.restartNeeded ?? [] });
  const { settings: words } = io.texts;
  if (!isChanged) return print(io, words.unchanged(escapeUnsafe(file)));
  print(io, words.written(changed.map(escapeUnsafe), escapeUnsafe(file)));
  if (applied === null) print(io, words.notRunning);
  else await printApplied(io, applied);
}

interface Change {
  readonly file: string;
  readonly before: Before;
  readonly planned: PlannedConfig;
  readonly edits: ConfigEdit[];
}

/** What the running agent says; null if none runs. */
async function apply(
  io: Io,
  { file, before, planned, edits }: Change,
): Promise<Response<'changeConfig'> | null> {
  const { revision } = before;
  const { stateDir } = before.config;
  const how = { signal: io.stop, timeoutMs: RELOAD_MS };
  const running = await callIfRunning(stateDir, 'config', {}, how);
  if (running?.writable && running.file === file)
    return callIfRunning(stateDir, 'changeConfig', { revision, edits, by: operatorName() }, how);
  // Commands would no longer find it, and a second agent would send everything again.
  if (running !== null && planned.config.stateDir !== stateDir)
    throw new ReceiptdError('CONFIG_INVALID.stateDirWhileRunning');
  await writePlanned({ place: { file }, before }, planned, new Date());
  return running && callIfRunning(stateDir, 'reload', {}, how);
}
