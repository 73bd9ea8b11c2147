import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileIdentity } from '../../../src/core/domain/document.ts';
import { contentsOf } from './contents.ts';
import type { Office, Scan } from './plan.ts';

/** Writes a file unless it was moved or deleted, or its folder is gone. @returns its identity on the disk */
export function layOut(office: Office, scan: Scan): FileIdentity {
  const { folder, path, identity, contents, after, number } = scan;
  const isTaken = after.some((each) => each.do === 'gone' || each.do === 'dispose');
  if (isTaken || folder === office.folders.former) return identity;
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  const of = scan.kind === 'image' && scan.duplicates ? scan.duplicates.number : number;
  writeFileSync(file, contentsOf(contents, of));
  const { size, mtimeNs, ctimeNs, ino } = lstatSync(file, { bigint: true });
  return { size: Number(size), mtimeNs, ctimeNs, inode: ino };
}
