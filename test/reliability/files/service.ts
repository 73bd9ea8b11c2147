import type { Answer } from '../../../src/core/domain/outcome.ts';
import type {
  ReceiptService,
  TokenSource,
  UploadProgress,
  UploadRequest,
} from '../../../src/core/ports/service.ts';
import type { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';

export interface Stored {
  readonly uid: string;
  readonly name: string;
  readonly hash: string;
  readonly bytes: Buffer;
}

/** A service that keeps what it receives and answers after some milliseconds, or with 503 while it is away. */
export class RecordingService implements ReceiptService {
  readonly stored: Stored[] = [];
  isAway = false;
  readonly #dice: Dice;
  readonly #slowestMs: number;

  /** @param slowestMs maximum delay of an answer: what happens to a file meanwhile happens before its disposal */
  constructor(dice: Dice, slowestMs: number) {
    this.#dice = dice;
    this.#slowestMs = slowestMs;
  }

  async upload(
    { name, bytes, endpoint }: UploadRequest,
    signal: AbortSignal,
    progress: UploadProgress = {},
  ): Promise<Answer> {
    progress.onStart?.();
    const { uid } = endpoint;
    const received = Buffer.from(bytes);
    progress.onTaken?.();
    await new Promise((resolve) => setTimeout(resolve, this.#dice.int(0, this.#slowestMs)));
    signal.throwIfAborted();
    if (this.isAway) return answer(503, '');
    this.stored.push({ uid, name, hash: sha256(received), bytes: received });
    return answer(200, JSON.stringify({ name, endpointUid: uid, status: 'PROCESSING' }));
  }

  has(uid: string, hash: string): boolean {
    return this.stored.some((each) => each.uid === uid && each.hash === hash);
  }

  whoami(): Promise<never> {
    return Promise.reject(new Error('Not part of this campaign.'));
  }

  createEndpoint(): Promise<never> {
    return Promise.reject(new Error('Not part of this campaign.'));
  }

  async close(): Promise<void> {}
}

export const TOKENS: TokenSource = { token: async () => 'token', refused: () => {} };

function answer(httpStatus: number, body: string): Answer {
  return { kind: 'response', httpStatus, body, retryAfterMs: null };
}
