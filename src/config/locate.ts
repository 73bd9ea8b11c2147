import { stat } from 'node:fs/promises';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { says, type Said } from '../core/domain/setupWords.ts';
import type { LoadContext, Surroundings } from './config.ts';
import { machineConfigDir, pathsOf, resolvePath, xdg } from './resolve.ts';

/**
 * Absolute path of the config file: only `explicit` (--config) or $RECEIPTD_CONFIG if one is given, else the first existing
 * one of `candidates`. A file whose existence can't be determined counts as existing, except in a current directory or the machine's
 * directory that is closed to this user, as the Debian package's is: those belong to others.
 * @throws ReceiptdError CONFIG_NOT_FOUND, listing the places searched
 */
export async function findConfig(explicit: string | undefined, surroundings: Surroundings): Promise<string> {
  const chosen = chosenFile(explicit, surroundings);
  const places = chosen === undefined ? candidates(surroundings) : [chosen];
  if (chosen === undefined) {
    const found = await firstThere(places, surroundings);
    if (found !== null) return found;
  } else if (await isThere(chosen)) return chosen;
  const closed = chosen === undefined ? await closedTo(surroundings) : null;
  throw chosen === undefined
    ? new ReceiptdError('CONFIG_NOT_FOUND.anywhere', {
        places,
        closed,
        isWindows: process.platform === 'win32',
      })
    : new ReceiptdError('CONFIG_NOT_FOUND.chosen', { path: chosen, isOption: explicit !== undefined });
}

export interface ConfigPlace {
  /** Absolute. */
  readonly file: string;
  readonly exists: boolean;
  /** Why this file was chosen, for people. */
  readonly why: Said;
}

/**
 * The config file that setup writes: the one that commands would find, else a new one. The new file is machine-wide for root and,
 * on Windows, with `forService`, because a machine-wide service can't read user profiles; otherwise it belongs to the user.
 */
export async function placeForConfig(
  explicit: string | undefined,
  surroundings: LoadContext,
  forService = false,
): Promise<ConfigPlace> {
  const file = chosenFile(explicit, surroundings);
  if (file !== undefined) {
    const why = says(explicit === undefined ? 'config.byVariable' : 'config.byOption');
    return { file, exists: await isThere(file), why };
  }
  const places = candidates(surroundings);
  const found = await firstThere(places, surroundings);
  if (found !== null) return { file: found, exists: true, why: says('config.found') };
  const [, user = '', machine = ''] = places;
  if (surroundings.isRoot) return { file: machine, exists: false, why: says('config.root') };
  if (surroundings.platform !== 'win32') return { file: user, exists: false, why: says('config.own') };
  return forService
    ? { file: machine, exists: false, why: says('config.service') }
    : { file: user, exists: false, why: says('config.ownWindows', { machine }) };
}

/** Existing config files that commands would fall back to without `file`; null if they would not find `file` without --config. */
export async function shadowedBy(
  file: string,
  surroundings: Surroundings,
): Promise<readonly string[] | null> {
  const chosen = chosenFile(undefined, surroundings);
  if (chosen !== undefined) return chosen === file ? [] : null;
  const places = candidates(surroundings);
  const at = places.indexOf(file);
  if (at < 0) return null;
  const later: string[] = [];
  const closed = await closedTo(surroundings);
  for (const place of places.slice(at + 1))
    if ((closed === null || !place.startsWith(closed)) && (await isThere(place))) later.push(place);
  return later;
}

function chosenFile(explicit: string | undefined, surroundings: Surroundings): string | undefined {
  const chosen = explicit ?? (surroundings.env['RECEIPTD_CONFIG'] || undefined);
  return chosen === undefined ? undefined : resolvePath(chosen, surroundings.cwd, surroundings);
}

function candidates({ env, platform, home, cwd }: Surroundings): string[] {
  const paths = pathsOf(platform);
  const name = 'receiptd.yaml';
  const here = paths.resolve(cwd, name);
  const user =
    platform === 'win32'
      ? env['APPDATA'] || paths.join(home, 'AppData', 'Roaming')
      : (xdg(env['XDG_CONFIG_HOME']) ?? paths.join(home, '.config'));
  const machine = machineConfigDir({ env, platform });
  return [here, paths.join(user, 'receiptd', name), paths.join(machine, name)];
}

/**
 * The first of `candidates` that exists. The current directory does not count if it is closed to this user, as root's home is to a
 * command that root runs as the service's user; nor does the machine's.
 */
async function firstThere(places: readonly string[], surroundings: Surroundings): Promise<string | null> {
  const [here = '', user = '', machine = ''] = places;
  if (!(await isClosed(surroundings.cwd)) && (await isThere(here))) return here;
  if (await isThere(user)) return user;
  return (await closedTo(surroundings)) === null && (await isThere(machine)) ? machine : null;
}

/** The machine's configuration directory, if this user may not enter it; otherwise null. */
async function closedTo({ env, platform }: Surroundings): Promise<string | null> {
  const directory = machineConfigDir({ env, platform });
  return (await isClosed(directory)) ? directory : null;
}

async function isClosed(directory: string): Promise<boolean> {
  return stat(`${directory}/.`).then(
    () => false,
    (error: unknown) => systemCode(error) === 'EACCES',
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
