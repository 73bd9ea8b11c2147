import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config/config.ts';
import { aliasOf } from '../control/queries/csv.ts';
import type { Command } from './command.ts';
import type { DocumentDetailJson } from '../control/protocol/documents.ts';
import { commandLine } from './help.ts';
import { colorsFor, fitted, isTerminal, print, printJson, type Io } from './io.ts';
import { withReading, type LedgerReading } from './reading.ts';
import { configOf, type JsonOption } from './session.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { Texts } from '../texts/texts.ts';
import { messageOf, textsOf } from './language.ts';
import { wrapLine } from './wrap.ts';

export function addShow(program: Command, io: Io): void {
  const { help, option } = io.texts;
  program
    .command('show')
    .argument('<document>', option.document)
    .description(help.show.about)
    .option('--config <file>', option.config)
    .option('--json', help.show.json)
    .explain({
      examples: ['show SCAN0001-5e8ff9bf55ba', 'show scan0001.jpg'],
      more: help.show.byContent,
    })
    .action(async (written: string, options: JsonOption) => {
      const config = await configOf(io, options);
      const content = await contentOf(resolve(io.cwd, written), io.stop);
      return withReading(config, async (reading) => {
        const details = await (content === null
          ? reading.details({ name: written })
          : detailsOfFile(io, reading, written, content));
        if (options.json) printJson(io, details);
        else {
          const texts = await textsOf(io);
          for (const detail of details) printDetail(io, detail, { texts, endpoints: config.endpoints });
        }
      });
    });
}

/** SHA-256 of the file at this path; null if there is no file, `unreadable` if this user can't read it. */
async function contentOf(path: string, signal: AbortSignal): Promise<string | null> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return null;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash, { signal });
    return hash.digest('hex');
  } catch (error) {
    if (signal.aborted) throw error;
    return UNREADABLE;
  }
}

const UNREADABLE = 'unreadable';

/** A file is known by its content, wherever it lies now; only if none has that content, by its path. */
async function detailsOfFile(
  io: Io,
  reading: LedgerReading,
  file: string,
  content: string,
): Promise<readonly DocumentDetailJson[]> {
  const { show: words } = io.texts;
  const tell = (note: string) => void io.stderr.write(`${fitted(io.stderr, escapeUnsafe(note))}\n`);
  if (content === UNREADABLE) {
    tell(words.unreadable(file));
    return reading.details({ name: file });
  }
  const sameContent = await reading.details({ sha256: content }).catch((error: unknown) => {
    if (!(error instanceof ReceiptdError) || error.code !== 'DOCUMENT_UNKNOWN') throw error;
    // It was seen and not sent, which is the answer.
    if (error.key === 'DOCUMENT_UNKNOWN.fileOnly') throw error;
    return null;
  });
  if (sameContent !== null) return sameContent;
  const samePath = await reading.details({ name: file }).catch((error: unknown) => {
    // What lies at this path was seen and not sent, even if its content is not recorded (yet).
    if (error instanceof ReceiptdError && error.key === 'DOCUMENT_UNKNOWN.fileOnly') throw error;
    if (error instanceof ReceiptdError && /^DOCUMENT_(UNKNOWN|AMBIGUOUS)$/.test(error.code)) return null;
    throw error;
  });
  if (samePath === null) throw new ReceiptdError('DOCUMENT_UNKNOWN.content', { file, sha256: content });
  tell(words.otherContent(file));
  return samePath;
}

/** Limits the shown response, which would otherwise push everything else off the screen. */
const ANSWER_CHARACTERS = 2_000;

function printDetail(
  io: Io,
  detail: DocumentDetailJson,
  { texts, endpoints }: { readonly texts: Texts; readonly endpoints: Config['endpoints'] },
): void {
  const colors = colorsFor(io, io.stdout);
  const {
    show: words,
    format: { bytes, number, time },
  } = io.texts;
  const width = isTerminal(io.stdout) ? io.stdout.columns || 80 : Infinity;
  const line = (label: string, value: string) => {
    const start = `  ${label.padEnd(10)} `;
    print(io, wrapLine(start + escapeUnsafe(value), width, undefined, start.length).join('\n'));
  };
  print(io, colors.bold(escapeUnsafe(detail.name)));
  line(words.state, detail.state + (detail.status === null ? '' : ` (${words.serviceSays(detail.status)})`));
  const why = messageOf(texts, detail);
  if (why !== null && detail.state !== 'accepted') line(words.why, why);
  if (detail.notBefore !== null && Date.parse(detail.notBefore) > Date.now())
    line(words.nextTry, words.notBefore(detail.notBefore));
  if (detail.answerLost) line(words.note, words.answerLost);
  line(words.endpoint, words.endpointAt(aliasOf(detail, endpoints), detail.endpointUid, detail.baseUrl));
  line(words.sha256, detail.sha256);
  line(words.image, words.imageOf(detail.type, detail.size));
  line(words.named, time(detail.createdAt));
  for (const { path, verdict, goneAt, disposed, archivedTo, remark, remarkFact } of detail.files) {
    const stays = goneAt === null ? words.there : words.gone(goneAt);
    const became = archivedTo ?? (disposed === null ? stays : words.disposed[disposed]);
    const isErased = detail.path === '' && path === detail.folder;
    const where = isErased ? words.erased(path) : path;
    line(verdict === 'duplicate' ? words.duplicate : words.file, `${where} (${became})`);
    if (remark !== null) line(words.quality, messageOf(texts, { message: remark, fact: remarkFact }));
  }
  for (const { startedAt, finishedAt, outcome, httpStatus, message, fact } of detail.attempts) {
    const took =
      finishedAt === null ? words.underWay : `${number(Date.parse(finishedAt) - Date.parse(startedAt))} ms`;
    const said = [
      words.outcomes[outcome ?? 'open'],
      httpStatus === null ? '' : `HTTP ${httpStatus}`,
      took,
      messageOf(texts, { message, fact }) ?? '',
    ];
    line(words.attempt, `${time(startedAt)}  ${said.filter((part) => part !== '').join(', ')}`);
  }
  for (const { id, receivedAt, status, size } of detail.results) {
    const said = [status ?? words.noStatus, bytes(size), commandLine('results', 'show', String(id))];
    line(words.result, `${time(receivedAt)}  ${said.join(', ')}`);
  }
  if (detail.response === null) return;
  const { response, responseCut: cut } = detail;
  line(words.answer, response.slice(0, ANSWER_CHARACTERS));
  if (response.length > ANSWER_CHARACTERS) line('', `(${words.more})`);
  if (cut !== null) line('', `(${words.cut(cut.bytes, cut.sha256)})`);
}
