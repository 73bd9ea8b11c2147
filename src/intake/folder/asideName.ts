import type { Random } from '../../ports/clock.ts';
import { nameOf, parentOf } from './folderPath.ts';

/** A directory of its own keeps the file's name as it is, so that one of 255 bytes fits too. */
export const ASIDE_PREFIX = '.receiptd-aside-';
const ASIDE_NAME = /^\.receiptd-aside-[0-9a-f]{8}$/;

export function isAsideName(name: string): boolean {
  return ASIDE_NAME.test(name);
}

export function newAsideName(random: Random): string {
  return ASIDE_PREFIX + randomHex(random);
}

/** Eight hexadecimal digits. */
export function randomHex(random: Random): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}

/** @throws TypeError for any other path: what is discarded must be what was set aside. */
export function asideDirectoryOf(aside: string): string {
  const directory = parentOf(aside);
  if (!isAsideName(nameOf(directory))) throw new TypeError(`Not an aside file: ${JSON.stringify(aside)}`);
  return directory;
}
