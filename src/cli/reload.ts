import type { Command } from './command.ts';
import { callControl } from '../control/client.ts';
import type { Response } from '../control/protocol/protocol.ts';
import { print, type Io } from './io.ts';
import { conditionOfJson } from '../control/protocol/problem.ts';
import { findingWords } from '../texts/explain.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { textsOf } from './language.ts';
import { configOf, type ConfigOption } from './session.ts';

/** Long, because a reload waits up to `delivery.grace` for uploads in flight. */
export const RELOAD_MS = 60 * 60_000;

export function addReload(program: Command, io: Io): void {
  const { help, option, reload: words } = io.texts;
  program
    .command('reload')
    .description(help.reload.about)
    .option('--config <file>', option.config)
    .explain({ examples: ['reload', 'reload --config /etc/receiptd/receiptd.yaml'] })
    .action(async (options: ConfigOption) => {
      // Loading the config first reports its errors before the agent is asked.
      const { stateDir } = await configOf(io, options);
      const how = { signal: io.stop, timeoutMs: RELOAD_MS };
      const answer = await callControl(stateDir, 'reload', {}, how);
      print(io, words.done(escapeUnsafe(answer.file)));
      await printApplied(io, answer);
    });
}

/** What the agent says about a configuration that it has just begun to use. */
export async function printApplied(
  io: Io,
  { restartNeeded, originals = [], consequences = [] }: Response<'reload'>,
): Promise<void> {
  const texts = await textsOf(io);
  for (const each of originals) print(io, `${escapeUnsafe(each.folder)}: ${texts.findings.originals(each)}`);
  for (const each of consequences) {
    if (each.kind !== 'unwritable') continue;
    const fact = { is: 'problem', problem: conditionOfJson(each.problem) } as const;
    print(io, escapeUnsafe(findingWords(texts, { fact })));
  }
  if (restartNeeded.length > 0) print(io, io.texts.reload.restart(restartNeeded));
}
