import type { LogEvent } from '../../texts/en/log.ts';

export type { LogEvent } from '../../texts/en/log.ts';

/** Fields of a log line, with fixed camelCase names; its words stand in the catalogue. `documentId` identifies a document in all lines. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `error` means that a person must act. Never blocks and never throws. */
export interface Log {
  debug(event: LogEvent, fields?: LogFields): void;
  info(event: LogEvent, fields?: LogFields): void;
  warn(event: LogEvent, fields?: LogFields): void;
  error(event: LogEvent, fields?: LogFields): void;
}
