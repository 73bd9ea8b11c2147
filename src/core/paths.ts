import { isAbsolute, posix, relative, sep } from 'node:path';

/** Of paths relative to a watched folder, with `/` between segments; '' is the folder itself. */
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

/** Of an absolute path in that folder; null for one that is not in it. */
export function relativeTo(folder: string, absolute: string): string | null {
  const path = relative(folder, absolute);
  const isOutside = path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return isOutside ? null : path.split(sep).join('/');
}
