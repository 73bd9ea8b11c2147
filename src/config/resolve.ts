import { posix, win32 } from 'node:path';
import type { PlatformPath } from 'node:path';
import type { Surroundings } from './config.ts';

/** Path functions for a platform, which may differ from the current one. */
export function pathsOf(platform: NodeJS.Platform): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

/** Absolute, without trailing slash; expands `~`. Upper-cases drive letters, so that c: and C: are one folder in the ledger. */
export function resolvePath(text: string, from: string, { platform, home }: Surroundings): string {
  const paths = pathsOf(platform);
  const isHome = text === '~' || text.startsWith('~/') || (platform === 'win32' && text.startsWith('~\\'));
  const path = isHome ? paths.resolve(home, `.${paths.sep}${text.slice(2)}`) : paths.resolve(from, text);
  return platform === 'win32' ? path.replace(/^[a-z]:/, (drive) => drive.toUpperCase()) : path;
}

/** Directory of the machine-wide configuration. */
export function machineConfigDir({ env, platform }: Pick<Surroundings, 'env' | 'platform'>): string {
  return platform === 'win32'
    ? win32.join(env['PROGRAMDATA'] || 'C:\\ProgramData', 'receiptd')
    : '/etc/receiptd';
}

const MACHINE_STATE_DIR = '/var/lib/receiptd';

/**
 * In this order: RECEIPTD_STATE_DIR; the file's `stateDir`; the directory that systemd created for the unit; the machine-wide
 * one for root and for the machine-wide configuration, which all users share (one ledger, not one per user); the user's default.
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
    // In a subdirectory: it must be private, while everybody may read the configuration next to it.
    if (configDir.toLowerCase() === machineConfigDir(surroundings).toLowerCase())
      return paths.join(configDir, 'state');
    return paths.join(env['LOCALAPPDATA'] || paths.join(home, 'AppData', 'Local'), 'receiptd');
  }
  const ofUnit = env['STATE_DIRECTORY'];
  // Systemd separates several directories by colons; only a single one is used.
  if (ofUnit !== undefined && posix.isAbsolute(ofUnit) && !ofUnit.includes(':'))
    return posix.normalize(ofUnit);
  if (isRoot || configDir === machineConfigDir(surroundings)) return MACHINE_STATE_DIR;
  if (platform === 'darwin') return paths.join(home, 'Library', 'Application Support', 'receiptd');
  return paths.join(xdg(env['XDG_STATE_HOME']) ?? paths.join(home, '.local', 'state'), 'receiptd');
}

/** Ignores relative paths, as the XDG base directory specification requires. */
export function xdg(value: string | undefined): string | undefined {
  return value !== undefined && posix.isAbsolute(value) ? value : undefined;
}

/** Compares absolute paths; case-insensitive on Windows and macOS. */
export interface PathRelations {
  readonly same: (a: string, b: string) => boolean;
  /** Whether `inner` is below `outer`, at any depth, but not `outer` itself. */
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
