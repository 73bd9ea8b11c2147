import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Meter } from '../../core/ports/meter.ts';
import type { ReceiptService } from '../../core/ports/service.ts';

/** Null while metrics are off. */
export type CurrentMeter = () => Meter | null;

/** Wraps a ledger with metrics. */
export function meteredLedger(ledger: Ledger, meter: CurrentMeter, clock: Clock): Ledger {
  const timed = async <T>(write: () => Promise<T>): Promise<T> => {
    const askedAt = clock.monotonic();
    const done = await write();
    meter()?.durable((clock.monotonic() - askedAt) / 1_000);
    return done;
  };
  return {
    ...ledger,
    async admit(admission) {
      const admitted = await timed(() => ledger.admit(admission));
      if (admitted.kind !== 'known')
        meter()?.judged(admission.file.folder, admitted.kind === 'duplicate' ? 'duplicate' : 'document');
      return admitted;
    },
    async note(file, note) {
      await ledger.note(file, note);
      meter()?.judged(file.folder, note.verdict);
    },
    begin: (documentId, at, bytes) => timed(() => ledger.begin(documentId, at, bytes)),
    async finish(attemptId, result, requeue) {
      await timed(() => ledger.finish(attemptId, result, requeue));
      meter()?.ended(result.outcome);
    },
    async finishReplayed(attemptId, at, httpStatus, message) {
      await timed(() => ledger.finishReplayed(attemptId, at, httpStatus, message));
      meter()?.ended('trouble');
    },
  };
}

/** Wraps the service with metrics. */
export function meteredService(service: ReceiptService, meter: CurrentMeter, clock: Clock): ReceiptService {
  return {
    upload: async (request, signal, progress) => {
      const startedAt = clock.monotonic();
      const answer = await service.upload(request, signal, progress);
      const end = answer.kind === 'response' ? String(answer.httpStatus) : 'none';
      meter()?.requested(
        request.endpoint,
        end,
        (clock.monotonic() - startedAt) / 1_000,
        request.bytes.length,
      );
      return answer;
    },
    whoami: (signal, account) => service.whoami(signal, account),
    createEndpoint: (request, signal) => service.createEndpoint(request, signal),
    dropIdle: () => service.dropIdle?.(),
    close: () => service.close(),
  };
}
