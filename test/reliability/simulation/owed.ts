import { pagePath } from '../../../src/core/domain/pages.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import type { Evidence } from './evidence.ts';
import { fatesOf, isKept, pageDocuments, pagesWithout, settingsOf } from './fates.ts';
import { isAside } from './modelFolder.ts';
import type { Obligations } from './obligations.ts';
import type { Share } from './share.ts';

/** Upper limit of the spool space that an image of a page takes. */
const PAGE_ROOM = 300;

/** Everything that is not yet as it should be once trouble is over; must become empty. */
export function owedBy(evidence: Evidence, obligations: Obligations): string[] {
  const owed = obligations.owed((bytes) => hasRoom(evidence, bytes));
  for (const share of evidence.shares) {
    const { endpoint, afterUpload } = evidence.plan.config.folders.find(({ path }) => path === share.path)!;
    for (const [path, { bytes }] of share.content) {
      const where = `${share.path}/${path}`;
      if (!hasRoom(evidence, bytes)) continue;
      const sha256 = hashOf(bytes);
      // Not promised (docs/reliability.md), because it can't be detected.
      if (share.isAlike(sha256)) continue;
      if (isAside(path)) owed.push(`${where} is left aside`);
      else if (evidence.office.files.pagesOf(sha256))
        owed.push(...owedPages(evidence, where, share, path, sha256));
      else if (isKept(evidence, share.path, path, bytes)) continue;
      else if (evidence.office.wasWhole(sha256)) {
        const document = evidence.view.documentOf(endpoint.uid, sha256);
        if (!document)
          owed.push(`${where} (${evidence.office.whole.get(sha256)?.label ?? 'one page'}) has no name`);
        else if (document.state === 'lost') owed.push(`${where} counts as lost`);
        else if (
          document.state === 'accepted' &&
          afterUpload !== 'keep' &&
          !evidence.view.isFromBefore(share.path, document)
        )
          owed.push(`${where} should have been ${afterUpload}d`);
        else if (evidence.view.sightingAt(share.path, path)?.sha256 !== sha256)
          owed.push(`${where} is not in the ledger with its present bytes`);
      } else {
        const { verdict = 'nothing' } = evidence.view.sightingAt(share.path, path) ?? {};
        const expected =
          evidence.office.unfit.get(sha256) === 'junk' ? ['rejected'] : ['incomplete', 'rejected'];
        if (!expected.includes(verdict) && !share.content.get(path)?.isLocked)
          owed.push(`${where} is ${evidence.office.unfit.get(sha256) ?? 'torn'}, but recorded as ${verdict}`);
      }
    }
  }
  for (const { sha256 } of evidence.view.open.values())
    if (hasRoom(evidence, { length: PAGE_ROOM }))
      owed.push(`a file (${sha256.slice(0, 8)}) is not split yet`);
  for (const document of evidence.view.documents.values()) {
    const { uid, name, state, reason, sha256 } = document;
    if (state !== 'queued' && state !== 'uploading') continue;
    if (uid === evidence.plan.closedForGood || isBudgetSpent(evidence)) continue;
    if (evidence.service.habits.poison.has(sha256)) continue;
    owed.push(`${name} is ${state} (${reason ?? 'no reason'})`);
  }
  return owed;
}

/** Open obligations for a multi-page file. */
function owedPages(evidence: Evidence, where: string, share: Share, path: string, file: string): string[] {
  const { endpoint, afterUpload } = settingsOf(evidence, share.path);
  const sighting = evidence.view.sightingAt(share.path, path);
  if (sighting?.sha256 !== file) return [`${where} is not in the ledger with its present bytes`];
  const { pages, fate } = fatesOf(evidence, share.path, file);
  const without = pagesWithout(evidence, endpoint.uid, file, (page) => fate(page) === 'sent', [
    'queued',
    'uploading',
    'accepted',
    'failed',
    'unconfirmed',
  ]);
  if (without.length > 0) return [`${where} has no document for its pages ${without.join(', ')}`];
  // A refused page gets another name if it is drawn differently, while the file whose page was refused stays for a person. So does a file
  // with a page that its folder held back, whatever another folder did with that page afterwards.
  const isKept = sighting.verdict === 'rejected' && pages.some((page) => fate(page) === 'held');
  const isSent =
    !isKept &&
    pages.some((page) => fate(page) === 'sent') &&
    pages.every((page, at) => {
      const documents = pageDocuments(evidence, endpoint.uid, file, at + 1);
      const seen = evidence.view.lastVerdicts.get(`${share.path}/${pagePath(path, at + 1)}`);
      // Another folder may have made a document of it since.
      const isLeftOut = fate(page) === 'leftOut' && (documents.length === 0 || seen === 'rejected');
      const isThere = isLeftOut ? afterUpload === 'archive' : documents.length > 0;
      return fate(page) !== 'damaged' && isThere && documents.every(({ state }) => state === 'accepted');
    });
  return isSent && afterUpload !== 'keep' && !evidence.view.areBytesFromBefore(share.path, file)
    ? [`${where} should have been ${afterUpload}d`]
    : [];
}

/** Images that wait for people keep their copies. A scan that does not fit next to them waits, and the agent says so. */
export function hasRoom(evidence: Evidence, { length }: Pick<Buffer, 'length'>): boolean {
  const { spool, spoolLimit } = evidence.plan.config;
  const used = [...evidence.state.copies.values()].reduce((sum, copy) => sum + copy.length, 0);
  return spool === 'never' || used + length <= spoolLimit;
}

function isBudgetSpent(evidence: Evidence): boolean {
  const { perDay } = evidence.plan.config.delivery.limits;
  // Requests are recorded before they are sent, so those that a crash prevented count too.
  const begun = [...evidence.view.documents.values()].reduce((sum, document) => sum + document.begun, 0);
  return perDay !== null && begun >= perDay;
}
