import { resolve, sep } from 'node:path';
import type { Command } from './command.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { counted } from '../core/domain/words.ts';
import { print, printJson, type Io } from './io.ts';
import { filterOf, requestOf, withFilters, type FilterOptions } from './filters.ts';
import { inParts } from './inParts.ts';
import { operatorName } from './operator.ts';
import { configOf } from './session.ts';

interface Options extends FilterOptions {
  readonly all?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

export function addDismiss(program: Command, io: Io): void {
  withFilters(
    program.command('dismiss').argument('[document...]', 'document names, file paths or file names'),
  )
    .description('mark documents or files that need a person as handled')
    .option('--all', 'all that match the filters')
    .option('--undo', 'undo: they need a person again')
    .option('--json', 'as JSON: { dismissed }')
    .explain({
      examples: [
        'dismiss /srv/scans/manual.pdf',
        'dismiss --all --state rejected --folder /srv/scans',
        'dismiss SCAN0001-5e8ff9bf55ba --undo',
      ],
      more: 'Their state does not change, and `list` shows who dismissed them. A file that changes, or a document that fails again, needs a person again.',
    })
    .action(async (names: string[], { all = false, undo = false, json, ...options }: Options) => {
      if (all === names.length > 0) throw new ReceiptdError('USAGE.nothingToDismiss');
      const config = await configOf(io, options);
      const { limit, ...filter } = filterOf(config, options);
      if (limit !== undefined) throw new ReceiptdError('USAGE.dismissLimit');
      const request = {
        by: operatorName(),
        undo,
        ...(all ? { all } : { targets: names.map((name) => (isPath(name) ? resolve(io.cwd, name) : name)) }),
        filter: requestOf(filter),
      };
      const { count } = await inParts(
        io,
        config,
        'dismiss',
        request,
        ({ dismissed }) => dismissed,
        (dismissed) => said(dismissed, undo),
      );
      if (json) printJson(io, { dismissed: count });
      else print(io, said(count, undo));
    });
}

/** A backslash is part of a file's name, except on Windows. */
function isPath(text: string): boolean {
  return text.includes('/') || text.includes(sep);
}

function said(dismissed: number, undo: boolean): string {
  const cases = counted(dismissed, 'document or file', 'documents and files');
  if (!undo) return `Dismissed ${cases}.`;
  return `${cases} ${dismissed === 1 ? 'needs' : 'need'} a person again.`;
}
