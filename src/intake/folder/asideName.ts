import type { Random } from '../../core/ports/clock.ts';
import { nameOf, parentOf } from './folderPath.ts';

/** A directory of its own keeps the file's name as it is, so that one of 255 bytes fits too. */
export const ASIDE_PREFIX = '.receiptd-aside-';
const ASIDE_NAME = /^\.receiptd-aside-[0-9a-f]{8}$/;

/** In an archive, a copy that is not whole yet; with the number of the aside directory that it comes from. */
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

/** What a kill left of a copy is so known for this aside file's, and for nobody else's. */
export function incomingNameOf(aside: string): string {
  return INCOMING_PREFIX + nameOf(asideDirectoryOf(aside)).slice(ASIDE_PREFIX.length);
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
