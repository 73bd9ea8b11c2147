import type { DocumentState } from '../../../src/core/domain/document.ts';
import type { FolderSettings } from '../../../src/core/domain/settings.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import type { Evidence } from './evidence.ts';
import type { KnownDocument } from './ledgerView.ts';
import { fateOf, isHeld, paperOf } from './looks.ts';
import type { Page } from './paged.ts';

/** What should become of a page, or of an image, by what it looks like and by its folder's settings. */

/** Fate of a page. */
export type Fate = ReturnType<typeof fateOf> | 'damaged';
/** The agent's reasons for images that look wrong. */
export const LOOKS_ODD: ReadonlySet<string> = new Set([
  'BLANK',
  'BLURRED',
  'TOO_DARK',
  'TOO_SMALL',
  'SCANNED_BEFORE',
]);

/** The expected fate of each page of a file. */
export function fatesOf(
  evidence: Evidence,
  folder: string,
  file: string,
): { pages: readonly Page[]; fate: (page: Page) => Fate } {
  const pages = evidence.office.files.pagesOf(file) ?? [];
  const settings = settingsOf(evidence, folder);
  const fate = ({ kind, text }: Page): Fate =>
    kind === 'damaged' ? 'damaged' : fateOf(settings, text, pages.length);
  return { pages, fate };
}

export function settingsOf(evidence: Evidence, folder: string): FolderSettings {
  return evidence.plan.config.folders.find(({ path }) => path === folder)!;
}

export function pageDocuments(evidence: Evidence, uid: string, file: string, page: number): KnownDocument[] {
  return evidence.office.files
    .imagesOf(file, page)
    .flatMap((image) => evidence.view.documentOf(uid, image) ?? []);
}

/** Pages to be sent that have no document at the endpoint. */
export function pagesWithout(
  evidence: Evidence,
  uid: string,
  file: string,
  isToBeSent: (page: Page, pages: number) => boolean,
  states?: readonly DocumentState[],
): number[] {
  const pages = evidence.office.files.pagesOf(file) ?? [];
  return pages.flatMap((page, at) => {
    if (!isToBeSent(page, pages.length)) return [];
    const documents = pageDocuments(evidence, uid, file, at + 1);
    return documents.some(({ state }) => states?.includes(state) ?? true) ? [] : [at + 1];
  });
}

/** Whether the folder may hold this image back: it is unreadable, or another image of the same paper was sent. */
export function mayBeKept(evidence: Evidence, folder: string, image: Buffer): boolean {
  const settings = settingsOf(evidence, folder);
  const [paper, hash] = [paperOf(image), hashOf(image)];
  // The twin may also be a part of this image that was renamed while it was written, and taken for complete.
  const isTwin =
    evidence.office.scannedTwice.has(paper) ||
    evidence.service.arrivals.some((arrival) => arrival.paper === paper && arrival.sha256 !== hash);
  return isHeld(settings, image) || (settings.look === 'hold' && isTwin);
}

export function isKept(evidence: Evidence, folder: string, path: string, image: Buffer): boolean {
  const { verdict, reason } = evidence.view.sightingAt(folder, path) ?? {};
  return verdict === 'rejected' && LOOKS_ODD.has(reason ?? '') && mayBeKept(evidence, folder, image);
}
