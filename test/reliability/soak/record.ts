import { join } from 'node:path';
import { ALIASES, UIDS } from '../support/office.ts';
import type { Scan } from '../support/scanner.ts';
import type { LogLine } from './lives.ts';
import type { PhaseName, Spell } from './weather.ts';

/** A period in which the agent was disturbed; wall-clock milliseconds. */
export interface Deed {
  readonly what: 'folder away' | 'frozen' | 'killed';
  readonly from: number;
  to: number;
}

/** Maximum delay until trouble is noticed and logged. */
const LATER_MS = 90_000;

/** The faults that explain a line of level `error`. An unexplained line is a breach. */
const EXPLAINED: readonly { readonly says: RegExp; readonly by: readonly (PhaseName | Deed['what'])[] }[] = [
  {
    says: /^On hold until a person resolves it$/,
    by: ['forbidden', 'unauthorized', 'undescribed', 'refusals', 'noTokens', 'portal', 'redirect'],
  },
  { says: /^Refused by the service; needs a person$/, by: ['refusals'] },
  { says: /^Unconfirmed: the service may already have it/, by: ['refusals', 'undescribed'] },
  { says: /^The folder is not available; waiting for it$/, by: ['folder away'] },
];

/** Length of the hash in names, as configured. */
const SHORT = 12;
const NAME = new RegExp(`^(${ALIASES.join('|')})-.*-([0-9a-f]{${SHORT}})$`);

/** What the agent's log said about images, and its lines that need an explanation. */
export class LogRecord {
  readonly #accepted = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #errors: { readonly at: number; readonly text: string; readonly line: LogLine }[] = [];
  readonly breaches: string[] = [];
  readonly messages = new Map<string, number>();

  get acceptedCount(): number {
    return this.#accepted.size;
  }

  isAccepted({ uid, sha256 }: Pick<Scan, 'uid' | 'sha256'>): boolean {
    return this.#accepted.has(`${uid} ${sha256.slice(0, SHORT)}`);
  }

  /** Whether the file at this absolute path was reported as not sent. */
  isRefused(path: string): boolean {
    return this.#refused.has(path);
  }

  line(line: LogLine): void {
    const { level, message } = line;
    const key = `${level}: ${message}`;
    this.messages.set(key, (this.messages.get(key) ?? 0) + 1);
    const text = JSON.stringify(line);
    if (/\\n\s+at /.test(text)) this.breaches.push(`a stack trace in the log: ${text.slice(0, 1_500)}`);
    if (level === 'error') this.#errors.push({ at: Date.parse(line.timestamp), text, line });
    const { name, folder, path } = line;
    const [, alias, hash] = NAME.exec(message === 'Accepted' ? String(name) : '') ?? [];
    if (alias !== undefined) this.#accepted.add(`${UIDS[alias as keyof typeof UIDS]} ${hash}`);
    if (
      /^Not sent: (rejected|incomplete)$/.test(message) &&
      typeof folder === 'string' &&
      typeof path === 'string'
    )
      this.#refused.add(join(folder, path));
  }

  /** A line on standard error that is not from the log. */
  other(text: string): void {
    this.breaches.push(`the agent printed: ${text.slice(0, 500)}`);
  }

  /** Unexplained errors. `mayBeLost`: whether the image with a hash was removed before it was accepted. */
  unexplained(
    spells: readonly Spell[],
    deeds: readonly Deed[],
    mayBeLost: (sha256: string) => boolean,
  ): string[] {
    return this.#errors.flatMap(({ at, text, line }) => {
      if (line.message.startsWith('Lost: ')) return mayBeLost(String(line['sha256'])) ? [] : [text];
      const rule = EXPLAINED.find(({ says }) => says.test(line.message));
      const happened = [
        ...spells.map(({ phase, from, to }) => ({ what: phase, from, to })),
        ...deeds.map(({ what, from, to }) => ({ what, from, to })),
      ];
      const explained = happened.some(
        ({ what, from, to }) => rule?.by.some((by) => by === what) && from <= at && at <= to + LATER_MS,
      );
      return explained ? [] : [text];
    });
  }
}
