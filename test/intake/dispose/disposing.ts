import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderSettings } from '../../../src/core/domain/settings.ts';
import { FolderDisposal, type FolderDisposalDeps } from '../../../src/intake/dispose/folderDisposal.ts';
import { logTexts } from '../../../src/texts/en/log.ts';
import type { RecordedLog } from '../../support/recordedLog.ts';
import { FOLDER_SETTINGS, watchingPlace, type WatchingPlace, type WatchOptions } from '../watching.ts';

export const never = new AbortController().signal;
export const ARCHIVE = { settings: { afterUpload: 'archive' } } as const;
export const DELETE = { settings: { afterUpload: 'delete' } } as const;

export async function filesOf(place: WatchingPlace): Promise<string[]> {
  return (await readdir(place.scans)).toSorted();
}

/** Levels of the lines with these texts. */
export function levels(log: RecordedLog, event: keyof typeof logTexts): string[] {
  return log.said(logTexts[event]).map(({ level }) => level);
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
  return readdir(settings.path ?? place.scans);
}

/** The disposal of a folder, of existing files too. */
export async function disposalOf({
  settings,
  ...deps
}: Omit<FolderDisposalDeps, 'isLookedThroughSince' | 'settings'> & {
  readonly settings: Pick<FolderSettings, 'path' | 'afterUpload'>;
}): Promise<FolderDisposal> {
  const all = { ...FOLDER_SETTINGS, ...settings, afterUploadExisting: 'include' } as const;
  const disposal = new FolderDisposal({ ...deps, settings: all, isLookedThroughSince: () => true });
  await disposal.begin(false);
  return disposal;
}
