import { resolve, sep } from 'node:path';
import type { Command } from './command.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { print, printJson, type Io } from './io.ts';
import { filterOf, requestOf, withFilters, type FilterOptions } from './filters.ts';
import { inParts } from './inParts.ts';
import { operatorName } from './operator.ts';
import { configOf } from './session.ts';

interface DismissOptions extends FilterOptions {
  readonly all?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

export function addDismiss(program: Command, io: Io): void {
  const { dismiss: help } = io.texts.help;
  withFilters(program.command('dismiss').argument('[document...]', help.documents), io.texts)
    .description(help.about)
    .option('--all', help.all)
    .option('--undo', help.undo)
    .option('--json', help.json)
    .explain({
      examples: [
        'dismiss /srv/scans/manual.pdf',
        'dismiss --all --state rejected --folder /srv/scans',
        'dismiss SCAN0001-5e8ff9bf55ba --undo',
      ],
      more: help.more,
    })
    .action(async (names: string[], { all = false, undo = false, json, ...options }: DismissOptions) => {
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
      const said = undo ? io.texts.dismiss.undone : io.texts.dismiss.done;
      const { count } = await inParts(io, config, 'dismiss', request, ({ dismissed }) => dismissed, said);
      if (json) printJson(io, { dismissed: count });
      else print(io, said(count));
    });
}

/** A backslash is part of a file's name, except on Windows. */
function isPath(text: string): boolean {
  return text.includes('/') || text.includes(sep);
}
