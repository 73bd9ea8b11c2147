import { isDeepStrictEqual } from 'node:util';
import type { Config, LoadContext } from './config.ts';
import { readConfig, type ReadConfig } from './load.ts';
import type { ParsedConfig } from './schema.ts';
import { showPath } from './show.ts';

/** The configuration that a running agent applies from a text, and the keys that wait for a restart. */
export interface LiveConfig extends ReadConfig {
  readonly config: Config;
  /** Keys whose values in the file are not in effect until a restart. */
  readonly restartNeeded: readonly string[];
}

/** Keys that, like `stateDir`, are read only once, when the process starts. */
export const AT_START: readonly string[] = [
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
 * Like `readConfig`, but keeps the values of `start` for keys that are only read at startup. `start` is the configuration
 * at startup; null during startup itself.
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
  // Defaults inside the state directory must keep pointing into the current one.
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
 * The folders in effect. Shares are fixed at startup: an existing folder keeps its old share, and a new folder with a
 * share is not watched until a restart, because its files would be recorded as belonging to this agent alone.
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

/** Keys that differ, at most two levels deep: `delivery.rate`, `folders[1]`. */
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
