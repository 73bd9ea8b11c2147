import type { FileIdentity } from '../../core/domain/document.ts';
import { sameIdentity } from '../../core/domain/document.ts';
import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import { inChunks } from '../../core/inChunks.ts';
import { nameOf } from '../../core/paths.ts';
import { statOf, type ReconcileDeps } from './reconcile.ts';
import { existingPolicy } from '../../core/domain/settings.ts';

/** Names per ledger query. */
const LOOKED_UP_AT_ONCE = 256;

/**
 * Leaves alone the files of a folder that another agent watched until now: files unknown to this ledger may already have been
 * sent by that agent, so they are recorded as skipped. Files that arrived since are sent as usual. Resolves how many were left.
 */
export async function leaveFormerFiles(
  deps: ReconcileDeps,
  isNewer: (identity: FileIdentity) => boolean,
  signal: AbortSignal,
): Promise<number> {
  const { folder, settings, ledger, clock } = deps;
  const left: FileSeen[] = [];
  for await (const { dir, files } of folder.list('', signal)) {
    for (let start = 0; start < files.length; start += LOOKED_UP_AT_ONCE) {
      const chunk = files.slice(start, start + LOOKED_UP_AT_ONCE);
      const known = await ledger.knownIn(
        settings.path,
        dir,
        chunk.map(({ path }) => nameOf(path)),
      );
      await inChunks(chunk, signal, async ({ path }) => {
        const found = await statOf(folder, path);
        if (found?.kind !== 'file') return;
        const { identity } = found;
        const file = known.get(nameOf(path));
        const isOwn = file !== undefined && sameIdentity(file.identity, identity);
        if (isOwn || isNewer(identity) || deps.hasTaken?.(path, identity)) return;
        left.push({ folder: settings.path, path, identity });
      });
    }
  }
  await ledger.markWatched(settings.path, left, {
    reason: 'TAKEN_OVER',
    message: 'It was in the folder while another agent watched it, and may already have been sent.',
    sha256: null,
    // A change of `existing` causes a new decision.
    policy: existingPolicy(settings.existing),
    at: clock.now(),
  });
  return left.length;
}
