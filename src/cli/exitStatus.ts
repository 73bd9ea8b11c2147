import type { ReceiptdError } from '../core/domain/errors.ts';

/** Exit statuses of every command; docs/commands.md describes them. */
export const EXIT = {
  ok: 0,
  /** The command failed. */
  failed: 1,
  /** Wrong usage, or an invalid configuration. */
  usage: 2,
  /** A person has to act. `run --once`, `send`: something was refused, rejected or lost in this run; `audit`: files are unaccounted for. */
  refused: 3,
  /** `run --once`, `send`: something still waits (a hold, a missing folder, ...); `audit`: something could not be checked. */
  waiting: 4,
  /** The service could not be reached. */
  unreachable: 5,
  /** Another receiptd is running with this state directory. */
  alreadyRunning: 6,
  /** Ended by a signal: 128 + SIGINT. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

export function exitStatusOf({ code }: ReceiptdError): ExitStatus {
  switch (code) {
    case 'USAGE':
    case 'CONFIG_NOT_FOUND':
    case 'CONFIG_UNREADABLE':
    case 'CONFIG_SYNTAX':
    case 'CONFIG_INVALID':
    case 'TEMPLATE_INVALID':
    case 'FOLDERS_NESTED':
    case 'ENDPOINT_UNKNOWN':
    case 'ENDPOINT_IS_EXAMPLE':
    case 'ACCOUNT_UNKNOWN':
    case 'HTTPS_REQUIRED':
    case 'CONFIRMATION_NEEDED':
    case 'SETUP_INCOMPLETE':
      return EXIT.usage;
    case 'SERVICE_UNREACHABLE':
      return EXIT.unreachable;
    case 'ALREADY_RUNNING':
      return EXIT.alreadyRunning;
    default:
      return EXIT.failed;
  }
}
