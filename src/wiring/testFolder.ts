import type { FolderConfig } from '../config/config.ts';
import { readConfig } from '../config/load.ts';
import { pathsOf, resolvePath } from '../config/resolve.ts';
import type { SettingFinding as Told, Request, Response } from '../control/protocol/protocol.ts';
import { ReceiptdError, saidBy } from '../core/domain/errors.ts';
import { codeOf, failure, FOLDER_FINDINGS, type Finding } from '../core/domain/finding.ts';
import { isOfSettings } from '../core/domain/invalidSettings.ts';
import { local } from '../core/domain/words.ts';
import english from '../texts/en.ts';
import { findingWords } from '../texts/explain.ts';
import { formatOf } from '../texts/format.ts';
import { foreseeSome } from '../intake/dryRun.ts';
import type { FolderAvailability, WatchedFolder } from '../core/ports/folder.ts';
import { awayFinding, checkFolder } from './checkFolder.ts';
import { composeFolders } from './folders.ts';
import type { Running } from './generation.ts';
import type { ProcessScope } from './processScope.ts';
import { BY_CONSOLE, type Settings } from './settings.ts';
import type { SettingsInEffect } from './settingsInEffect.ts';
import { shown, within } from '../core/domain/why.ts';

type AwayFolder = Exclude<FolderAvailability, { readonly state: 'present' }>;

const SAMPLES = 10;
/** Time limit for counting files. */
const COUNTING_MS = 5_000;

interface Deps {
  readonly settings: Settings;
  readonly lasting: ProcessScope;
  readonly current: () => Running;
}

/** Tests whether a folder can be watched, and how its files would be named. Changes and records nothing. */
export async function testFolder(request: Request<'testFolder'>, how: Deps): Promise<Response<'testFolder'>> {
  const { settings, lasting, current } = how;
  const { config: inEffect, context } = settings.inEffect;
  const path = resolvePath(request.path, pathsOf(context.platform).dirname(inEffect.file), context);
  const answer = { path, findings: [] as Told[], fileSystem: null, mode: null, files: null, samples: [] };
  const read = folderOf(path, request.settings, settings.inEffect);
  if ('findings' in read) return { ...answer, findings: read.findings };
  const { folder: wanted, config } = read;
  if (request.by === BY_CONSOLE) await settings.refuseBeyondConsole(wanted);
  const folder = composeFolders(config, undefined, lasting.guards)(path);
  const found = await folder.availability();
  if (found.state !== 'present') {
    return { ...answer, findings: [toldOf(away(path, found))] };
  }
  const isPolled = wanted.watch === 'poll' || found.fileSystem.network;
  const watched = current().intakeOf(path)?.status.mode;
  const looked = {
    ...answer,
    fileSystem: found.fileSystem.name,
    mode: isPolled ? ('polled' as const) : (watched ?? ('events' as const)),
  };
  try {
    const findings = await lasting.guards.over(path).run(() => checkFolder(wanted));
    const { count, newest } = await lookThrough(folder);
    const seen = new Map<string, string>();
    const { clock, ledger: reports, inspector, host } = lasting;
    const samples: Response<'testFolder'>['samples'] = [];
    const deps = { folder, settings: wanted, reports, inspector, clock, host, seen };
    for await (const { would, name, path: at, why } of foreseeSome(newest, deps)) {
      const isSent = would === 'send';
      const known = would === 'nothing' && name !== null ? ({ is: 'alreadyKnown', name } as const) : why;
      const { message, fact } = shown(known);
      samples.push({ file: at, would, name: isSent ? name : null, why: message, fact });
    }
    return {
      ...looked,
      findings: [
        ...findings.map(toldOf),
        ...(count === null ? [toldOf({ level: 'warn', subject: path, fact: { is: 'tooMany' } })] : []),
      ],
      files: count,
      samples,
    };
  } catch (error) {
    const now = await folder.availability();
    const found = now.state === 'present' ? awayFinding(path, 'unreadable', saidBy(error)) : away(path, now);
    return { ...looked, findings: [toldOf(found)] };
  }
}

function away(path: string, { state, why }: AwayFolder): Finding {
  return awayFinding(path, state, within(why));
}

/** In English, with the facts for other languages. */
function toldOf({ level, fact }: Finding): Told {
  const kind = codeOf({ fact }) ?? FOLDER_FINDINGS.find((each) => each === fact.is);
  return {
    level,
    message: findingWords(english(formatOf('en', local)), { fact }),
    ...(kind !== undefined && { kind }),
    ...('count' in fact && { count: fact.count }),
    fact,
  };
}

/** The folder with the given or its configured settings; or the problem with them. */
function folderOf(
  path: string,
  given: Request<'testFolder'>['settings'],
  { config: current, data: parsed, context }: SettingsInEffect,
) {
  const { file } = current;
  const configured = current.folders.find((folder) => folder.path === path);
  if (given === undefined && configured) return { folder: configured, config: current };
  const data = Object(parsed) as { folders: readonly object[] };
  const others = data.folders.filter((_, index) => current.folders[index]?.path !== path);
  const text = JSON.stringify({ ...data, folders: [...others, { ...given, path }] });
  try {
    const { config } = readConfig(text, file, context);
    const folder = config.folders.at(-1) as FolderConfig;
    return { folder, config: { stateDir: current.stateDir, folders: config.folders } };
  } catch (error) {
    if (!isOfSettings(error)) return { findings: [toldOf(failure(path, error))] };
    // Without the line numbers: they refer to a text that nobody has seen.
    const each = error.params.problems.map(
      (problem) => new ReceiptdError(error.key, { file: null, problems: [problem] }),
    );
    return { findings: each.map((its) => toldOf(failure(path, its))) };
  }
}

/** Counts the files (null: too many), and finds the newest of those seen. */
export async function lookThrough(folder: WatchedFolder) {
  const until = AbortSignal.timeout(COUNTING_MS);
  let count = 0;
  let newest: { readonly path: string; readonly at: bigint }[] = [];
  try {
    for await (const { dir, files } of folder.list('', until)) {
      count += files.length;
      const names = files.map(({ path }) => path.slice(dir === '' ? 0 : dir.length + 1));
      for (const [index, stat] of (await folder.statEach(dir, names)).entries()) {
        const path = files[index]?.path;
        if (stat?.kind === 'file' && path !== undefined) newest.push({ path, at: stat.identity.mtimeNs });
      }
      newest = newest.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, SAMPLES);
      until.throwIfAborted();
    }
    return { count, newest };
  } catch (error) {
    if (!until.aborted) throw error;
    return { count: null, newest };
  }
}
