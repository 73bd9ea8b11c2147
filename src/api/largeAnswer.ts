import { createHash } from 'node:crypto';
import type { CutAnswer } from '../core/domain/keptAnswer.ts';
import { RecordScanner } from './recordScanner.ts';

export interface Large extends CutAnswer {
  /** The documented fields of the whole record; null: it is none. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

/** What is found out about an answer that is not kept whole, while it comes. */
export class LargeAnswer {
  readonly #hash = createHash('sha256');
  readonly #record = new RecordScanner();
  #bytes = 0;

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#record.push(chunk);
  }

  /** Once. */
  end(): Large {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex'), record: this.#record.end() };
  }
}
