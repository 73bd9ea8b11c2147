import type { FileIdentity } from '../../core/domain/document.ts';
import { sameIdentity } from '../../core/domain/document.ts';
import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import { inChunks } from '../../core/inChunks.ts';
import { nameOf } from '../../core/paths.ts';
import { statOf, type ReconcileDeps } from './reconcile.ts';
import { existingPolicy } from '../../core/domain/settings.ts';

/** Names that the ledger is asked about at once. */
const LOOKED_UP_AT_ONCE = 256;

/**
 * What lies in a folder that was another agent's until now, and is not known here, may have been sent by that one: it is left alone,
 * and recorded as skipped. What has come since is sent like any other scan. Resolves how many files were left.
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
    // Another `existing` has it judged again.
    policy: existingPolicy(settings.existing),
    at: clock.now(),
  });
  return left.length;
}
