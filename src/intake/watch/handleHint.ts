import { sameIdentity } from '../../core/domain/document.ts';
import { needsJudgingAnew, type ReconcileDeps } from '../scan/reconcile.ts';
import { dirOf } from '../../core/paths.ts';

/**
 * Follows one hint: looks only at its path. Resolves the directory that should be listed as well, since events get lost in
 * bursts; null if there is none.
 */
export async function handleHint(path: string, deps: ReconcileDeps): Promise<string | null> {
  const { folder, settings, settling, ledger, clock } = deps;
  const found = await folder.stat(path).catch(() => undefined);
  if (found === undefined) {
    deps.onMissed();
    return null;
  }
  const covered = folder.covers(path);
  const known = covered ? await ledger.known({ folder: settings.path, path }) : null;
  // The file is gone, even if a link or a directory took its place.
  if (known && found?.kind !== 'file' && (await deps.isInPlace())) {
    await ledger.gone(settings.path, [path], clock.now());
    await deps.onGone?.([path]);
  }
  if (found?.kind === 'other') return settings.recursive ? path : null;
  if (!covered) return null;
  if (found === null) return dirOf(path);
  const stands = known !== null && !needsJudgingAnew(known, settings);
  const unchanged = stands && sameIdentity(known.identity, found.identity);
  if (unchanged) return dirOf(path);
  // If there is no room, the listing finds the file later.
  if (settling.has(path) || settling.hasRoomBeside) settling.see(path, found.identity, 'fresh');
  else deps.onMissed();
  return dirOf(path);
}
