import { stat } from 'node:fs/promises';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { says, type Said } from '../core/domain/setupWords.ts';
import type { LoadContext, Surroundings } from './config.ts';
import { machineConfigDir, pathsOf, resolvePath, xdg } from './resolve.ts';

/**
 * Absolute path of the config file: `explicit` (--config) or $RECEIPTD_CONFIG if given, and then no other; else
 * the first that is there of those that `candidates` lists. One that can't be looked at counts as there.
 * @throws ReceiptdError CONFIG_NOT_FOUND, with the places that were looked at
 */
export async function findConfig(explicit: string | undefined, surroundings: Surroundings): Promise<string> {
  const chosen = explicit ?? (surroundings.env['RECEIPTD_CONFIG'] || undefined);
  const places =
    chosen === undefined ? candidates(surroundings) : [resolvePath(chosen, surroundings.cwd, surroundings)];
  for (const place of places) if (await isThere(place)) return place;
  const named = explicit === undefined ? 'RECEIPTD_CONFIG names' : '--config names';
  throw new ReceiptdError(
    'CONFIG_NOT_FOUND',
    chosen === undefined
      ? `No config file found. Looked for ${places.join(', ')}.`
      : `The config file ${places.join()} does not exist (${named} it).`,
    {
      hint: 'Run `receiptd setup` to create one, or use --config to choose another.',
    },
  );
}

export interface ConfigPlace {
  /** Absolute. */
  readonly file: string;
  readonly exists: boolean;
  /** Why it is this one, for people. */
  readonly why: Said;
}

/**
 * The config file that set-up writes: the one that commands would find, else a new one: the machine's for root and, on Windows, `forService`
 * of the machine, which can read nothing in a profile; the user's for anybody else.
 */
export async function placeForConfig(
  explicit: string | undefined,
  surroundings: LoadContext,
  forService = false,
): Promise<ConfigPlace> {
  const chosen = explicit ?? (surroundings.env['RECEIPTD_CONFIG'] || undefined);
  if (chosen !== undefined) {
    const file = resolvePath(chosen, surroundings.cwd, surroundings);
    const why = says(explicit === undefined ? 'config.byVariable' : 'config.byOption');
    return { file, exists: await isThere(file), why };
  }
  const places = candidates(surroundings);
  for (const file of places)
    if (await isThere(file)) return { file, exists: true, why: says('config.found') };
  const [, user = '', machine = ''] = places;
  if (surroundings.isRoot) return { file: machine, exists: false, why: says('config.root') };
  if (surroundings.platform !== 'win32') return { file: user, exists: false, why: says('config.own') };
  return forService
    ? { file: machine, exists: false, why: says('config.service') }
    : { file: user, exists: false, why: says('config.ownWindows', { machine }) };
}

/** The config files that commands would use in this directory if `file` were not there; null if they don't find `file` by themselves. */
export async function shadowedBy(
  file: string,
  surroundings: Surroundings,
): Promise<readonly string[] | null> {
  const chosen = surroundings.env['RECEIPTD_CONFIG'];
  if (chosen) return resolvePath(chosen, surroundings.cwd, surroundings) === file ? [] : null;
  const places = candidates(surroundings);
  const at = places.indexOf(file);
  if (at < 0) return null;
  const later: string[] = [];
  for (const place of places.slice(at + 1)) if (await isThere(place)) later.push(place);
  return later;
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

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
