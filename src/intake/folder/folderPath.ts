import { isAbsolute, join, relative, sep } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';

const FORBIDDEN = new Set(['', '.', '..']);

/** Makes a path in the folder absolute; '' is the folder itself. @throws TypeError for a path that leads outside */
export function inside(folder: string, path: string): string {
  if (path === '') return folder;
  const segments = path.split('/');
  const foreign = process.platform === 'win32' && /[\\:]/.test(path);
  if (foreign || segments.some((segment) => FORBIDDEN.has(segment))) {
    throw new TypeError(`Not a path inside a watched folder: ${JSON.stringify(path)}`);
  }
  return join(folder, ...segments);
}

export function joinPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** 'a/b/c' gives 'a', 'a/b', 'a/b/c'. */
export function prefixesOf(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** Path of `absolute` below `base`, with `/`; null if it is not below it. */
export function below(base: string, absolute: string): string | null {
  const path = relative(base, absolute);
  const isOutside = path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return isOutside ? null : path.split(sep).join('/');
}

/** Whether an error means that the path, or a directory on the way to it, does not exist. */
export function isAbsent(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
