import { heldBecause } from '../core/domain/problem.ts';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Command } from './command.ts';
import { composeFolders } from '../wiring/folders.ts';
import { systemClock as clock } from '../system/systemClock.ts';
import { namesStream } from '../core/domain/windowsNames.ts';
import { holdOf, settingsToSend } from '../wiring/sendFile.ts';
import { refuseExampleUid } from '../config/exampleUid.ts';
import type { Config } from '../config/config.ts';
import type { Request } from '../control/protocol/protocol.ts';
import { SEND_LIMIT_BYTES } from '../control/protocol/sending.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { durationOf } from './optionValues.ts';
import { print, printJson, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { CliTexts } from '../texts/cli.ts';
import { withSender, type Sender } from './sender.ts';
import { configOf, type JsonOption } from './session.ts';
import { shown, type Shown } from '../core/domain/why.ts';
import { inEnglish, messageOf, textsOf } from './language.ts';

interface SendOptions extends JsonOption {
  readonly endpoint?: string;
  /** False: --no-wait. */
  readonly wait: string | false;
}

export function addSend(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { send: help } = io.texts.help;
  program
    .command('send')
    .argument('<file...>', help.file)
    .description(help.about)
    .option('--config <file>', io.texts.option.config)
    .option('--endpoint <alias>', help.endpoint)
    .option('--wait <duration>', help.wait, '60s')
    .option('--no-wait', help.noWait)
    .option('--json', help.json)
    .explain({
      examples: ['send receipt.jpg', 'send --endpoint office --wait 5m *.jpg'],
      statuses: help.statuses,
    })
    .action(async (files: string[], options: SendOptions) => {
      const config = await configOf(io, options);
      refuseExampleUid(config);
      refuseStreams(files);
      const waitMs = options.wait === false ? null : durationOf('--wait', options.wait);
      const said = await inEnglish(io, options);
      const rows = await sendAll(said, config, files, options, waitMs);
      done(io.stop.aborted ? EXIT.interrupted : statusOf(rows, waitMs === null));
      if (options.json)
        printJson(
          io,
          rows.map(({ file, outcome, name, message, fact = null }) => ({
            file,
            outcome,
            name,
            message,
            fact,
          })),
        );
      else {
        const texts = await textsOf(io);
        for (const row of rows)
          print(io, escapeUnsafe(lineOf({ ...row, message: messageOf(texts, row) }, io.texts.send)));
      }
    });
}

function refuseStreams(files: readonly string[]): void {
  const stream = files.find((file) => namesStream(file, process.platform));
  if (stream === undefined) return;
  throw new ReceiptdError('USAGE.dataStream', { stream });
}

type SendOutcome = 'accepted' | 'queued' | 'duplicate' | 'rejected' | 'failed' | 'unconfirmed' | 'lost';

interface SentRow {
  /** Path as given on the command line. */
  readonly file: string;
  readonly outcome: SendOutcome;
  readonly name: string | null;
  /** The reason, unless it was accepted. */
  readonly message: string | null;
  readonly fact?: Shown<string>['fact'];
  readonly documentId: number | null;
  /** Recorded, and not sent yet. */
  readonly waits?: boolean;
  readonly isUnreachable?: boolean;
}

async function sendAll(
  io: Io,
  config: Config,
  files: readonly string[],
  { endpoint }: SendOptions,
  waitMs: number | null,
): Promise<readonly SentRow[]> {
  const places = await Promise.all(files.map((file) => placeOf(io, file)));
  const watched = await really(config);
  // Throws for a wrong request before any file is sent.
  for (const { folder } of places) settingsToSend(watched, folder, endpoint);
  return withSender(io, config, async (sender) => {
    const taken: SentRow[] = [];
    try {
      for (const place of places) taken.push(await take(sender, config, place, endpoint, io.texts.send));
    } catch (error) {
      // Files taken in before the error stay recorded, so they are reported.
      for (const { file, name } of taken)
        if (name !== null) io.stderr.write(`${escapeUnsafe(io.texts.send.recorded(file, name))}\n`);
      throw error;
    }
    const look = () => Promise.all(taken.map((row) => standing(sender, config, row, io.texts.send)));
    if (waitMs === null || taken.every(({ documentId }) => documentId === null)) return look();
    return sender.while((stop) => untilSettled(look, waitMs, stop));
  });
}

const LOOK_EVERY_MS = 200;

/** Also returns once holds block everything that still waits: a hold can last for days. */
async function untilSettled(
  look: () => Promise<readonly SendRow[]>,
  waitMs: number,
  stop: AbortSignal,
): Promise<readonly SentRow[]> {
  const deadline = clock.monotonic() + waitMs;
  for (;;) {
    const rows = await look();
    const left = deadline - clock.monotonic();
    if (left <= 0 || stop.aborted || rows.every(({ waits, isHeld: held }) => !waits || held)) return rows;
    await clock.sleep(Math.min(left, LOOK_EVERY_MS), stop).catch(() => {});
  }
}

interface SendPlace {
  readonly file: string;
  readonly folder: string;
  readonly path: string;
}

async function placeOf({ cwd }: Io, file: string): Promise<SendPlace> {
  try {
    const real = await realpath(resolve(cwd, file));
    const about = await stat(real);
    if (!about.isFile()) throw notAFile(file, about.isDirectory());
    return { file, folder: dirname(real), path: basename(real) };
  } catch (error) {
    throw error instanceof ReceiptdError ? error : unreadable(file, systemCode(error) ?? String(error));
  }
}

/** The config with folder paths resolved, so that they match the resolved file paths. */
async function really(config: Config): Promise<Config> {
  const folders = await Promise.all(
    config.folders.map(async (each) => ({ ...each, path: await realpath(each.path).catch(() => each.path) })),
  );
  return { ...config, folders };
}

async function take(
  sender: Sender,
  config: Config,
  { file, folder, path }: SendPlace,
  endpoint: string | undefined,
  words: CliTexts['send'],
): Promise<SentRow> {
  const { maxFileSize } = settingsToSend(config, folder, endpoint);
  const limit = Math.min(maxFileSize, SEND_LIMIT_BYTES);
  const read = await composeFolders(config)(folder).read(path, limit);
  const rejected = (message: string): SentRow => ({
    file,
    outcome: 'rejected',
    name: null,
    message,
    documentId: null,
  });
  switch (read.kind) {
    case 'gone':
      return rejected(words.gone);
    case 'changed':
      return rejected(words.changed);
    case 'tooLarge':
      return rejected(limit === maxFileSize ? words.tooLarge(limit) : words.tooLargeToSend(limit));
    case 'unreadable':
      return rejected(words.unreadable(read.code));
    case 'bytes':
      break;
  }
  const { size, mtimeNs, ctimeNs, inode } = read.identity;
  const request: Request<'send'> = {
    folder,
    path,
    identity: { size, mtimeNs: String(mtimeNs), ctimeNs: String(ctimeNs), inode: String(inode) },
    bytes: read.bytes.toString('base64'),
    endpoint,
  };
  return { file, ...(await sender.take(request)) };
}

interface SendRow extends SentRow {
  readonly isHeld?: boolean;
}

/** The row with the document's current state. */
async function standing(
  sender: Sender,
  config: Config,
  row: SentRow,
  words: CliTexts['send'],
): Promise<SendRow> {
  if (row.documentId === null) return row;
  const document = await sender.standing(row.documentId);
  const { state, message } = document;
  if (state !== 'queued' && state !== 'uploading') {
    if (state === 'accepted') return { ...row, outcome: row.outcome === 'duplicate' ? 'duplicate' : state };
    return { ...row, outcome: state, ...shown(message) };
  }
  const hold = holdOf(document, await sender.holds(), config);
  const [note = words.itsTurn] = hold || message ? [] : await sender.notes();
  return {
    ...row,
    waits: true,
    ...shown((hold && heldBecause(hold)) ?? message ?? note),
    isHeld: hold?.isHeld ?? false,
    isUnreachable: hold?.scope === 'service',
  };
}

function lineOf({ file, outcome, name: named, message, waits }: SentRow, words: CliTexts['send']): string {
  const name = named ?? '';
  const why = message === null ? '' : ` (${message.replace(/\.$/, '')})`;
  switch (outcome) {
    case 'accepted':
      return words.accepted(file, name);
    case 'duplicate':
      return waits ? `${words.duplicateWaits(file, name)}${why}` : words.duplicate(file, name);
    case 'rejected':
      return words.rejected(file, message ?? '');
    case 'queued':
    case 'failed':
    case 'unconfirmed':
    case 'lost':
      return `${words[outcome](file, name)}${why}`;
  }
}

/** Same statuses as `run --once`; with --no-wait, recording the files counts as success. */
function statusOf(rows: readonly SentRow[], isKeptEnough: boolean): ExitStatus {
  const has = (...outcomes: SendOutcome[]) => rows.some(({ outcome }) => outcomes.includes(outcome));
  if (!isKeptEnough && rows.some(({ waits, isUnreachable }) => waits && isUnreachable))
    return EXIT.unreachable;
  if (has('rejected', 'failed', 'lost')) return EXIT.refused;
  if (has('unconfirmed') || (!isKeptEnough && rows.some(({ waits }) => waits))) return EXIT.waiting;
  return EXIT.ok;
}

function notAFile(file: string, isFolder: boolean): ReceiptdError {
  return new ReceiptdError('FILE_UNREADABLE.notAFile', { file, isFolder });
}

function unreadable(file: string, code: string): ReceiptdError {
  return new ReceiptdError('FILE_UNREADABLE.notSent', { file, system: code });
}
