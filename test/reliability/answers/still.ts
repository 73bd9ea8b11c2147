/** A stopped clock, and a log that keeps its lines as they would be displayed. */
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Log, LogFields } from '../../../src/core/ports/log.ts';
import type { Redactor } from '../../../src/logs/redact.ts';

export class StillClock implements Clock {
  now(): number {
    return Date.UTC(2026, 2, 2, 9, 0, 0);
  }

  monotonic(): number {
    return 0;
  }

  sleep(): Promise<never> {
    throw new Error('not expected to sleep');
  }
}

export class TextLog implements Log {
  readonly lines: string[] = [];
  readonly #secrets: Redactor;

  constructor(secrets: Redactor) {
    this.#secrets = secrets;
  }

  debug(message: string, fields?: LogFields): void {
    this.#add('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#add('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#add('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#add('error', message, fields);
  }

  #add(level: string, message: string, fields: LogFields = {}): void {
    const shown = Object.entries(fields).map(
      ([key, value]) => `${key}=${this.#secrets.redact(String(value))}`,
    );
    this.lines.push([level, this.#secrets.redact(message), ...shown].join(' '));
  }
}
