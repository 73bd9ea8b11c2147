import { ReceiptdError } from '../../core/domain/errors.ts';
import { isOperation, type Operations } from '../../control/protocol/protocol.ts';
import type { Offer } from '../../control/server/respond.ts';

type Anything = (request: Record<string, unknown>) => Promise<unknown>;

/** The operations that a browser may call. The server, not the page, sets the operator that is recorded. */
export function offerOverHttp(offer: Offer): Offer {
  const operations: Record<string, Anything> = {};
  for (const [name, operation] of Object.entries(offer.operations)) {
    if (!isOperation(name)) continue;
    const perform = operation as Anything;
    operations[name] = async (request) => perform({ ...request, by: 'console' });
  }
  const { backup } = operations;
  return {
    ...offer,
    operations: {
      ...(operations as Partial<Operations>),
      send: refuse('The console does not accept files.', 'Use `receiptd send FILE`.'),
      resultsPath: refuse('The console does not show secrets.', 'Use `receiptd results url`.'),
      openConsole: refuse("The console can't sign in other people.", 'Use `receiptd console`.'),
      recordEndpoint: refuse(
        'The console does not record endpoints that were created elsewhere.',
        'Create one, or use `receiptd endpoint create`.',
      ),
      // Access to the console must not allow writing files anywhere.
      ...(backup && {
        backup: ((request) =>
          request.output === undefined
            ? backup(request)
            : refuse(
                'The console can only create backups alongside the automatic ones.',
                'To back up to another place, use `receiptd backup FILE`.',
              )()) as Operations['backup'],
      }),
    },
  };
}

function refuse(message: string, hint: string): () => Promise<never> {
  return async () => {
    throw new ReceiptdError('CONSOLE_REFUSED', message, { hint });
  };
}
