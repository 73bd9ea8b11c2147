import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Command } from './command.ts';
import { endpointOf } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Response } from '../control/protocol/protocol.ts';
import { inParts } from './inParts.ts';
import { fitted, print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { momentOf } from './optionValues.ts';
import { configOf, hasLedger, operate, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

/** Commands that change documents and holds, in the running daemon or, if none runs, directly on the ledger. */
export function addResends(program: Command, io: Io): void {
  const by = operatorName();
  const { help, option, retry: words, resend } = io.texts;

  program
    .command('retry')
    .argument('[document...]', help.retry.documents)
    .description(help.retry.about)
    .option('--config <file>', option.config)
    .option('--all', help.retry.all)
    .option('--json', help.retry.json)
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
        words.soFar,
      );
      const { names: meant, missing = [] } = parts[0];
      if (options.json) printJson(io, { queued, names: meant, ...(missing.length > 0 && { missing }) });
      else {
        const held = options.all ? ` ${words.held}` : '';
        print(io, `${words.queued(queued, meant.map(escapeUnsafe))}${held}`);
        for (const agent of missing) print(io, words.missing(escapeUnsafe(agent)));
      }
    });

  program
    .command('resend')
    .argument('<document>', option.document)
    .description(help.resend.about)
    .option('--config <file>', option.config)
    .option('--endpoint <alias>', help.resend.endpoint)
    .option('--json', help.resend.json)
    .explain({ examples: ['resend SCAN0001-5e8ff9bf55ba --endpoint archive'] })
    .action(async (name: string, options: JsonOption & { endpoint?: string }) => {
      const config = await configOf(io, options);
      const { endpoint } = options;
      const result = await operate(io, config, 'resend', { name, by, endpoint });
      if (options.json) printJson(io, result);
      else if (result.outcome === 'duplicate') print(io, resend.duplicate(escapeUnsafe(result.name)));
      else print(io, resend.queued(escapeUnsafe(result.name), result.endpointUid));
    });
}

export function addMoves(program: Command, io: Io): void {
  const by = operatorName();
  const { move: help } = io.texts.help;
  program
    .command('move')
    .argument('<from>', help.from)
    .argument('<to>', help.to)
    .description(help.about)
    .option('--config <file>', io.texts.option.config)
    .option('--json', help.json)
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
      else print(io, io.texts.move.moved(moved, escapeUnsafe(endpoint)));
    });
}

/** An endpoint as it is named; a folder by its path, from where the command was started. */
function targetOf({ cwd }: Io, { endpoints, folders }: Config, target: string): string {
  const path = resolve(cwd, target);
  const isFolder = folders.some((each) => each.path === path);
  const isEndpoint = endpoints.some(({ alias, key }) => alias === target || key.uid === target);
  // What is paused at an endpoint that is gone has an address for a name.
  const isPath = /^\.|[/\\]/.test(target) && !target.includes('://');
  return !isEndpoint && (isFolder || isPath) ? path : target;
}

export function addPauses(program: Command, io: Io): void {
  const by = operatorName();
  const { help, option, pauses: words } = io.texts;
  for (const command of ['pause', 'resume'] as const) {
    const { about, ...more } = help[command];
    const parsed = program
      .command(command)
      .argument('[target]', help.pauses.target)
      .description(about)
      .option('--config <file>', option.config);
    if ('until' in more) parsed.option('--until <time>', more.until);
    parsed
      .option('--json', help.pauses.json)
      .explain({
        examples: [
          command,
          ...('until' in more ? [`${command} --until 08:00`] : []),
          `${command} office`,
          `${command} /srv/scans`,
        ],
      })
      .action(async (target: string | undefined, options: JsonOption & { until?: string }) => {
        const config = await configOf(io, options);
        const isNew = !(await hasLedger(config));
        const until = options.until === undefined ? null : momentOf('--until', options.until, Date.now());
        const result = await operate(io, config, command, {
          by,
          target: target === undefined ? undefined : targetOf(io, config, target),
          ...(until !== null && { until: new Date(until).toISOString() }),
        });
        if (isNew) io.stderr.write(`${fitted(io.stderr, escapeUnsafe(words.newLedger(config.stateDir)))}\n`);
        if (options.json) printJson(io, result);
        else if (result.targets.length === 0) print(io, words.nothing);
        else {
          const targets = result.targets.map((each) =>
            each === '*' ? words.everything : escapeUnsafe(each),
          );
          print(io, words[command](targets, until));
        }
      });
  }
}
