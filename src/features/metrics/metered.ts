import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Meter } from '../../core/ports/meter.ts';
import type { ReceiptService } from '../../core/ports/service.ts';

/** Null while metrics are off. */
export type CurrentMeter = () => Meter | null;

/** Wraps a ledger with metrics. */
export function meteredLedger(ledger: Ledger, meter: CurrentMeter, clock: Clock): Ledger {
  const durable = (askedAt: number): void => meter()?.durable((clock.monotonic() - askedAt) / 1_000);

  return {
    ...ledger,
    async admit(admission) {
      const askedAt = clock.monotonic();
      const admitted = await ledger.admit(admission);
      durable(askedAt);
      if (admitted.kind !== 'known')
        meter()?.judged(admission.file.folder, admitted.kind === 'duplicate' ? 'duplicate' : 'document');
      return admitted;
    },
    async note(file, note) {
      await ledger.note(file, note);
      meter()?.judged(file.folder, note.verdict);
    },
    async begin(documentId, at, bytes) {
      const askedAt = clock.monotonic();
      const attempt = await ledger.begin(documentId, at, bytes);
      durable(askedAt);
      return attempt;
    },
    async finish(attemptId, result, requeue) {
      const askedAt = clock.monotonic();
      await ledger.finish(attemptId, result, requeue);
      durable(askedAt);
      meter()?.ended(result.outcome);
    },
    async finishReplayed(attemptId, at, httpStatus, message) {
      const askedAt = clock.monotonic();
      await ledger.finishReplayed(attemptId, at, httpStatus, message);
      durable(askedAt);
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
