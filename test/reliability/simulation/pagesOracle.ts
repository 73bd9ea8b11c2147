import { pageOf } from '../../../src/core/domain/pages.ts';
import type { LedgerEvent } from '../../../src/ledger/events.ts';
import type { Evidence } from './evidence.ts';
import { fatesOf, LOOKS_ODD, pageDocuments, pagesWithout, settingsOf, type Fate } from './fates.ts';
import type { LedgerView } from './ledgerView.ts';
import { isHeld } from './looks.ts';

/** A page has one name, however often it is drawn and however it looks, unless the image under that name can't be sent. */
export function judgeNewPage(
  evidence: Evidence,
  id: number,
  uid: string,
  name: string,
  sha256: string,
): void {
  for (const { file, page } of evidence.office.files.pagesBehind(sha256))
    for (const other of pageDocuments(evidence, uid, file, page))
      if (other.id !== id && other.state !== 'failed' && other.state !== 'lost')
        evidence.story.breach('P2', `page ${page} of a file was named ${other.name} and ${name}`);
}

/** A file recorded as completely split. */
export function judgeSplit(
  evidence: Evidence,
  event: LedgerEvent & { kind: 'sighted' },
  uid: string | undefined,
): void {
  const { verdict, sha256, folder, path } = event;
  if (sha256 === null || uid === undefined) return;
  const { pages, fate } = fatesOf(evidence, folder, sha256);
  const has = (...fates: Fate[]): boolean => pages.some((page) => fates.includes(fate(page)));
  const isUnsent = (which: Fate): boolean =>
    pagesWithout(evidence, uid, sha256, (page) => fate(page) === which).length > 0;
  const isOnlyBlank = !has('sent', 'held', 'damaged');
  // A page that this folder does not send may have a document by way of another folder.
  const mustReject = has('damaged') || isUnsent('held');
  const mayReject = mustReject || has('held') || isOnlyBlank;
  if (verdict === 'rejected' ? !mayReject : mustReject)
    evidence.story.breach('P1', `${path} was split and is recorded as ${verdict}`);
  const without = pagesWithout(evidence, uid, sha256, (page) => fate(page) === 'sent');
  if (without.length > 0)
    evidence.story.breach('P1', `${path} ended without a name for pages ${without.join(', ')}`);
}

/** Checks that no image is sent that its folder holds back. */
export function judgeSent(evidence: Evidence, folder: string, path: string, sha256: string): void {
  const page = pageOf(path);
  const image = evidence.office.whole.get(sha256)?.bytes;
  const isKept =
    page === null
      ? image !== undefined && isHeld(settingsOf(evidence, folder), image)
      : evidence.office.files.pagesBehind(sha256).every(({ file, page: number }) => {
          const { pages, fate } = fatesOf(evidence, folder, file);
          return fate(pages[number - 1]!) !== 'sent';
        });
  if (isKept) evidence.story.breach('P1', `${folder}/${path} is going to be sent, but should be held back`);
}

/** Checks that nothing is held back or left out that looks fine. */
export function judgeSighting(
  evidence: Evidence,
  event: LedgerEvent & { kind: 'sighted' },
  open: LedgerView['open'],
): void {
  const { folder, path, verdict, reason, message, file } = event;
  const told = /looks like (.*), scanned/.exec(message ?? '')?.[1];
  if (told !== undefined && ![...evidence.view.documents.values()].some(({ name }) => name === told))
    evidence.story.breach('P1', `${folder}/${path} is said to look like ${told}, which does not exist`);
  if (verdict !== 'rejected' || !LOOKS_ODD.has(reason ?? '')) return;
  const page = pageOf(path);
  const bytes = file === undefined ? undefined : open.get(file)?.sha256;
  const { look } = settingsOf(evidence, folder);
  const { pages, fate } = fatesOf(evidence, folder, bytes ?? '');
  const isRight =
    page === null
      ? look === 'hold' || (look === 'warn' && event.pages !== undefined)
      : bytes === undefined || ['held', 'leftOut'].includes(fate(pages[page.page - 1]!));
  if (!isRight) evidence.story.breach('P1', `${folder}/${path} is not sent (${reason}), but looks fine`);
}
