import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.ts';
import { isLookedAt } from '../core/domain/look.ts';
import type { Finding } from '../core/domain/finding.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import type { PictureMaker } from '../core/ports/pictures.ts';
import { Pictures } from '../features/pictures/pictures.ts';
import { ThumbnailCache } from '../features/pictures/thumbnailCache.ts';
import { confinement } from '../pages/confinement.ts';
import { installedPackages } from '../pages/installed.ts';
import { ProcessPictures } from '../pages/pictures.ts';
import { ProcessSplitter } from '../pages/splitter.ts';
import { thumbnailsPath } from '../state-dir/stateFiles.ts';

/** Beside the program's other files. */
const PROGRAM = fileURLToPath(new URL('./pageRenderer.js', import.meta.url));

/** Null where what it needs is not installed; nothing runs before a file has to be taken apart. */
export function composePageSplitter(program = PROGRAM): PageSplitter | null {
  const { files, missing } = installedPackages();
  if (missing.length > 0) return null;
  return new ProcessSplitter({ confinement: () => confinement(program, files) });
}

/** Null where what it needs is not installed; nothing runs before a picture is asked for. */
function composePictureMaker(program = PROGRAM): PictureMaker | null {
  const { files, missing } = installedPackages();
  if (missing.length > 0) return null;
  return new ProcessPictures({ confinement: () => confinement(program, files) });
}

export function composeThumbnails(config: Config, clock: Clock): ThumbnailCache {
  return new ThumbnailCache({ dir: thumbnailsPath(config), limitBytes: config.console.thumbnails, clock });
}

export function composePictures(config: Config, clock: Clock, log: Log): Pictures {
  return new Pictures({ maker: composePictureMaker(), cache: composeThumbnails(config, clock), clock, log });
}

/** Whether files of pages can be taken apart, for `check`, `doctor` and the log. */
export function checkPages({ folders }: Pick<Config, 'folders'>): Finding {
  const { missing } = installedPackages();
  const isWanted = folders.some(({ pages }) => pages === 'split');
  const isLooking = folders.some((folder) => isLookedAt(folder) || folder.upright);
  if (missing.length === 0 || !(isWanted || isLooking))
    return {
      level: 'ok',
      subject: 'pages',
      message: isWanted
        ? 'PDFs, and TIFFs of several pages, are taken apart into images.'
        : 'PDFs, and TIFFs of several pages, go as they are (`pages: whole`).',
    };
  return {
    level: 'warn',
    subject: 'pages',
    message: `${lackingFor(isWanted, isLooking)}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed. Install receiptd again with its optional parts${isWanted ? ', or set `pages: whole`' : ''}.`,
  };
}

function lackingFor(isWanted: boolean, isLooking: boolean): string {
  const lacking = [
    ...(isWanted ? ["PDFs can't be taken apart"] : []),
    ...(isLooking ? ["images can't be looked at or turned (`look`, `upright`)"] : []),
  ].join(', and ');
  return lacking.slice(0, 1).toUpperCase() + lacking.slice(1);
}
