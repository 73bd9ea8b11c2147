import type { AttemptOutcome } from '../../core/domain/document.ts';
import { isFault, type Uploads } from '../../core/messages.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Meter } from '../../core/ports/meter.ts';
import type { ReceiptService } from '../../core/ports/service.ts';

/** Null while metrics are off. */
export type CurrentMeter = () => Meter | null;

/** Wraps a ledger with metrics. */
export function meteredLedger(ledger: Ledger, meter: CurrentMeter, clock: Clock): Ledger {
  const counted = <T>(write: Promise<T>, count?: (meter: Meter, value: T) => void): Promise<T> => {
    if (meter() === null) return write;
    const askedAt = clock.monotonic();
    return write.then((value) => {
      const current = meter();
      current?.durable((clock.monotonic() - askedAt) / 1_000);
      if (current) count?.(current, value);
      return value;
    });
  };

  return {
    ...ledger,
    admit: (admission) =>
      counted(ledger.admit(admission), (current, { kind }) => {
        if (kind !== 'known')
          current.judged(admission.file.folder, kind === 'duplicate' ? 'duplicate' : 'document');
      }),
    async note(file, note) {
      await ledger.note(file, note);
      meter()?.judged(file.folder, note.verdict);
    },
    record(take) {
      let outcomes: readonly AttemptOutcome[] = [];
      const taken = (): Uploads => {
        const uploads = take();
        outcomes = uploads.ends.map(({ outcome }) => outcome);
        return uploads;
      };
      return counted(ledger.record(taken), (current, { ended }) => {
        for (const [n, outcome] of outcomes.entries())
          if (ended.answers !== null && !isFault(ended.answers[n])) current.ended(outcome);
      });
    },
  };
}

/** Wraps the service with metrics. */
export function meteredService(service: ReceiptService, meter: CurrentMeter, clock: Clock): ReceiptService {
  return {
    upload: (request, signal, progress) => {
      const startedAt = clock.monotonic();
      const upload = service.upload(request, signal, progress);
      if (meter() === null) return upload;
      return upload.then((answer) => {
        const end = answer.kind === 'response' ? String(answer.httpStatus) : 'none';
        const seconds = (clock.monotonic() - startedAt) / 1_000;
        meter()?.requested(request.endpoint, end, seconds, request.bytes.length);
        return answer;
      });
    },
    whoami: (signal, account) => service.whoami(signal, account),
    createEndpoint: (request, signal) => service.createEndpoint(request, signal),
    dropIdle: () => service.dropIdle?.(),
    close: () => service.close(),
  };
}
