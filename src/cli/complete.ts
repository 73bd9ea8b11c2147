import type { Command } from 'commander';
import { callControl } from '../control/client.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { helpOf } from './help.ts';
import { print, type Io } from './io.ts';
import { configOf, type ConfigOption } from './session.ts';

/** Whoever presses Tab waits for it. */
const ANSWER_MS = 300;
const MOST = 50;
/** What a shell, or a terminal, would take for something else. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+-]*$/u;

/** What the completion of a shell asks for. Says nothing where there is nothing to say, whatever the reason. */
export function addComplete(program: Command, io: Io): void {
  program
    .command('complete', { hidden: true })
    .argument('<what>', 'documents or endpoints')
    .argument('[prefix]', 'what was typed so far', '')
    .description('names that begin like this, one on a line, for shell completion')
    .option('--config <file>', 'config file')
    .addHelpText('after', helpOf({ examples: ['complete documents SCAN', 'complete endpoints'] }))
    .action(async (what: string, prefix: string, options: ConfigOption) => {
      try {
        const names =
          what === 'documents' ? await documents(io, options, prefix) : await endpoints(io, options);
        const fitting = names.filter((name) => name.startsWith(prefix) && PLAIN.test(name));
        for (const name of new Set(fitting)) print(io, name);
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
      }
    });
}

async function endpoints(io: Io, options: ConfigOption): Promise<string[]> {
  return (await configOf(io, options)).endpoints.map(({ alias }) => alias);
}

/** Of the running agent alone: a ledger of years takes longer to read than anybody waits. */
async function documents(io: Io, options: ConfigOption, prefix: string): Promise<string[]> {
  const { stateDir } = await configOf(io, options);
  const within = AbortSignal.any([io.stop, AbortSignal.timeout(ANSWER_MS)]);
  const request = { order: 'newest' as const, limit: MOST, ...(prefix !== '' && { search: prefix }) };
  try {
    const { rows } = await callControl(stateDir, 'documents', request, {
      signal: within,
      timeoutMs: ANSWER_MS,
    });
    return rows.flatMap(({ name }) => name ?? []);
  } catch (error) {
    if (within.aborted) return [];
    throw error;
  }
}
