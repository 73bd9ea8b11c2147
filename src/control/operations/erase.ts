import { join } from 'node:path';
import type { Document } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { DocumentPictures } from '../../core/ports/pictures.ts';
import type { Spool } from '../../core/ports/spool.ts';
import {
  deleteOriginals,
  originalsThere,
  type OriginalsThereDeps,
} from '../../intake/dispose/originalsThere.ts';
import type { Request, Response } from '../protocol/protocol.ts';
import { unknownDocument } from '../queries/unknownDocument.ts';
import { LISTED_AT_ONCE, PART_MS } from './parts.ts';

export interface EraseDeps extends OriginalsThereDeps {
  readonly spool: Spool;
  readonly pictures: Pick<DocumentPictures, 'forget'>;
}

type There = Response<'erase'>['there'];

/** Documents checked concurrently, because each check takes several round trips to a shared ledger. */
const LOOKED_AT_TOGETHER = 20;

/**
 * Erases personal data of settled documents. `record` writes the act to the journal before anything is erased.
 * @throws ReceiptdError USAGE, DOCUMENT_UNKNOWN
 */
export async function erase(
  deps: EraseDeps,
  { names = [], before, withOriginals = false, after = 0 }: Request<'erase'>,
  record: (detail: string) => Promise<void>,
): Promise<Response<'erase'>> {
  const { ledger, clock } = deps;
  const ids: number[] =
    before === undefined ? [] : [...(await ledger.erasable(Date.parse(before), LISTED_AT_ONCE, after))];
  const isCutShort = ids.length === LISTED_AT_ONCE;
  const skipped: string[] = [];
  for (const name of names) {
    const documents = await ledger.find(name);
    if (documents.length === 0) throw unknownDocument(name);
    for (const { id, state } of documents) {
      if (state === 'queued' || state === 'uploading') skipped.push(name);
      else ids.push(id);
    }
  }
  if (before === undefined && names.length === 0) throw new ReceiptdError('USAGE.documentOrBefore');
  if (after === 0) await record(before === undefined ? names.join(', ') : `before ${before}`);
  const there: There = [];
  const until = clock.monotonic() + PART_MS;
  const left = ids.toSorted((a, b) => a - b).filter((id) => id > after);
  const last = left.at(-1) ?? after;
  const ready: Document[] = [];
  while (left.length > 0 && clock.monotonic() < until) {
    // One by one if originals are deleted, because two documents may share a file.
    const some = left.splice(0, withOriginals ? 1 : LOOKED_AT_TOGETHER);
    for (const each of await Promise.all(some.map((id) => erasable(id, withOriginals, deps)))) {
      if (each === null) continue;
      if ('files' in each) there.push(each);
      else ready.push(each);
    }
  }
  await dropPictures(ready, deps);
  // All at once: each erasure searches the whole journal and rewrites the ledger's file.
  const erased = await ledger.erase(
    ready.map(({ id }) => id),
    clock.now(),
  );
  // A picture may have been rendered again while the ledger was erasing.
  await dropPictures(ready, deps);
  const [first] = left;
  const behind = isCutShort ? last : null;
  return { erased, skipped, there, next: first === undefined ? behind : first - 1 };
}

/** The document, after removing its spool copy; or the original files that keep it from being erased. Null if it is unknown. */
async function erasable(
  id: number,
  withOriginals: boolean,
  deps: EraseDeps,
): Promise<Document | There[number] | null> {
  const document = await deps.ledger.document(id);
  if (!document) return null;
  const files = await originals(document, withOriginals, deps);
  if (files.length > 0) return { name: document.name, files };
  if (!(await isWanted(document, deps))) await deps.spool.remove(document.sha256);
  return document;
}

/** Absolute paths of the originals that are still in watched folders, after deleting them if `withOriginals`. */
async function originals(document: Document, withOriginals: boolean, deps: EraseDeps): Promise<string[]> {
  const files = await originalsThere(document, deps);
  const paths = (all: typeof files) => all.map(({ folder, path }) => join(folder, path));
  if (!withOriginals || files.length === 0 || !(await isAccepted(document, deps))) return paths(files);
  await deleteOriginals(document, files, deps);
  return paths(await originalsThere(document, deps));
}

/** Whether this document and those of other endpoints with its image are accepted: a refused one needs the file if a person sends it again. */
async function isAccepted({ sha256 }: Document, { ledger }: EraseDeps): Promise<boolean> {
  return (await ledger.wanted([sha256], 0)).size === 0;
}

/** Whether a document with this image still has to be sent, for instance to another endpoint. */
async function isWanted({ sha256 }: Document, { ledger, clock }: EraseDeps): Promise<boolean> {
  return (await ledger.wanted([sha256], clock.now() + 1)).has(sha256);
}

/** Drops pictures even if another document has the same image: they are rendered again on demand. */
async function dropPictures(documents: readonly Document[], { pictures }: EraseDeps): Promise<void> {
  for (const { sha256 } of documents) await pictures.forget(sha256);
}
