import type { Command } from './command.ts';
import { callControl } from '../control/client.ts';
import { print, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { textsOf } from './language.ts';
import { configOf, type ConfigOption } from './session.ts';

/** Long, because a reload waits up to `delivery.grace` for uploads in flight. */
const TIMEOUT_MS = 60 * 60_000;

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
      const how = { signal: io.stop, timeoutMs: TIMEOUT_MS };
      const { file, restartNeeded, originals = [] } = await callControl(stateDir, 'reload', {}, how);
      print(io, words.done(escapeUnsafe(file)));
      const { findings } = await textsOf(io);
      for (const each of originals) print(io, `${escapeUnsafe(each.folder)}: ${findings.originals(each)}`);
      if (restartNeeded.length > 0) print(io, words.restart(restartNeeded));
    });
}
