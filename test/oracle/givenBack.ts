/** P6: what a document or request took of a limit is free again once it is over, judged by what anybody may see. */
import type { Rule } from './rule.ts';
import type { Seen } from './seen.ts';

export const GIVEN_BACK: readonly Rule[] = [
  {
    promise: 'P6',
    rule: 'what was taken is given back',
    *owed(seen) {
      const { status } = seen;
      for (const { name, state } of seen.standings())
        if (state === 'uploading') yield `${name} is still being uploaded`;
      for (const sha256 of seen.copies.keys())
        if (!isNeeded(seen, sha256)) yield `a copy that nothing needs is in the spool: ${sha256}`;
      if (status === null) return;
      const open = seen.arrivals.filter(
        ({ endedAt, life }) => endedAt === Infinity && !seen.livesEnded.has(life),
      );
      if (status.inFlight > open.length)
        yield `${status.inFlight} requests count as in flight; at the service, there are ${open.length}`;
      const bytes = [...seen.copies.values()].reduce((sum, size) => sum + size, 0);
      if (status.spoolUsed > bytes) yield `${status.spoolUsed} bytes count as spooled; there are ${bytes}`;
    },
    *end(seen) {
      for (const { name, path, state } of seen.end.rows ?? [])
        if (state === 'uploading') yield `${name ?? path} is uploading, although nothing runs`;
    },
  },
];

/** Whether anything may still be sent, or be drawn, from these bytes. */
function isNeeded(seen: Seen, sha256: string): boolean {
  const { books, deferred } = seen;
  return (
    [...books.documents.values()].some((each) => each.sha256 === sha256 && each.state !== 'accepted') ||
    [...books.open.values()].some((each) => each.sha256 === sha256) ||
    deferred.some((image) => image.sha256 === sha256 && !seen.isAdmitted(image))
  );
}
