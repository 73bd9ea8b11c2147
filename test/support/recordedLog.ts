import { logTexts } from '../../src/texts/en/log.ts';
import type { Log, LogEvent, LogFields } from '../../src/core/ports/log.ts';

export interface Line {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

/** Records every line, for tests of what is logged and how often. */
export class RecordedLog implements Log {
  readonly lines: Line[] = [];

  debug(event: LogEvent, fields: LogFields = {}): void {
    this.#add('debug', event, fields);
  }

  info(event: LogEvent, fields: LogFields = {}): void {
    this.#add('info', event, fields);
  }

  warn(event: LogEvent, fields: LogFields = {}): void {
    this.#add('warn', event, fields);
  }

  error(event: LogEvent, fields: LogFields = {}): void {
    this.#add('error', event, fields);
  }

  #add(level: keyof Log, event: LogEvent, fields: LogFields): void {
    this.lines.push({ level, message: logTexts[event], fields });
  }

  /** Lines whose message starts with `beginning`, except debug lines. */
  said(beginning: string): Line[] {
    return this.lines.filter(({ level, message }) => level !== 'debug' && message.startsWith(beginning));
  }
}
