import type { Command } from './command.ts';
import { withReports } from '../ledger/configured/reports.ts';
import type { Config } from '../config/config.ts';
import { namedDocuments } from '../control/queries/namedDocuments.ts';
import type { Document } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { ask, canAsk } from './ask.ts';
import { counted, iso } from '../core/domain/words.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import { inParts } from './inParts.ts';
import { dayOf } from './optionValues.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

interface Options extends JsonOption {
  readonly before?: string;
  readonly withOriginals?: boolean;
  readonly yes?: boolean;
}

const WHAT_GOES =
  "Erased permanently: the paths of their files, all messages, and the service's answers; in the ledger, " +
  'in its journal, and in copies in the spool.';
const WHAT_STAYS =
  'Name, hash, times and states stay, so the journal can still be verified. Not erased: ' +
  'the archive, the service itself, log files, exports, and earlier backups.';
const WHAT_IS_THERE =
  'A document is skipped while its file is in a watched folder: its path would be recorded again within a minute. ' +
  'Move the file away, or add --with-originals.';

export function addErase(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  program
    .command('erase')
    .argument('[document...]', 'document names')
    .description('permanently erase the personal data of documents (paths, messages, answers)')
    .option('--config <file>', 'config file')
    .option('--before <date>', 'all documents named before this day (YYYY-MM-DD, local time)')
    .option('--with-originals', 'also delete their files in watched folders, if accepted and unchanged')
    .option('--yes', "don't ask")
    .option('--json', 'as JSON: { erased, skipped, there }')
    .explain({
      examples: ['erase SCAN0001-5e8ff9bf55ba', 'erase --before 2020-01-01 --yes'],
      more: `${WHAT_GOES}\n${WHAT_STAYS}\n${WHAT_IS_THERE} Documents still waiting to be sent are skipped too.`,
    })
    .action(async (names: string[], options: Options) => {
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
      print(io, `Erased the personal data of ${counted(result.erased, 'document')}.`);
      for (const { name, files } of result.there) {
        const [are, them] = files.length === 1 ? ['file is', 'it'] : ['files are', 'them'];
        print(io, `Not erased: ${escapeUnsafe(name)}, because its ${are} still in a watched folder:`);
        for (const file of files) print(io, `  ${escapeUnsafe(file)}`);
        print(
          io,
          `Move ${them} away first${options.withOriginals ? '' : ', or add --with-originals to delete accepted files'}.`,
        );
      }
      if (result.skipped.length === 0) return;
      print(io, `Not erased, because still waiting to be sent:`);
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
    (erased) => `Erased the personal data of ${counted(erased, 'document')} so far`,
  );
  return { erased: count, skipped: parts[0].skipped, there: parts.flatMap(({ there }) => there) };
}

interface Found {
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
): Promise<Found> {
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

async function confirm(io: Io, { erasable, names }: Found, before: string | undefined): Promise<void> {
  const which = before === undefined ? ` (${escapeUnsafe(names.join(', '))})` : ` named before ${before}`;
  const what = `${counted(erasable, 'document')}${which}`;
  if (!canAsk(io)) {
    throw new ReceiptdError('CONFIRMATION_NEEDED.erase', {
      count: erasable,
      names: names.map((name) => escapeUnsafe(name)),
      before: before ?? null,
    });
  }
  io.stderr.write(`${WHAT_GOES}\n${WHAT_STAYS}\n`);
  if (await ask(io, `Erase the personal data of ${what}?`)) return;
  throw new ReceiptdError('CONFIRMATION_NEEDED.nothingErased');
}
