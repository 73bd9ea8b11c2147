import type { FolderConfig } from '../config/config.ts';
import { readConfig } from '../config/load.ts';
import { pathsOf, resolvePath } from '../config/resolve.ts';
import type { Finding as Told, Request, Response } from '../control/protocol/protocol.ts';
import { messageOf, ReceiptdError } from '../core/domain/errors.ts';
import { foreseeSome } from '../intake/dryRun.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import { checkFolder } from './checkFolder.ts';
import { composeFolders, guardOver } from './folders.ts';
import type { Running } from './generation.ts';
import type { ProcessScope } from './processScope.ts';
import { BY_CONSOLE, type Settings } from './settings.ts';
import type { SettingsInEffect } from './settingsInEffect.ts';

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
    const level = found.state === 'missing' ? 'warn' : 'fail';
    const meanwhile = found.state === 'missing' ? ' The agent waits for it.' : '';
    const kind = found.state === 'missing' ? ('awaited' as const) : AWAY[found.state];
    return { ...answer, findings: [{ level, kind, message: found.message + meanwhile }] };
  }
  const isPolled = wanted.watch === 'poll' || found.fileSystem.network;
  const watched = current().intakeOf(path)?.status.mode;
  const looked = {
    ...answer,
    fileSystem: found.fileSystem.name,
    mode: isPolled ? ('polled' as const) : (watched ?? ('events' as const)),
  };
  try {
    const findings = await guardOver(path, lasting.guards).run(() => checkFolder(wanted));
    const { count, newest } = await lookThrough(folder);
    const seen = new Map<string, string>();
    const { clock, ledger: reports, inspector, host } = lasting;
    const samples: Response<'testFolder'>['samples'] = [];
    const deps = { folder, settings: wanted, reports, inspector, clock, host, seen };
    for await (const { would, name, path: at, why } of foreseeSome(newest, deps)) {
      const isSent = would === 'send';
      const known = would === 'nothing' ? `It is already known, as ${name}.` : why;
      samples.push({ file: at, would, name: isSent ? name : null, why: known });
    }
    return {
      ...looked,
      findings: [
        ...findings.map(({ level, message, kind, count: about }) => ({
          level,
          message,
          ...(kind !== undefined && { kind }),
          ...(about !== undefined && { count: about }),
        })),
        ...(count === null ? [{ level: 'warn' as const, kind: 'tooMany' as const, message: TOO_MANY }] : []),
      ],
      files: count,
      samples,
    };
  } catch (error) {
    return {
      ...looked,
      findings: [{ level: 'fail', kind: 'FOLDER_UNREADABLE', message: await whyNot(folder, error) }],
    };
  }
}

const AWAY = {
  notADirectory: 'FOLDER_NOT_A_DIRECTORY',
  unreadable: 'FOLDER_UNREADABLE',
  unreachable: 'FOLDER_UNREACHABLE',
} as const;

const TOO_MANY = 'It contains too many files to count. The newest may not be among the samples.';

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
    if (!(error instanceof ReceiptdError)) throw error;
    // Drops the line numbers: they refer to a text that nobody has seen.
    const lines = error.message
      .split('\n')
      .map((line) => line.replace(`${file}:`, '').replace(/^\d+:\d+: /, ''));
    return {
      findings: lines.map((message): Told => ({
        level: 'fail',
        kind: error.code,
        message: `${message} [${error.code}]`,
      })),
    };
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

async function whyNot(folder: WatchedFolder, error: unknown): Promise<string> {
  const found = await folder.availability();
  if (found.state !== 'present') return found.message;
  return `It could not be searched: ${messageOf(error)}.`;
}
