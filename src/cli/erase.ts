import type { Command } from './command.ts';
import { withReports } from '../ledger/configured/reports.ts';
import type { Config } from '../config/config.ts';
import { namedDocuments } from '../control/queries/namedDocuments.ts';
import type { Document } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { ask, canAsk } from './ask.ts';
import { iso } from '../core/domain/words.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import { inParts } from './inParts.ts';
import { dayOf } from './optionValues.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

interface EraseOptions extends JsonOption {
  readonly before?: string;
  readonly withOriginals?: boolean;
  readonly yes?: boolean;
}

export function addErase(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { help: all, option, erase: words } = io.texts;
  const { erase: help } = all;
  program
    .command('erase')
    .argument('[document...]', help.documents)
    .description(help.about)
    .option('--config <file>', option.config)
    .option('--before <date>', help.before)
    .option('--with-originals', help.withOriginals)
    .option('--yes', option.yes)
    .option('--json', help.json)
    .explain({
      examples: ['erase SCAN0001-5e8ff9bf55ba', 'erase --before 2020-01-01 --yes'],
      more: `${words.goes}\n${words.stays}\n${help.there}`,
    })
    .action(async (names: string[], options: EraseOptions) => {
      const before = options.before === undefined ? null : dayOf('--before', options.before);
      if ((before === null) === (names.length === 0)) {
        throw new ReceiptdError('USAGE.documentOrBefore');
      }
      const config = await configOf(io, options);
      const found = await whatToErase(config, names, before, !options.yes);
      if (found.erasable > 0 && !options.yes) await confirm(io, found, options.before);
      const result =
        found.erasable === 0 && before === null
          ? { erased: 0, skipped: found.waiting, there: [] }
          : await eraseAll(io, config, {
              by: operatorName(),
              withOriginals: options.withOriginals,
              ...(before === null ? { names: [...found.names] } : { before: iso(before) }),
            });
      if (result.there.length > 0) done(EXIT.failed);
      if (options.json) return printJson(io, result);
      print(io, words.erased(result.erased));
      for (const { name, files } of result.there) {
        print(io, words.there(escapeUnsafe(name), files.length));
        for (const file of files) print(io, `  ${escapeUnsafe(file)}`);
        print(io, (options.withOriginals ? words.moveAway : words.moveAwayOr)(files.length));
      }
      if (result.skipped.length === 0) return;
      print(io, words.waiting);
      for (const name of result.skipped) print(io, `  ${escapeUnsafe(name)}`);
    });
}

async function eraseAll(
  io: Io,
  config: Config,
  request: Request<'erase'>,
): Promise<Omit<Response<'erase'>, 'next'>> {
  const { parts, count } = await inParts(
    io,
    config,
    'erase',
    request,
    ({ erased }) => erased,
    io.texts.erase.soFar,
  );
  return { erased: count, skipped: parts[0].skipped, there: parts.flatMap(({ there }) => there) };
}

interface ErasureScope {
  readonly erasable: number;
  readonly waiting: string[];
  /** Full names of the documents. */
  readonly names: readonly string[];
}

async function whatToErase(
  config: Config,
  names: readonly string[],
  before: number | null,
  isAsked: boolean,
): Promise<ErasureScope> {
  return withReports(config, async (reports) => {
    if (before !== null) return { erasable: (await reports.erasable(before)).length, waiting: [], names: [] };
    const waiting: string[] = [];
    const meant = new Set<string>();
    let erasable = 0;
    for (const name of new Set(names)) {
      // Without a confirmation prompt the full name is required.
      const documents = isAsked ? await namedDocuments(reports, name) : await reports.find(name);
      if (documents.length === 0) throw await notInFull(reports, name);
      for (const document of documents) {
        meant.add(document.name);
        if (isWaiting(document)) waiting.push(document.name);
        else erasable += 1;
      }
    }
    return { erasable, waiting, names: [...meant] };
  });
}

/** @throws ReceiptdError if no document matches, or more than one */
async function notInFull(
  reports: Parameters<typeof namedDocuments>[0],
  written: string,
): Promise<ReceiptdError> {
  const [{ name }] = await namedDocuments(reports, written);
  return new ReceiptdError('USAGE.nameNotInFull', { written, name });
}

function isWaiting({ state }: Document): boolean {
  return state === 'queued' || state === 'uploading';
}

async function confirm(io: Io, { erasable, names }: ErasureScope, before: string | undefined): Promise<void> {
  const { erase: words } = io.texts;
  const shown = names.map(escapeUnsafe);
  if (!canAsk(io)) {
    throw new ReceiptdError('CONFIRMATION_NEEDED.erase', {
      count: erasable,
      names: shown,
      before: before ?? null,
    });
  }
  io.stderr.write(`${words.goes}\n${words.stays}\n`);
  const question = before === undefined ? words.ask(erasable, shown) : words.askBefore(erasable, before);
  if (await ask(io, question)) return;
  throw new ReceiptdError('CONFIRMATION_NEEDED.nothingErased');
}
