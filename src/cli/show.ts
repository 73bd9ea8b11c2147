import type { Command } from 'commander';
import { openReports } from '../compose/reports.ts';
import { detailJson } from '../daemon/reading/documents.ts';
import { unknownDocument } from '../daemon/unknownDocument.ts';
import type { DocumentDetail } from '../ports/ledgerReports.ts';
import { local } from '../domain/words.ts';
import { helpOf } from './help.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { configOf, type ConfigOption } from './session.ts';
import { printable } from './printable.ts';

export function addShow(program: Command, io: Io): void {
  program
    .command('show')
    .argument('<name>', 'name of the document')
    .description('everything that is known of one document: files, attempts, the answer of the service')
    .option('--config <file>', 'config file')
    .option('--json', 'as a JSON array, one object for each endpoint that has the name')
    .addHelpText('after', helpOf({ examples: ['show SCAN0001-5e8ff9bf55ba'] }))
    .action(async (name: string, options: ConfigOption & { json?: boolean }) => {
      const config = await configOf(io, options);
      const reports = await openReports(config);
      try {
        const documents = await reports.find(name);
        if (documents.length === 0) throw unknownDocument(name);
        const details = await Promise.all(documents.map(({ id }) => reports.detail(id)));
        const known = details.filter((detail) => detail !== null);
        if (options.json) printJson(io, known.map(detailJson));
        else for (const detail of known) printDetail(io, detail);
      } finally {
        await reports.close();
      }
    });
}

function printDetail(io: Io, { document, response, attempts, sightings }: DocumentDetail): void {
  const colors = colorsFor(io, io.stdout);
  const line = (label: string, value: string) => print(io, `  ${label.padEnd(10)} ${printable(value)}`);
  print(io, colors.bold(printable(document.name)));
  line(
    'state',
    document.state + (document.serviceStatus === null ? '' : ` (service: ${document.serviceStatus})`),
  );
  if (document.message !== null && document.state !== 'accepted') line('why', document.message);
  if (document.notBefore > Date.now()) line('next try', `not before ${local(document.notBefore)}`);
  if (document.answerLost)
    line('note', 'An upload had no clear answer; it was, or will be, sent again under the same name.');
  line('endpoint', `${document.endpoint.uid} at ${document.endpoint.baseUrl}`);
  line('sha256', document.sha256);
  line('image', `${document.type}, ${document.size} bytes`);
  line('named', local(document.createdAt));
  for (const { path, verdict, goneAt, disposed, archivedTo } of sightings) {
    const became = archivedTo ?? disposed ?? (goneAt === null ? 'there' : `gone since ${local(goneAt)}`);
    line(verdict === 'duplicate' ? 'duplicate' : 'file', `${path} (${became})`);
  }
  for (const { startedAt, finishedAt, outcome, httpStatus, message } of attempts) {
    const took = finishedAt === null ? 'running' : `${finishedAt - startedAt} ms`;
    const said = [outcome ?? 'open', httpStatus === null ? '' : `HTTP ${httpStatus}`, took, message ?? ''];
    line('attempt', `${local(startedAt)}  ${said.filter((part) => part !== '').join(', ')}`);
  }
  if (response !== null) line('answer', response);
}
