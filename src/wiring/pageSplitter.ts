import type { Config } from '../config/config.ts';
import { isLookedAt } from '../core/domain/look.ts';
import type { Finding } from '../core/domain/finding.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import { ProcessSplitter } from '../pages/splitter.ts';
import { missingPackages, rendererHere } from './renderer.ts';

/** Null if its dependencies are not installed. Starts nothing until a file has to be split. */
export function composePageSplitter(): PageSplitter | null {
  const renderer = rendererHere();
  return renderer && new ProcessSplitter(renderer);
}

/** Whether multi-page files can be split; for `check`, `doctor` and the log. */
export function checkPages({ folders }: Pick<Config, 'folders'>): Finding {
  const missing = missingPackages();
  const isWanted = folders.some(({ pages }) => pages === 'split');
  const isLooking = folders.some((folder) => isLookedAt(folder) || folder.upright);
  const subject = 'pages';
  if (missing.length === 0 || !(isWanted || isLooking))
    return { level: 'ok', subject, fact: { is: isWanted ? 'pagesSplit' : 'pagesWhole' } };
  return { level: 'warn', subject, fact: { is: 'pagesLack', missing, isWanted, isLooking } };
}
