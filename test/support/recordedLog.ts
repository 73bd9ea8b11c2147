import type { Log, LogFields } from '../../src/core/ports/log.ts';

export interface Line {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

/** Records every line, for tests of what is logged and how often. */
export class RecordedLog implements Log {
  readonly lines: Line[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  /** Lines whose message starts with `beginning`, except debug lines. */
  said(beginning: string): Line[] {
    return this.lines.filter(({ level, message }) => level !== 'debug' && message.startsWith(beginning));
  }
}
