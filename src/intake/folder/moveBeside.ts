import { link, lstat, unlink } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { systemCode } from '../../domain/errors.ts';
import type { Random } from '../../ports/clock.ts';
import { randomHex } from './asideName.ts';
import { syncDirectory } from './durableDirectory.ts';
import { copyExclusively } from './exclusiveCopy.ts';

// Another file system; FAT, exFAT or SMB; another owner's file under protected_hardlinks; too many links.
const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'UNKNOWN']);
const NAME_BYTES = 255;

/**
 * Moves a file to `directory` under `name` or, where that is taken, under a free name like it; resolves the name.
 * Nothing is ever overwritten, and the source goes only after its new place is durable. Killed in between, both
 * exist; done again, a link made before is recognised. A copy cut short by a crash stays, and the next try gets
 * another name.
 */
export async function moveBeside(
  source: string,
  directory: string,
  name: string,
  random: Random,
): Promise<string> {
  for (const candidate of freeNames(name, random)) {
    const target = join(directory, candidate);
    if (!(await place(source, target))) continue;
    await syncDirectory(directory);
    await unlink(source);
    return candidate;
  }
  throw Object.assign(new Error(`EEXIST: no free name like ${name} in ${directory}`), { code: 'EEXIST' });
}

/** False if the name is taken. `link` and an exclusive open are the two ways never to overwrite. */
async function place(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return isSameFile(source, target);
    if (code === undefined || !NO_LINK.has(code)) throw error;
  }
  return copyExclusively(source, target);
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([lstat(a, { bigint: true }), lstat(b, { bigint: true })]);
  return first.ino !== 0n && first.ino === second.ino && first.dev === second.dev;
}

/** 'a.jpg', 'a (2).jpg', ... and at last random ones, since a scanner may start at SCAN0001 for years. */
function* freeNames(name: string, random: Random): Generator<string> {
  yield name;
  for (let n = 2; n < 1000; n++) yield withSuffix(name, ` (${n})`);
  for (let n = 0; n < 10; n++) yield withSuffix(name, ` (${randomHex(random)})`);
}

function withSuffix(name: string, suffix: string): string {
  const ending = extname(name);
  const extension = Buffer.byteLength(ending) <= 16 ? ending : '';
  const stem = Array.from(extension === '' ? name : name.slice(0, -extension.length));
  const room = NAME_BYTES - Buffer.byteLength(suffix + extension);
  let used = Buffer.byteLength(stem.join(''));
  while (used > room) used -= Buffer.byteLength(stem.pop() ?? '');
  return stem.join('') + suffix + extension;
}
