import { posix } from 'node:path';

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
