import type { Command } from './command.ts';
import { endpointOf } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { counted } from '../core/domain/words.ts';
import type { Response } from '../control/protocol/protocol.ts';
import { inParts } from './inParts.ts';
import { fitted, print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { configOf, hasLedger, operate, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

/** Commands that change documents and holds, in the running daemon or, if none runs, directly on the ledger. */
export function addResends(program: Command, io: Io): void {
  const by = operatorName();

  program
    .command('retry')
    .argument('[document...]', 'document names, the start of names, or files')
    .description('queue failed, unconfirmed, lost and waiting documents again now, under the same names')
    .option('--config <file>', 'config file')
    .option('--all', 'all such documents; also retries everything on hold')
    .option('--json', 'as JSON: { queued, names }')
    .explain({ examples: ['retry SCAN0001-5e8ff9bf55ba', 'retry --all'] })
    .action(async (names: string[], options: JsonOption & { all?: boolean }) => {
      if (!options.all && names.length === 0) {
        throw new ReceiptdError('USAGE.documentOrAll');
      }
      const config = await configOf(io, options);
      const request = options.all ? { all: true, by } : { names, by };
      const { parts, count: queued } = await inParts(
        io,
        config,
        'retry',
        request,
        (part) => part.queued,
        (count) => `Queued ${counted(count, 'document')} so far`,
      );
      const { names: meant, missing = [] } = parts[0];
      if (options.json) printJson(io, { queued, names: meant, ...(missing.length > 0 && { missing }) });
      else {
        const held = options.all ? ' Everything on hold is being retried now.' : '';
        const which = meant.length === 0 ? '' : `: ${escapeUnsafe(meant.join(', '))}`;
        print(io, `Queued ${counted(queued, 'document')}${which}.${held}`);
        for (const agent of missing)
          print(
            io,
            `Agent ${escapeUnsafe(agent)}, which alone has the image, is not running. Start it, or give it up: \`receiptd fleet retire ${escapeUnsafe(agent)}\`.`,
          );
      }
    });

  program
    .command('resend')
    .argument('<document>', 'name of the document, the start of its name, or a file')
    .description('send an accepted document again; this is recorded and counts against the quota')
    .option('--config <file>', 'config file')
    .option('--endpoint <alias>', 'send to this endpoint instead of its own')
    .option('--json', 'as JSON: { name, endpointUid, outcome }')
    .explain({ examples: ['resend SCAN0001-5e8ff9bf55ba --endpoint archive'] })
    .action(async (name: string, options: JsonOption & { endpoint?: string }) => {
      const config = await configOf(io, options);
      const { endpoint } = options;
      const result = await operate(io, config, 'resend', { name, by, endpoint });
      if (options.json) printJson(io, result);
      else if (result.outcome === 'duplicate')
        print(io, `That endpoint already has this image, as "${escapeUnsafe(result.name)}".`);
      else print(io, `Queued "${escapeUnsafe(result.name)}" for endpoint ${result.endpointUid}.`);
    });
}

export function addMoves(program: Command, io: Io): void {
  const by = operatorName();
  program
    .command('move')
    .argument('<from>', 'uid of an endpoint that is no longer configured')
    .argument('<to>', 'alias of the endpoint that gets its documents')
    .description('move everything that waits for an endpoint that is gone to another one')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { moved }')
    .explain({ examples: ['move 11111111-2222-4333-8444-555555555555 office'] })
    .action(async (from: string, endpoint: string, options: JsonOption) => {
      const config = await configOf(io, options);
      const filter = { endpoint: endpointOf(from) ?? { baseUrl: config.service.baseUrl, uid: from } };
      let moved = 0;
      let next: string | null = null;
      do {
        const request = {
          act: 'move',
          endpoint,
          filter,
          by,
          ...(next !== null && { cursor: next }),
        } as const;
        const part: Response<'actOnMany'> = await operate(io, config, 'actOnMany', request);
        moved += part.count;
        next = part.next;
      } while (next !== null);
      if (moved === 0) throw new ReceiptdError('ENDPOINT_UNKNOWN.nothingWaits', { from });
      if (options.json) printJson(io, { moved });
      else print(io, `Moved ${counted(moved, 'document')} to ${escapeUnsafe(endpoint)}.`);
    });
}

export function addPauses(program: Command, io: Io): void {
  const by = operatorName();
  for (const [command, done, about] of [
    ['pause', 'Paused', 'pause uploads; scans are still named and recorded'],
    ['resume', 'Resumed', 'resume paused uploads'],
  ] as const) {
    program
      .command(command)
      .argument('[target]', 'a folder or an endpoint; all if omitted')
      .description(about)
      .option('--config <file>', 'config file')
      .option('--json', 'as JSON: { targets }')
      .explain({ examples: [command, `${command} office`, `${command} /srv/scans`] })
      .action(async (target: string | undefined, options: JsonOption) => {
        const config = await configOf(io, options);
        const isNew = !(await hasLedger(config));
        const result = await operate(io, config, command, { by, target });
        if (isNew)
          io.stderr.write(
            `${fitted(io.stderr, escapeUnsafe(`warning: ${config.stateDir} had no ledger; a new one was created.`))}\n`,
          );
        if (options.json) printJson(io, result);
        else
          print(
            io,
            result.targets.length === 0
              ? 'Nothing was paused.'
              : `${done} ${escapeUnsafe(result.targets.join(', '))}.`,
          );
      });
  }
}
