import { isAbsolute, posix, relative, sep } from 'node:path';

/** Directory of a path relative to a watched folder, with `/` between segments; '' is the folder itself. */
export function dirOf(path: string): string {
  const dir = posix.dirname(path);
  return dir === '.' ? '' : dir;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function pathOf(dir: string, name: string): string {
  return dir === '' ? name : `${dir}/${name}`;
}

/** Converts an absolute path to one relative to the folder; null if it is not in the folder. */
export function relativeTo(folder: string, absolute: string): string | null {
  const path = relative(folder, absolute);
  const isOutside = path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return isOutside ? null : path.split(sep).join('/');
}
