import type { Config } from '../config/config.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';
import { Pictures } from '../features/pictures/pictures.ts';
import { ThumbnailCache } from '../features/pictures/thumbnailCache.ts';
import type { DocumentPictures } from '../core/ports/pictures.ts';
import { FiledPapers } from '../features/pictures/filedPapers.ts';
import { ProcessPictures } from '../pages/pictures.ts';
import { papersPath, thumbnailsPath } from '../state-dir/stateFiles.ts';
import { rendererHere } from './renderer.ts';

export function composeThumbnails(config: Config, clock: Clock): ThumbnailCache {
  return new ThumbnailCache({ dir: thumbnailsPath(config), limitBytes: config.console.thumbnails, clock });
}

export function composePapers(config: Config, clock: Clock, log: Log): FiledPapers {
  return new FiledPapers({ dir: papersPath(config), clock, log });
}

/** Image data stored outside the ledger, which an erasure also has to delete. */
export function composeKept(pictures: Kept, papers: Kept): Kept {
  return {
    forget: async (sha256) => {
      await papers.forget(sha256);
      await pictures.forget(sha256);
    },
  };
}

type Kept = Pick<DocumentPictures, 'forget'>;

/** Starts nothing until a picture is requested. Draws none if the dependencies are not installed. */
export function composePictures(config: Config, clock: Clock, log: Log): Pictures {
  const renderer = rendererHere();
  const maker = renderer && new ProcessPictures(renderer);
  return new Pictures({ maker, cache: composeThumbnails(config, clock), clock, log });
}
