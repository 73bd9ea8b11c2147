import type { Random } from '../../core/ports/clock.ts';
import { nameOf, parentOf } from './folderPath.ts';

/** Each aside file keeps its name, in a directory of its own: names of 255 bytes leave no room for a suffix. */
export const ASIDE_PREFIX = '.receiptd-aside-';
const ASIDE_NAME = /^\.receiptd-aside-[0-9a-f]{8}$/;

/** Directory in an archive for an unfinished copy; ends in the number of the aside directory. */
const INCOMING_PREFIX = '.receiptd-incoming-';
const INCOMING_NAME = /^\.receiptd-incoming-[0-9a-f]{8}$/;

export function isAsideName(name: string): boolean {
  return ASIDE_NAME.test(name);
}

export function isIncomingName(name: string): boolean {
  return INCOMING_NAME.test(name);
}

export function newAsideName(random: Random): string {
  return ASIDE_PREFIX + randomHex(random);
}

/** Derived from the aside file, so that a copy left by a crash can be attributed to it. */
export function incomingNameOf(aside: string): string {
  return INCOMING_PREFIX + nameOf(asideDirectoryOf(aside)).slice(ASIDE_PREFIX.length);
}

/** Eight hexadecimal digits. */
export function randomHex(random: Random): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}

/** @throws TypeError for any other path, so that only aside files can be discarded */
export function asideDirectoryOf(aside: string): string {
  const directory = parentOf(aside);
  if (!isAsideName(nameOf(directory))) throw new TypeError(`Not an aside file: ${JSON.stringify(aside)}`);
  return directory;
}
