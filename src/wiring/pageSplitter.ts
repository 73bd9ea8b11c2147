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
  if (missing.length === 0 || !(isWanted || isLooking))
    return {
      level: 'ok',
      subject: 'pages',
      message: isWanted
        ? 'PDFs and multi-page TIFFs are split into images.'
        : 'PDFs and multi-page TIFFs are sent unchanged (`pages: whole`).',
    };
  return {
    level: 'warn',
    subject: 'pages',
    message: `${lackingFor(isWanted, isLooking)}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed. Reinstall receiptd with its optional parts${isWanted ? ', or set `pages: whole`' : ''}.`,
  };
}

function lackingFor(isWanted: boolean, isLooking: boolean): string {
  const lacking = [
    ...(isWanted ? ["PDFs can't be split"] : []),
    ...(isLooking ? ["images can't be checked or rotated (`qualityCheck`, `upright`)"] : []),
  ].join(', and ');
  return lacking.slice(0, 1).toUpperCase() + lacking.slice(1);
}
