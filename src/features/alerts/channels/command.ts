import { ReceiptdError } from '../../../core/domain/errors.ts';
import { iso } from '../../../core/domain/words.ts';
import type { Alert, AlertChannel } from '../../../core/ports/alert.ts';
import { alertJson } from './json.ts';
import type { RunProgram } from './program.ts';

/** Runs the admin's program for each alert. Exit status 0 means delivered. */
export function createCommandChannel({
  command,
  run,
}: {
  readonly command: readonly string[];
  readonly run: RunProgram;
}): AlertChannel {
  return {
    name: 'command',
    receiver: { of: command[0] ?? '', setting: 'alerts.command' },
    async send(alert, signal) {
      const end = await run(command, { stdin: `${alertJson(alert)}\n`, env: variablesOf(alert) }, signal);
      if (end === null) return;
      throw new ReceiptdError('ALERT_UNDELIVERED.command', { program: command[0] ?? '', end });
    },
  };
}

/** Longer values would keep the program from starting; the full text is on its standard input. */
const MOST = 8_000;

function variablesOf(alert: Alert): Record<string, string> {
  const { id, kind, code, host, subject, text, hint, since, until } = alert;
  const values = {
    ID: id,
    KIND: kind,
    CODE: code ?? '',
    HOST: host,
    SUBJECT: subject,
    TEXT: text,
    HINT: hint ?? '',
    SINCE: since === null ? '' : iso(since),
    UNTIL: until === null ? '' : iso(until),
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `RECEIPTD_ALERT_${name}`,
      // A variable can't contain NUL.
      value.slice(0, MOST).replaceAll('\0', ''),
    ]),
  );
}
