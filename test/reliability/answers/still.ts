/** A stopped clock, and a log that keeps its lines as they would be displayed. */
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Log, LogEvent, LogFields } from '../../../src/core/ports/log.ts';
import { logTexts } from '../../../src/texts/en/log.ts';
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

  readonly debug: Log['debug'] = (event, fields) => this.#add('debug', event, fields);
  readonly info: Log['info'] = (event, fields) => this.#add('info', event, fields);
  readonly warn: Log['warn'] = (event, fields) => this.#add('warn', event, fields);
  readonly error: Log['error'] = (event, fields) => this.#add('error', event, fields);

  #add(level: string, event: LogEvent, fields: LogFields = {}): void {
    const shown = Object.entries(fields).map(
      ([key, value]) => `${key}=${this.#secrets.redact(String(value))}`,
    );
    this.lines.push([level, logTexts[event], ...shown].join(' '));
  }
}
