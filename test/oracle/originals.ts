/** P3: originals are moved or deleted only if configured, only after the acceptance is durable, and only the bytes that were sent. */
import { dirname } from 'node:path';
import { fatesOf, pagesWithout } from './looks.ts';
import { isAside, isSplit } from './nothingLost.ts';
import type { Rule } from './rule.ts';
import { keyOf, type Lying, type Seen } from './seen.ts';

export const ORIGINALS: readonly Rule[] = [
  {
    promise: 'P3',
    rule: 'taken away only as configured, and once accepted',
    on: {
      *disposal({ folder, path, sha256, how }, seen) {
        const rule = seen.folder(folder);
        const what = `${folder}/${path} was ${how}`;
        if (rule?.afterUpload !== (how === 'archived' ? 'archive' : 'delete'))
          yield `${what}, which was not configured`;
        const uid = rule?.uid ?? '';
        const document = seen.books.documentOf(uid, sha256);
        if (isSplit(seen, sha256)) {
          // A left-out page exists nowhere else.
          const has =
            how === 'deleted' ? (['sent', 'held', 'leftOut'] as const) : (['sent', 'held'] as const);
          const without = pagesWithout(seen, { uid, folder, file: sha256 }, has, ['accepted']);
          if (without.length > 0) yield `${what}, but its pages ${without.join(', ')} are not accepted`;
          if (fatesOf(seen, folder, sha256).includes('damaged'))
            yield `${what}, but not all of it could be sent`;
        } else if (document?.state !== 'accepted')
          yield `${what}, but its bytes are not accepted (${document?.state ?? 'never seen'})`;
        if (seen.books.areFromBefore(folder, { sha256, ...(document && { document }) }))
          yield `${what}, but was known before that was configured`;
      },
    },
  },
  {
    promise: 'P3',
    rule: 'announced before it is taken away',
    on: {
      *disposal({ folder, path, how }, seen) {
        const intents = [...seen.books.intents.values()];
        if (!intents.some((each) => each.folder === folder && each.path === path && each.how === how))
          yield `${folder}/${path} was ${how} before the journal announced it`;
      },
    },
  },
  {
    promise: 'P3',
    rule: 'in place, unchanged, or in the archive',
    on: {
      *listing({ where, files }, seen) {
        for (const [place, { folder, sha256 }] of seen.files)
          if (files.get(place) !== sha256) yield* missing(seen, { place, folder, sha256, where }, files);
      },
    },
    *end(seen) {
      if (seen.listing === null) return;
      const lying = new Map([...seen.files].map(([place, { sha256 }]) => [place, sha256]));
      const accepted = new Set(acceptedImages(seen));
      for (const [path, sha256] of seen.listing) {
        const archive = seen.settings.folders.find(
          (each) => each.archive !== null && isBelow(path, each.archive),
        );
        if (archive) {
          if (archive.afterUpload !== 'archive')
            yield `${path} is in the archive, but nothing should be archived`;
          else if (!accepted.has(keyOf(archive.uid, sha256)))
            yield `${path} in the archive is not an accepted image`;
          else if (seen.books.entries > 0 && !seen.books.archived.includes(path))
            yield `${path} is in the archive, but the ledger does not know it`;
        } else if (isAside(path) || path.includes('/.receiptd-')) yield `${path} was left over`;
        else if (lying.get(path) !== sha256) yield `${path} is in the folder, but nobody put it there`;
      }
      for (const path of seen.books.archived)
        if (!seen.listing.has(path)) yield `the ledger has ${path} as archived, but it does not exist`;
      for (const { archivedTo, name } of seen.end.rows ?? [])
        if (archivedTo && seen.books.entries > 0 && !seen.books.archived.includes(archivedTo))
          yield `${name} was never archived to ${archivedTo}`;
    },
  },
  {
    promise: 'P3',
    rule: 'archived or deleted in the end, and nothing left aside',
    *owed(seen) {
      for (const [place, file] of seen.files) {
        const { folder, path, sha256 } = file;
        const { afterUpload = 'keep' } = seen.folder(folder) ?? {};
        if (seen.untellable.has(keyOf(folder, sha256)) || !seen.hasRoom(file.size)) continue;
        if (isAside(path)) yield `${place} is left aside`;
        else if (seen.listing !== null && !seen.listing.has(place)) continue;
        else if (afterUpload !== 'keep' && isToGo(seen, file))
          yield `${place} should have been ${afterUpload}d`;
      }
    },
  },
];

function* acceptedImages(seen: Seen): Generator<string> {
  for (const { state, uid, sha256 } of seen.standings()) if (state === 'accepted') yield keyOf(uid, sha256);
}

/** What people left in a folder is not there as they left it. */
function* missing(
  seen: Seen,
  { place, folder, sha256, where }: { place: string; folder: string; sha256: string; where: string },
  files: ReadonlyMap<string, string>,
): Generator<string> {
  const { afterUpload = 'keep', uid = '', archive = null } = seen.folder(folder) ?? {};
  const original = `${where} the original ${place}`;
  if (files.has(place)) return void (yield `${original} has different bytes`);
  const same = [...files].flatMap(([path, hash]) => (hash === sha256 ? [path] : []));
  // Set aside for a final check: after a kill, the next start puts it back.
  if (afterUpload !== 'keep' && same.some((path) => path.includes('/.receiptd-aside-'))) return;
  if (afterUpload === 'keep') yield `${original} is gone, but originals should be kept`;
  else if (seen.books.entries > 0 && seen.books.documentOf(uid, sha256)?.state !== 'accepted')
    yield `${original} is gone, but its acceptance is not on record`;
  if (afterUpload === 'archive' && !same.some((path) => archive !== null && isBelow(path, archive)))
    yield `${original} is neither in place nor in the archive`;
}

/** Whether the folder's rule applies to a file that is still there. */
function isToGo(seen: Seen, { folder, path, sha256 }: Lying): boolean {
  const { uid = '', afterUpload } = seen.folder(folder) ?? {};
  const version = seen.books.fileAt(folder, path);
  if (isSplit(seen, sha256)) {
    const fates = fatesOf(seen, folder, sha256);
    // A refused page gets another name if it is drawn differently, while the file whose page was refused stays for a person. So does a file
    // with a page that its folder held back, whatever another folder did with that page afterwards.
    const isKept = version?.verdict === 'rejected' && fates.includes('held');
    if (version?.sha256 !== sha256 || isKept || !fates.includes('sent')) return false;
    const isDone = fates.every((fate, at) => {
      const documents = seen.pageDocuments(uid, sha256, at + 1);
      const seenAs = seen.books.lastSeen.get(`${folder}/${path}//page ${at + 1}`)?.verdict;
      // Another folder may have made a document of it since.
      const isLeftOut = fate === 'leftOut' && (documents.length === 0 || seenAs === 'rejected');
      const isThere = isLeftOut ? afterUpload === 'archive' : documents.length > 0;
      return fate !== 'damaged' && isThere && documents.every(({ state }) => state === 'accepted');
    });
    return isDone && !seen.books.areFromBefore(folder, { sha256 });
  }
  // What its folder held back stays for a person, even if another folder sent the same bytes.
  if (version?.verdict === 'rejected') return false;
  const document = seen.books.documentOf(uid, sha256);
  const state =
    document?.state ??
    seen.standings().find((each) => keyOf(each.uid, each.sha256) === keyOf(uid, sha256))?.state;
  return state === 'accepted' && !seen.books.areFromBefore(folder, { sha256, ...(document && { document }) });
}

function isBelow(path: string, directory: string): boolean {
  return dirname(path) === directory || path.startsWith(`${directory}/`);
}
