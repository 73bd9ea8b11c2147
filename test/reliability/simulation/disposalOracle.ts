import { sha256 as hashOf } from '../support/digest.ts';
import type { Evidence } from './evidence.ts';
import { fatesOf, pagesWithout } from './fates.ts';
import { placeOf } from './modelFolder.ts';
import type { Inode, Share } from './share.ts';

/** P3: an original is archived or deleted only as configured, once the service has all of it and the journal says so. */
export function judgeDisposal(
  evidence: Evidence,
  share: Share,
  path: string,
  file: Inode,
  how: 'archived' | 'deleted',
): void {
  const folder = evidence.plan.config.folders.find((each) => each.path === share.path);
  const expected = how === 'archived' ? 'archive' : 'delete';
  const what = `${share.path}/${path} was ${how}`;
  if (folder?.afterUpload !== expected) evidence.story.breach('P3', `${what}, which was not configured`);
  const uid = folder?.endpoint.uid ?? '';
  const sha256 = hashOf(file.bytes);
  const document = evidence.view.documentOf(uid, sha256);
  if (evidence.office.files.pagesOf(sha256)) judgePages(evidence, what, share.path, uid, sha256, how);
  else if (document?.state !== 'accepted')
    evidence.story.breach(
      'P3',
      `${what}, but its bytes are not accepted (${document?.state ?? 'never seen'})`,
    );
  else if (evidence.view.isFromBefore(share.path, document))
    evidence.story.breach('P3', `${what}, but was known before that was configured`);
  const intents = [...evidence.view.intents.values()];
  const original = placeOf(path);
  const isIntended = intents.some(
    (each) => each.folder === share.path && each.path === original && each.how === how,
  );
  if (!isIntended) evidence.story.breach('P3', `${what} before the journal announced it`);
  evidence.story.tell('agent', what);
}

function judgePages(
  evidence: Evidence,
  what: string,
  folder: string,
  uid: string,
  file: string,
  how: 'archived' | 'deleted',
): void {
  const { pages, fate } = fatesOf(evidence, folder, file);
  const isDamaged = pages.some((page) => fate(page) === 'damaged');
  // A left-out page exists nowhere else.
  const has = how === 'deleted' ? ['sent', 'held', 'leftOut'] : ['sent', 'held'];
  const without = pagesWithout(evidence, uid, file, (page) => has.includes(fate(page)), ['accepted']);
  if (without.length > 0)
    evidence.story.breach('P3', `${what}, but its pages ${without.join(', ')} are not accepted`);
  if (isDamaged) evidence.story.breach('P3', `${what}, but not all of it could be sent`);
  if (evidence.view.areBytesFromBefore(folder, file))
    evidence.story.breach('P3', `${what}, but was known before that was configured`);
}
