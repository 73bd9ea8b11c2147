import { isDeepStrictEqual } from 'node:util';
import { assemble } from './assemble.ts';
import type { LoadContext } from './config.ts';
import { draftOf } from './draft.ts';
import { readConfig, type ReadConfig } from './load.ts';
import type { ParsedConfig } from './schema.ts';
import { SETTINGS, valueOf, withEach } from './settings.ts';
import { showPath } from './show.ts';

/** The configuration that a running agent applies from a text, and the keys that wait for a restart. */
export interface LiveConfig extends ReadConfig {
  /** Keys whose values in the file are not in effect until a restart. */
  readonly restartNeeded: readonly string[];
}

/** Settings that are read only when the process starts. `stateDir` and shares have rules of their own. */
const AT_START = SETTINGS.filter(
  ({ applies, key }) => applies === 'start' && key !== 'stateDir' && key !== 'folders[].share',
);
/** Sections of which the services beside the agent take changes while it runs. */
const LIVE = new Set(
  SETTINGS.filter(({ applies }) => applies === 'live').map(({ path: [section] }) => section),
);

/** Whether a change concerns the agent too. */
export function isForAgent(from: ParsedConfig, to: ParsedConfig): boolean {
  const ofAgent = (config: ParsedConfig) =>
    Object.fromEntries(Object.entries(config).filter(([section]) => !LIVE.has(section)));
  return !isDeepStrictEqual(ofAgent(from), ofAgent(to));
}

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
  const { stateDir } = start.config;
  const isMoved = asWritten.config.stateDir !== stateDir;
  // Defaults inside the state directory must keep pointing into the current one.
  const pinned = { ...context, env: { ...context.env, RECEIPTD_STATE_DIR: stateDir } };
  if (isMoved) readConfig(text, file, pinned);
  const waiting = AT_START.filter(
    (setting) => !isDeepStrictEqual(valueOf(asWritten.parsed, setting), valueOf(start.parsed, setting)),
  );
  const parsed = AT_START.reduce(
    (now, setting) => withEach(now, setting.path, () => valueOf(start.parsed, setting)),
    { ...asWritten.parsed, stateDir: start.parsed.stateDir },
  );
  const config = assemble(parsed, draftOf(asWritten.data, file, pinned), file, pinned);
  const shares = sharesSince(start, { parsed, config });
  return {
    data: asWritten.data,
    parsed: { ...parsed, folders: shares.kept.map((each) => each.parsed) },
    config: { ...config, folders: shares.kept.map((each) => each.config) },
    restartNeeded: [...(isMoved ? ['stateDir'] : []), ...shares.changed, ...waiting.map(({ key }) => key)],
  };
}

/**
 * The folders in effect. Shares are fixed at startup: an existing folder keeps its old share, and a new folder with a
 * share is not watched until a restart, because its files would be recorded as belonging to this agent alone.
 */
function sharesSince(start: ReadConfig, live: Pick<ReadConfig, 'config' | 'parsed'>) {
  const before = new Map(start.config.folders.map(({ path, share }) => [path, share]));
  const changed: string[] = [];
  const kept = live.config.folders.flatMap((config, index) => {
    const parsed = live.parsed.folders[index];
    if (parsed === undefined) return [];
    const share = before.get(config.path) ?? null;
    if (config.share === share) return [{ config, parsed }];
    changed.push(showPath(['folders', index, 'share']));
    if (!before.has(config.path)) return [];
    return [{ config: { ...config, share }, parsed: { ...parsed, share } }];
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
