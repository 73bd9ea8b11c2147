import { matcherOf } from '../../core/domain/globs.ts';
import { nameOf } from './folderPath.ts';

/** Matches one path against the configured patterns, regardless of its parent directories. */
export interface PathFilter {
  ignores(path: string): boolean;
  includes(path: string): boolean;
}

/**
 * Patterns with a slash match the path relative to the folder; others match a name at any depth, and as ignore
 * patterns also the name of a directory. Ignores case and Unicode normalization. An empty `include` admits every file.
 */
export function createPathFilter(include: readonly string[], ignore: readonly string[]): PathFilter {
  const included = matcher(include);
  const ignored = matcher(ignore);
  return { ignores: ignored, includes: include.length === 0 ? () => true : included };
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  // People write 'thumbs/' for a directory, and '/thumbs/*' for a path relative to the folder.
  const trimmed = patterns.map((pattern) => pattern.normalize('NFC').replace(/(?<=.)\/+$/, ''));
  const anchored = trimmed.filter((pattern) => pattern.includes('/'));
  const matchesPath = matcherOf(anchored.map((pattern) => pattern.replace(/^\/+/, '')));
  const matchesName = matcherOf(trimmed.filter((pattern) => !pattern.includes('/')));
  return (path) =>
    matchesName(nameOf(path).normalize('NFC')) || (anchored.length > 0 && matchesPath(path.normalize('NFC')));
}
