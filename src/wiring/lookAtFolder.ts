import { join } from 'node:path';
import type { Config, FolderConfig } from '../config/config.ts';
import { likelyFolders, thisMachine, type Machine } from '../intake/folder/likelyFolders.ts';
import type { FolderAvailability } from '../core/ports/folder.ts';
import { composeFolders, Guards } from './folders.ts';
import { lookThrough } from './testFolder.ts';
import { saidBy } from '../core/domain/errors.ts';
import type { AwayFact } from '../core/domain/why.ts';

export { likelyFolders, thisMachine, type Machine };

/** Facts about a folder for a person who may want to watch it. */
export type FolderInspection =
  | { readonly state: Exclude<FolderAvailability['state'], 'present'>; readonly why: AwayFact }
  | {
      readonly state: 'present';
      /** ext4, nfs, smb, fuse, ... */
      readonly fileSystem: string;
      /** Has to be polled: network shares report no events for changes by other machines. */
      readonly isNetwork: boolean;
      /** Number of files that would be scanned; null: too many to count in a few seconds. */
      readonly files: number | null;
      /** `at`: milliseconds, by the file server's clock. */
      readonly newest: { readonly name: string; readonly at: number } | null;
    };

/** Inspects a folder with its configured or default settings. Changes nothing. */
export async function lookAtFolder(path: string, config: Config): Promise<FolderInspection> {
  const folder = composeFolders({ ...config, folders: [settingsOf(path, config)] }, undefined, guards)(path);
  const found = await folder.availability();
  if (found.state !== 'present') return found;
  const { name: fileSystem, network: isNetwork } = found.fileSystem;
  try {
    const { count, newest } = await lookThrough(folder);
    const [first] = newest;
    return {
      state: 'present',
      fileSystem,
      isNetwork,
      files: count,
      newest: first === undefined ? null : { name: first.path, at: Number(first.at / 1_000_000n) },
    };
  } catch (error) {
    const now = await folder.availability();
    if (now.state !== 'present') return now;
    return { state: 'unreadable', why: { is: 'unsearched', folder: path, system: saidBy(error).detail } };
  }
}

/** Whether a file of that name would be scanned. */
export function folderCovers(path: string, name: string, config: Config): boolean {
  return composeFolders(config)(path).covers(name);
}

/** Kept between calls, so that a share that hangs is not tried again and again. */
const guards = new Guards();

function settingsOf(path: string, { folders }: Config): FolderConfig {
  const own = folders.find((folder) => folder.path === path);
  const [other] = folders;
  if (own !== undefined || other === undefined) return own ?? fail();
  const { needsAttention: _, ...rest } = other;
  return { ...rest, path, archiveTo: join(path, 'archive'), needsAttention: null, recursive: false };
}

function fail(): never {
  throw new Error('a configuration without folders');
}
