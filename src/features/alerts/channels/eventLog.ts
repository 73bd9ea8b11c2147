import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { Alert, AlertChannel, AlertKind } from '../../../core/ports/alert.ts';
import type { Notice } from './desktop.ts';
import type { RunProgram } from './program.ts';

/** Event ids and types by which monitoring can tell alerts apart, in any language. */
const ENTRIES: Readonly<Record<AlertKind, readonly [id: number, type: 'Error' | 'Warning' | 'Information']>> =
  {
    opened: [1, 'Error'],
    closed: [2, 'Information'],
    stillOpen: [3, 'Warning'],
    digest: [4, 'Information'],
    test: [5, 'Information'],
  };
/** An entry can hold 31,839 characters. */
const MOST_TEXT = 30_000;

/**
 * Writes each alert to the Windows event log `Application`, under the source `receiptd`. Not with eventcreate, which only
 * administrators may use: the service's agent is not one.
 */
export function createEventLogChannel({
  platform,
  run,
}: {
  readonly platform: NodeJS.Platform;
  readonly run: RunProgram;
}): AlertChannel {
  return {
    name: 'eventLog',
    receiver: { of: null, setting: 'alerts.eventLog' },
    async send(alert, signal) {
      if (platform !== 'win32') throw new ReceiptdError('ALERT_UNDELIVERED.noEventLog');
      const { command, env } = entryOf(alert);
      const end = await run(command, { stdin: '', env }, signal);
      if (end === null) return;
      throw new ReceiptdError('ALERT_UNDELIVERED.eventLog', { program: command[0] ?? '', end });
    },
  };
}

/**
 * The program that writes the entry. Texts contain names chosen by others, so they are passed in the environment and never become
 * part of the script.
 */
export function entryOf({ kind, subject, text }: Alert): Notice {
  const [id, type] = ENTRIES[kind];
  return {
    command: ['powershell.exe', '-NoProfile', '-NonInteractive', '-EncodedCommand', ENCODED],
    env: {
      RECEIPTD_ALERT_TEXT: `${subject}\n\n${text}`.replaceAll('\0', ' ').slice(0, MOST_TEXT),
      RECEIPTD_ALERT_EVENT: String(id),
      RECEIPTD_ALERT_TYPE: type,
    },
  };
}

const SCRIPT = `
$ErrorActionPreference = 'Stop'
[System.Diagnostics.EventLog]::WriteEntry('receiptd', $env:RECEIPTD_ALERT_TEXT,
  [System.Diagnostics.EventLogEntryType]$env:RECEIPTD_ALERT_TYPE, [int]$env:RECEIPTD_ALERT_EVENT)
`;
const ENCODED = Buffer.from(SCRIPT, 'utf16le').toString('base64');
