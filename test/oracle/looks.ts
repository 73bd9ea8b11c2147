/** What should become of an image, or of a page, by what it looks like and by its folder's settings (docs/configuration.md, `qualityCheck`). */
import type { FolderRule, Look, Page } from './evidence.ts';
import type { Seen } from './seen.ts';

export type Fate = 'sent' | 'held' | 'leftOut' | 'damaged';

/** Reasons for images that look wrong. */
const LOOKS_ODD = new Set(['BLANK', 'BLURRED', 'TOO_DARK', 'TOO_SMALL', 'SCANNED_BEFORE']);

export function looksOdd(reason: string | null): boolean {
  return LOOKS_ODD.has(reason ?? '');
}

/** `leftOut` needs nobody's attention, `held` needs a person's. */
export function fatesOf(seen: Seen, folder: string, file: string | null): readonly Fate[] {
  const { qualityCheck = 'off' } = seen.folder(folder) ?? {};
  const pages = seen.pagesOf(file) ?? [];
  return pages.map((page: Page) => {
    if (page.isDamaged) return 'damaged';
    if (qualityCheck !== 'off' && page.look === 'blank' && pages.length > 1) return 'leftOut';
    return qualityCheck === 'hold' && isFlawed(page.look) ? 'held' : 'sent';
  });
}

/** Pages with one of these fates that have no document at the endpoint, or none in these states. */
export function pagesWithout(
  seen: Seen,
  { uid, folder, file }: { uid: string; folder: string; file: string },
  fates: readonly Fate[],
  states?: readonly string[],
): number[] {
  return fatesOf(seen, folder, file).flatMap((fate, at) => {
    if (!fates.includes(fate)) return [];
    const documents = seen.pageDocuments(uid, file, at + 1);
    return documents.some(({ state }) => states?.includes(state) ?? true) ? [] : [at + 1];
  });
}

/** Whether the folder keeps an image that looks like this. */
export function isHeld(rule: FolderRule | undefined, look: Look | undefined): boolean {
  return rule?.qualityCheck === 'hold' && isFlawed(look);
}

/** Whether the folder may hold this image back: it is unreadable, or another image of the same paper was scanned or sent. */
export function mayBeKept(seen: Seen, folder: string, sha256: string): boolean {
  const rule = seen.folder(folder);
  if (rule?.qualityCheck !== 'hold') return false;
  const content = seen.contents.get(sha256);
  return isHeld(rule, content?.look) || hasTwin(seen, sha256, content?.paper);
}

/** The twin may be a part of the same image that was renamed while it was written, and taken for complete. */
function hasTwin(seen: Seen, sha256: string, paper: string | undefined): boolean {
  if (paper === undefined) return false;
  for (const other of seen.contents.values())
    if (other.sha256 !== sha256 && other.paper === paper && other.is === 'image') return true;
  return seen.arrivals.some(
    (each) => each.sha256 !== sha256 && seen.contents.get(each.sha256 ?? '')?.paper === paper,
  );
}

/** Whether it is held back, and rightly. */
export function isKept(seen: Seen, folder: string, path: string, sha256: string): boolean {
  const { verdict, reason = null } = seen.books.fileAt(folder, path) ?? {};
  return verdict === 'rejected' && looksOdd(reason) && mayBeKept(seen, folder, sha256);
}

function isFlawed(look: Look | undefined): boolean {
  return look === 'blurred' || look === 'blank';
}
