import { isDeepStrictEqual } from 'node:util';
import type { Config, LoadContext } from './config.ts';
import { readConfig, type ReadConfig } from './load.ts';
import type { ParsedConfig } from './schema.ts';
import { showPath } from './show.ts';

/** What a running agent does with a text: what is in effect then, and what has to wait for the next start. */
export interface LiveConfig extends ReadConfig {
  readonly config: Config;
  /** Keys whose values in the file are not those that are in effect. */
  readonly restartNeeded: readonly string[];
}

/** Beside `stateDir`: what is opened once, when the process starts. */
const AT_START = [
  'ledger.kind',
  'ledger.url',
  'ledger.passwordFile',
  'ledger.ca',
  'ledger.allowInsecure',
  'ledger.agent',
  'ledger.lease',
  'log.level',
  'log.maxSize',
  'log.maxFiles',
  'storage.reserve',
  'storage.backupEvery',
  'storage.backups',
  'control.group',
];

/**
 * As `readConfig`, with everything that is taken at the start of the process as it was then. `start` is the configuration
 * of that time; null at the start itself.
 */
export function readLiveConfig(
  text: string,
  file: string,
  context: LoadContext,
  start: ReadConfig | null,
): LiveConfig {
  const asWritten = readConfig(text, file, context);
  if (start === null) return { ...asWritten, restartNeeded: [] };
  const { stateDir, control, ledger, log, storage } = start.config;
  // What lies in the state directory unless told otherwise stays there too.
  const pinned = { ...context, env: { ...context.env, RECEIPTD_STATE_DIR: stateDir } };
  const live = asWritten.config.stateDir === stateDir ? asWritten : readConfig(text, file, pinned);
  const { reserve, backupEveryMs, backups } = storage;
  const others = AT_START.filter((key) => at(asWritten.parsed, key) !== at(start.parsed, key));
  const shares = sharesSince(start, live);
  return {
    data: asWritten.data,
    parsed: {
      ...live.parsed,
      stateDir: start.parsed.stateDir,
      folders: shares.kept.map(({ parsed }) => parsed),
      ledger: start.parsed.ledger,
      control: start.parsed.control,
      log: start.parsed.log,
      storage: {
        ...live.parsed.storage,
        reserve: start.parsed.storage.reserve,
        backupEvery: start.parsed.storage.backupEvery,
        backups: start.parsed.storage.backups,
      },
    },
    config: {
      ...live.config,
      folders: shares.kept.map(({ config }) => config),
      ledger,
      control,
      log,
      storage: { ...live.config.storage, reserve, backupEveryMs, backups },
    },
    restartNeeded: [
      ...(asWritten.config.stateDir === stateDir ? [] : ['stateDir']),
      ...shares.changed,
      ...others,
    ],
  };
}

/**
 * The folders that are in effect. Which of them are shared, and under which name, is decided at the start: one that got a share
 * since keeps what it had, and a new one with a share is not watched yet, since its files would be taken for this agent's alone.
 */
function sharesSince(start: ReadConfig, live: ReadConfig) {
  const before = new Map(start.config.folders.map(({ path, share }) => [path, share]));
  const changed: string[] = [];
  const kept = live.config.folders.flatMap((config, index) => {
    const parsed = live.parsed.folders[index];
    if (parsed === undefined) return [];
    const share = before.get(config.path) ?? null;
    if (config.share === share) return [{ config, parsed }];
    changed.push(showPath(['folders', index, 'share']));
    if (!before.has(config.path)) return [];
    return [{ config: { ...config, share }, parsed: { ...parsed, share: share ?? 'none' } }];
  });
  return { kept, changed };
}

/** Two levels deep: `delivery.rate`, `folders[1]`. */
export function changedKeys(from: ParsedConfig, to: ParsedConfig): string[] {
  return differences({ ...from }, { ...to }, []);
}

function differences(from: unknown, to: unknown, path: readonly (string | number)[]): string[] {
  if (isDeepStrictEqual(from, to)) return [];
  const isDeep =
    path.length < 2 && typeof from === 'object' && typeof to === 'object' && from !== null && to !== null;
  if (!isDeep) return [showPath(path)];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) =>
    differences(Reflect.get(from, key), Reflect.get(to, key), [
      ...path,
      Array.isArray(from) || Array.isArray(to) ? Number(key) : key,
    ]),
  );
}

function at(parsed: ParsedConfig, key: string): unknown {
  return key.split('.').reduce<unknown>((value, part) => Reflect.get(Object(value), part), parsed);
}
