import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderSettings } from '../../../src/core/domain/settings.ts';
import { watchingPlace, type WatchingPlace, type WatchOptions } from '../watching.ts';

export const never = new AbortController().signal;
export const ARCHIVE = { settings: { afterUpload: 'archive' } } as const;
export const DELETE = { settings: { afterUpload: 'delete' } } as const;

export async function filesOf(place: WatchingPlace): Promise<string[]> {
  return (await readdir(place.scans)).toSorted();
}

/** `a.jpg`, whose document is accepted, and nothing disposed of yet. */
export async function acceptedFile(options: WatchOptions = {}) {
  const place = await watchingPlace();
  const bytes = await place.drop('a.jpg');
  const { intake, real } = await place.once(options);
  await place.acceptAll();
  return { place, bytes, intake, real, file: join(place.scans, 'a.jpg') };
}

/** A run that admits existing files, has them accepted, and disposes of them; the files that are left. */
export async function run(place: WatchingPlace, settings: Partial<FolderSettings>): Promise<string[]> {
  const { intake } = await place.once({ settings });
  await place.acceptAll();
  await intake.dispose(never);
  return filesOf(place);
}
