import type { Config } from '../config/config.ts';
import { isLookedAt } from '../core/domain/look.ts';
import type { Finding } from '../core/domain/finding.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import { installedPackages } from '../pages/installed.ts';
import { ProcessSplitter } from '../pages/splitter.ts';
import { rendererHere } from './renderer.ts';

/** Null where what it needs is not installed; nothing runs before a file has to be taken apart. */
export function composePageSplitter(): PageSplitter | null {
  const renderer = rendererHere();
  return renderer && new ProcessSplitter(renderer);
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
