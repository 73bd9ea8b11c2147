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
      send: refuse('files'),
      resultsPath: refuse('secrets'),
      openConsole: refuse('signIn'),
      recordEndpoint: refuse('endpointMadeElsewhere'),
      // Access to the console must not allow writing files anywhere.
      ...(backup && {
        backup: ((request) =>
          request.output === undefined
            ? backup(request)
            : refuse('backupElsewhere')()) as Operations['backup'],
      }),
    },
  };
}

type Beyond = 'files' | 'secrets' | 'signIn' | 'endpointMadeElsewhere' | 'backupElsewhere';

function refuse(what: Beyond): () => Promise<never> {
  return async () => {
    throw new ReceiptdError(`CONSOLE_REFUSED.${what}`);
  };
}
