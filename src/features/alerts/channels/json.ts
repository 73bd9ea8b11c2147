import { iso } from '../../../core/domain/words.ts';
import type { Alert } from '../../../core/ports/alert.ts';

/** An alert as JSON for programs; see docs/alerts.md. */
export function alertJson({ id, at, since, until, causes, ...rest }: Alert): string {
  return JSON.stringify({
    type: `alert.${rest.kind}`,
    timestamp: iso(at),
    data: {
      id,
      kind: rest.kind,
      host: rest.host,
      code: rest.code,
      subject: rest.subject,
      text: rest.text,
      hint: rest.hint,
      since: isoOrNull(since),
      until: isoOrNull(until),
      follows: rest.follows,
      causes: causes.map((cause) => ({
        key: cause.key,
        code: cause.condition.code,
        params: cause.condition.params,
        message: cause.message,
        hint: cause.hint,
        since: iso(cause.since),
        until: isoOrNull(cause.until),
        count: cause.count,
      })),
    },
  });
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
