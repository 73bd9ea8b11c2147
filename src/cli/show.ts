import type { Command } from './command.ts';
import type { DocumentDetailJson } from '../control/protocol/documents.ts';
import { local, size } from '../core/domain/words.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { withReading } from './reading.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

export function addShow(program: Command, io: Io): void {
  program
    .command('show')
    .argument('<document>', 'name of the document, the start of its name, or a file')
    .description("show everything about a document: files, attempts, the service's answer")
    .option('--config <file>', 'config file')
    .option('--json', 'as a JSON array, one object per endpoint that has the name')
    .explain({ examples: ['show SCAN0001-5e8ff9bf55ba', 'show scan0001.jpg'] })
    .action(async (name: string, options: JsonOption) => {
      const config = await configOf(io, options);
      return withReading(config, async (reading) => {
        const details = await reading.details(name);
        if (options.json) printJson(io, details);
        else for (const detail of details) printDetail(io, detail);
      });
    });
}

/** Limits the shown response, which would otherwise push everything else off the screen. */
const ANSWER_CHARACTERS = 2_000;

function printDetail(io: Io, detail: DocumentDetailJson): void {
  const colors = colorsFor(io, io.stdout);
  const line = (label: string, value: string) => print(io, `  ${label.padEnd(10)} ${escapeUnsafe(value)}`);
  print(io, colors.bold(escapeUnsafe(detail.name)));
  line('state', detail.state + (detail.status === null ? '' : ` (service: ${detail.status})`));
  if (detail.message !== null && detail.state !== 'accepted') line('why', detail.message);
  if (detail.notBefore !== null && Date.parse(detail.notBefore) > Date.now())
    line('next try', `not before ${local(detail.notBefore)}`);
  if (detail.answerLost)
    line(
      'note',
      'One upload got no clear answer, so the document was or will be sent again under the same name.',
    );
  line('endpoint', `${detail.endpointUid} at ${detail.baseUrl}`);
  line('sha256', detail.sha256);
  line('image', `${detail.type}, ${detail.size} bytes`);
  line('named', local(detail.createdAt));
  for (const { path, verdict, goneAt, disposed, archivedTo, remark } of detail.files) {
    const became = archivedTo ?? disposed ?? (goneAt === null ? 'there' : `gone since ${local(goneAt)}`);
    const isErased = detail.path === '' && path === detail.folder;
    const where = isErased ? `erased; it was in ${path}` : path;
    line(verdict === 'duplicate' ? 'duplicate' : 'file', `${where} (${became})`);
    if (remark !== null) line('quality', remark);
  }
  for (const { startedAt, finishedAt, outcome, httpStatus, message } of detail.attempts) {
    const took = finishedAt === null ? 'running' : `${Date.parse(finishedAt) - Date.parse(startedAt)} ms`;
    const said = [outcome ?? 'open', httpStatus === null ? '' : `HTTP ${httpStatus}`, took, message ?? ''];
    line('attempt', `${local(startedAt)}  ${said.filter((part) => part !== '').join(', ')}`);
  }
  for (const { id, receivedAt, status, size: bytes } of detail.results) {
    const said = [status ?? 'no status', size(bytes), `receiptd results show ${id}`];
    line('result', `${local(receivedAt)}  ${said.join(', ')}`);
  }
  if (detail.response === null) return;
  const { response, responseCut: cut } = detail;
  line('answer', response.slice(0, ANSWER_CHARACTERS));
  if (response.length > ANSWER_CHARACTERS) line('', '(--json shows more of it)');
  if (cut !== null)
    line('', `(the ledger keeps the beginning of ${size(cut.bytes)}; SHA-256 of all: ${cut.sha256})`);
}
