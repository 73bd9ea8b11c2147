import { posix, win32 } from 'node:path';
import type { PlatformPath } from 'node:path';
import type { Surroundings } from './config.ts';

/** The path rules of a platform, which is not always the one that runs this. */
export function pathsOf(platform: NodeJS.Platform): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

/** Absolute, without a trailing slash; `~` is the user's home. The letter of a drive is upper case: c: and C: are one folder in the ledger. */
export function resolvePath(text: string, from: string, { platform, home }: Surroundings): string {
  const paths = pathsOf(platform);
  const isHome = text === '~' || text.startsWith('~/') || (platform === 'win32' && text.startsWith('~\\'));
  const path = isHome ? paths.resolve(home, `.${paths.sep}${text.slice(2)}`) : paths.resolve(from, text);
  return platform === 'win32' ? path.replace(/^[a-z]:/, (drive) => drive.toUpperCase()) : path;
}

/** Where a configuration is the machine's. */
export function machineConfigDir({ env, platform }: Pick<Surroundings, 'env' | 'platform'>): string {
  return platform === 'win32'
    ? win32.join(env['PROGRAMDATA'] || 'C:\\ProgramData', 'receiptd')
    : '/etc/receiptd';
}

const MACHINE_STATE_DIR = '/var/lib/receiptd';

/**
 * RECEIPTD_STATE_DIR, else what the file says, else what systemd made for its unit, else the machine's for root and for a
 * configuration of the machine, no matter who asks (one ledger, not one for each user), else where the platform keeps such things.
 */
export function resolveStateDir(
  fromFile: string | undefined,
  configDir: string,
  isRoot: boolean,
  surroundings: Surroundings,
): string {
  const { env, platform, home, cwd } = surroundings;
  const paths = pathsOf(platform);
  if (env['RECEIPTD_STATE_DIR']) return resolvePath(env['RECEIPTD_STATE_DIR'], cwd, surroundings);
  if (fromFile !== undefined) return resolvePath(fromFile, configDir, surroundings);
  if (platform === 'win32') {
    // Beside a configuration of the machine, in a directory that can be closed while everybody may read that.
    if (configDir.toLowerCase() === machineConfigDir(surroundings).toLowerCase())
      return paths.join(configDir, 'state');
    return paths.join(env['LOCALAPPDATA'] || paths.join(home, 'AppData', 'Local'), 'receiptd');
  }
  const ofUnit = env['STATE_DIRECTORY'];
  // Several would be separated by colons.
  if (ofUnit !== undefined && posix.isAbsolute(ofUnit) && !ofUnit.includes(':'))
    return posix.normalize(ofUnit);
  if (isRoot || configDir === machineConfigDir(surroundings)) return MACHINE_STATE_DIR;
  if (platform === 'darwin') return paths.join(home, 'Library', 'Application Support', 'receiptd');
  return paths.join(xdg(env['XDG_STATE_HOME']) ?? paths.join(home, '.local', 'state'), 'receiptd');
}

/** The XDG base directory specification has relative paths ignored. */
export function xdg(value: string | undefined): string | undefined {
  return value !== undefined && posix.isAbsolute(value) ? value : undefined;
}

/** How two absolute paths lie to each other: upper and lower case are one on Windows and macOS. */
export interface PathRelations {
  readonly same: (a: string, b: string) => boolean;
  /** Whether `inner` lies in `outer`, at any depth, and is not `outer`. */
  readonly within: (inner: string, outer: string) => boolean;
}

export function pathRelations(platform: NodeJS.Platform): PathRelations {
  const paths = pathsOf(platform);
  const fold = (path: string): string => {
    const absolute = paths.resolve(path);
    return platform === 'win32' || platform === 'darwin' ? absolute.normalize('NFC').toLowerCase() : absolute;
  };
  return {
    same: (a, b) => fold(a) === fold(b),
    within: (inner, outer) => {
      const way = paths.relative(fold(outer), fold(inner));
      return way !== '' && way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way);
    },
  };
}
