import picomatch from 'picomatch';
import { nameOf } from './folderPath.ts';

/** What the configured patterns say of one path, without regard to its parent directories. */
export interface PathFilter {
  ignores(path: string): boolean;
  includes(path: string): boolean;
}

// `s`: a name may contain a newline. `i`: scanners write SCAN.JPG, admins write *.jpg.
const OPTIONS = { dot: true, flags: 'is' };

/**
 * Patterns with a slash match the path from the folder on; those without match a name at any depth, and as an
 * ignore pattern the name of a directory too. Case and Unicode form make no difference. No `include`: every file.
 */
export function createPathFilter(include: readonly string[], ignore: readonly string[]): PathFilter {
  const included = matcher(include);
  const ignored = matcher(ignore);
  return { ignores: ignored, includes: include.length === 0 ? () => true : included };
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  // 'thumbs/' and '/thumbs/*' are how people write "the directory" and "from here on".
  const trimmed = patterns.map((pattern) => pattern.normalize('NFC').replace(/(?<=.)\/+$/, ''));
  const anchored = trimmed.filter((pattern) => pattern.includes('/'));
  const matchesPath = picomatch(
    anchored.map((pattern) => pattern.replace(/^\/+/, '')),
    OPTIONS,
  );
  const matchesName = picomatch(
    trimmed.filter((pattern) => !pattern.includes('/')),
    OPTIONS,
  );
  return (path) =>
    matchesName(nameOf(path).normalize('NFC')) || (anchored.length > 0 && matchesPath(path.normalize('NFC')));
}
