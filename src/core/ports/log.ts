/** Fields of a log line, with fixed camelCase names; its message is constant. `documentId` identifies a document in all lines. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `error` means that a person must act. Never blocks and never throws. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
