import { isOfLedger } from '../../core/domain/errors.ts';
import { type Naming } from '../../core/domain/naming.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Admitted } from '../../core/ports/ledgerIntake.ts';
import type { Log } from '../../core/ports/log.ts';
import type { DeferredImage, DeferredJournal } from '../../core/ports/deferredJournal.ts';
import { nameContext, namingFor } from '../settle/nameContext.ts';
import type { PayloadStore } from '../../keeper/payloadStore.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';

export interface ReplayDeps {
  readonly deferred: DeferredJournal;
  readonly ledger: Pick<Ledger, 'admit' | 'beginSplit' | 'storage'>;
  readonly payloads: Pick<PayloadStore, 'copies'>;
  readonly log: Log;
  readonly host: string;
  readonly folders: readonly FolderSettings[];
  /** Mark of the file system that each folder belongs to; null if unknown. */
  readonly homes: ReadonlyMap<string, string | null>;
  readonly onAdmitted: (folder: string, admitted: Admitted) => void;
  /** Called when a file that has to be split into pages was recorded. */
  readonly onFile: () => void;
  /** Called with an image that can't be admitted for a reason specific to it; it does not delay others (promise P4). */
  readonly onOdd: (image: DeferredImage, error: unknown) => void;
}

/** Images per batch, which share a commit. They are requested, and therefore admitted, in order. */
const ADMITTED_AT_ONCE = 32;

/**
 * Admits images that were deferred while the ledger was away, as of the time of deferral. Admitting one again that was
 * admitted before a crash has no effect. Rejects with errors of the ledger or the journal.
 */
export async function replay(
  images: readonly DeferredImage[],
  deps: ReplayDeps,
  signal: AbortSignal,
): Promise<void> {
  for (let start = 0; start < images.length && !signal.aborted; start += ADMITTED_AT_ONCE) {
    const batch = images.slice(start, start + ADMITTED_AT_ONCE);
    const ends = await Promise.allSettled(batch.map((image) => admitOne(image, deps)));
    const troubles = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    if (troubles.length > 0) throw troubles[0];
  }
}

async function admitOne(image: DeferredImage, deps: ReplayDeps): Promise<void> {
  const { ledger, deferred, payloads, log, homes, onAdmitted } = deps;
  const { endpoint, folder, path, identity, mark, sha256, type, lane, at } = image;
  // The folder may be on another file system now, without the file: record it as gone. A listing that finds it sees it again.
  const isElsewhere = mark === null || mark !== homes.get(folder);
  let admitted: Admitted | null = null;
  try {
    if (image.isFile)
      await ledger.beginSplit({ endpoint, file: { folder, path, identity }, sha256, at, isElsewhere });
    else
      admitted = await ledger.admit({
        endpoint,
        file: { folder, path, identity },
        sha256,
        type,
        lane,
        at,
        naming: namingOf(image, deps),
        isElsewhere,
      });
  } catch (error) {
    if (isOfLedger(error) || ledger.storage.trouble() !== null) throw error;
    return deps.onOdd(image, error);
  }
  await deferred.admitted(image);
  if (admitted !== null) {
    const { id: documentId, name } = admitted.document;
    log.info('deferredImageRecorded', {
      documentId,
      name,
      folder,
      path,
      sha256,
      kind: admitted.kind,
    });
    onAdmitted(folder, admitted);
  } else deps.onFile();
  // Until now the journal needed the copy. If the image was already known or sent, nothing needs it any more.
  await payloads.copies.dropUnwanted(sha256);
}

function namingOf(image: DeferredImage, { folders, host }: Pick<ReplayDeps, 'folders' | 'host'>): Naming {
  const { path, identity, sha256, at, capturedAt } = image;
  const of = namingFor(image, folders);
  const captured = capturedAt === null ? null : new Date(capturedAt);
  return of.template.naming(nameContext(path, identity, sha256, captured, of, { now: at, host }));
}
