import { extname } from 'node:path';
import { systemError } from '../../core/domain/errors.ts';
import type { Random } from '../../core/ports/clock.ts';
import { randomHex } from './asideName.ts';

const NAME_BYTES = 255;
const SUFFIX = / \((?:[2-9]|[1-9]\d{1,2}|[0-9a-f]{8})\)$/;

/** Yields 'a.jpg', 'a (2).jpg', ... and finally random suffixes: a scanner may restart at SCAN0001 for years. */
export function* freeNames(name: string, random: Random): Generator<string> {
  yield name;
  for (let n = 2; n < 1000; n++) yield withSuffix(name, ` (${n})`);
  for (let n = 0; n < 10; n++) yield withSuffix(name, ` (${randomHex(random)})`);
}

/** Whether `freeNames` could have yielded the candidate for this name. */
export function isLike(candidate: string, name: string): boolean {
  if (candidate === name) return true;
  const extension = extensionOf(name);
  if (!candidate.endsWith(extension)) return false;
  const suffix = SUFFIX.exec(candidate.slice(0, candidate.length - extension.length));
  return suffix !== null && withSuffix(name, suffix[0]) === candidate;
}

export function nameTaken(name: string, directory: string): Error {
  return systemError('EEXIST', `no free name like ${name} in ${directory}`);
}

function withSuffix(name: string, suffix: string): string {
  const extension = extensionOf(name);
  const stem = Array.from(extension === '' ? name : name.slice(0, -extension.length));
  const room = NAME_BYTES - Buffer.byteLength(suffix + extension);
  let used = Buffer.byteLength(stem.join(''));
  while (used > room) used -= Buffer.byteLength(stem.pop() ?? '');
  return stem.join('') + suffix + extension;
}

function extensionOf(name: string): string {
  const ending = extname(name);
  return Buffer.byteLength(ending) <= 16 ? ending : '';
}
