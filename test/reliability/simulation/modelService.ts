import type { Answer as Evidence } from '../../oracle/evidence.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { Answer } from '../../../src/core/domain/outcome.ts';
import type {
  ReceiptService,
  TokenSource,
  UploadProgress,
  UploadRequest,
} from '../../../src/core/ports/service.ts';
import type { Dice } from '../support/dice.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import type { Gatherer } from './gather.ts';
import { broken, record, status, type Fault, type Phase } from './faults.ts';
import type { Process } from './process.ts';
import type { Story } from './story.ts';
import { WORLD, type Timeline } from './timeline.ts';

/** One upload request from the service's view. */
export interface Arrival {
  readonly id: number;
  /** When the agent began the request, and when its head arrived. */
  readonly askedAt: number;
  readonly at: number;
  readonly life: number;
  readonly uid: string;
  readonly name: string;
  readonly sha256: string;
  /** Whether this request stored the image. */
  stored: boolean;
}

export interface ServiceHabits {
  readonly phases: readonly Phase[];
  /** Whether it refuses existing names (409), as some services do. */
  readonly isStrict: boolean;
  /** Images that it always refuses (422), and images that it always fails on (500), by hash. */
  readonly refused: ReadonlySet<string>;
  readonly poison: ReadonlySet<string>;
}

const SILENCE_MS = 30_000;
export const TOKEN = 'a-secret-token';

/** Model of the receipt analysis service (interface sections 2.2, 4.4, 5), including network faults. */
export class ModelService {
  readonly arrivals: Arrival[] = [];
  readonly habits: ServiceHabits;
  readonly #timeline: Timeline;
  readonly #dice: Dice;
  readonly #story: Story;
  readonly #gatherer: Gatherer;
  readonly #onStored: (arrival: Arrival) => void;
  #tokens = 1;
  #closed: string | null = null;

  constructor(
    habits: ServiceHabits,
    timeline: Timeline,
    dice: Dice,
    story: Story,
    gatherer: Gatherer,
    onStored: (arrival: Arrival) => void,
  ) {
    this.habits = habits;
    this.#timeline = timeline;
    this.#dice = dice;
    this.#story = story;
    this.#gatherer = gatherer;
    for (const sha256 of habits.poison) gatherer.take({ kind: 'hopeless', sha256 });
    this.#onStored = onStored;
  }

  /** Answers every request to this endpoint with 403 from now on. */
  closeForGood(uid: string): void {
    this.#closed = uid;
    this.#gatherer.take({ kind: 'hopeless', uid });
  }

  /** The service and its tokens, as used by one process of the agent. */
  clientOf(process: Process): { service: ReceiptService; tokens: () => TokenSource } {
    const notPartOfIt = () => Promise.reject(new Error('not part of the simulation'));
    let token = this.#tokens;
    const source: TokenSource = {
      token: async () => {
        await process.step('a token', () => {
          if (this.#faultFor(null, 'token') === 'unreachable')
            throw new ReceiptdError({
              code: 'SERVICE_UNREACHABLE',
              message: "The service can't be reached.",
            });
        });
        return `${TOKEN}-${token}`;
      },
      refused: (which) => {
        if (which === `${TOKEN}-${token}`) token = this.#tokens;
      },
    };
    return {
      service: {
        upload: (request, signal, progress) => this.#upload(request, process, signal, progress),
        whoami: notPartOfIt,
        createEndpoint: notPartOfIt,
        close: async () => {},
      },
      tokens: () => source,
    };
  }

  #close({ id }: Arrival): void {
    this.#gatherer.take({ kind: 'closed', id, at: this.#timeline.now });
  }

  #faultFor(uid: string | null, what: 'upload' | 'token'): Fault | null {
    const { now } = this.#timeline;
    if (uid !== null && uid === this.#closed) return 'forbidden';
    for (const phase of this.habits.phases) {
      if (now < phase.from || now >= phase.until) continue;
      if (what === 'token' ? phase.fault !== 'unreachable' : phase.uid !== null && phase.uid !== uid)
        continue;
      if (this.#dice.chance(phase.share)) return phase.fault;
    }
    return null;
  }

  #upload(
    { endpoint: { uid }, name, bytes, token }: UploadRequest,
    process: Process,
    signal: AbortSignal,
    { onStart, onTaken }: UploadProgress = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let arrival: Arrival | null = null;
      const abort = (): void => {
        if (arrival) this.#close(arrival);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      const sha256 = hashOf(bytes);
      const askedAt = this.#timeline.now;
      const fault = this.#faultFor(uid, 'upload');
      const { sleeps } = this.#timeline;
      if (process.isDead) return;
      /** Delivers an answer, if the agent is still alive. */
      const answer = (intended: Answer, delayMs: number): void => {
        this.#timeline.after(delayMs, WORLD, () => {
          if (process.isDead || signal.aborted) return;
          // Few connections survive a sleep.
          const isCut = arrival !== null && sleeps !== this.#timeline.sleeps && this.#dice.chance(0.7);
          const given = isCut ? broken('ECONNRESET', true) : intended;
          if (arrival) this.#close(arrival);
          if (arrival && hashOf(bytes) !== sha256) this.#gatherer.take({ kind: 'changed', id: arrival.id });
          const kill = process.takeStep();
          if (kill === 'before') return process.kill(`before an answer about ${name} arrived`);
          this.#story.tell('service', `answers ${name}: ${wordsOf(given)}`);
          if (arrival) {
            const { now: at } = this.#timeline;
            this.#gatherer.take({ kind: 'answer', id: arrival.id, at, answer: evidenceOf(given, arrival) });
          }
          signal.removeEventListener('abort', abort);
          if (given.kind === 'response' && this.#dice.chance(0.9)) onTaken?.();
          resolve(given);
          if (kill === 'after') process.kill(`after an answer about ${name} arrived`);
        });
      };
      this.#timeline.after(process.delay(), process, () => {
        if (signal.aborted) return;
        if (fault === 'unreachable') return answer(broken('ECONNREFUSED', false), 1);
        onStart?.();
        const arrived: Arrival = {
          id: this.arrivals.length,
          askedAt,
          at: this.#timeline.now,
          life: process.number,
          uid,
          name,
          sha256,
          stored: false,
        };
        arrival = arrived;
        this.arrivals.push(arrived);
        this.#story.tell(
          'service',
          `gets ${name} (${sha256.slice(0, 8)}) at ${uid}${fault ? `, ${fault}` : ''}`,
        );
        this.#gatherer.arrival(arrived);
        this.#timeline.after(this.#dice.next() * 80, WORLD, () => {
          // A closed connection does not deliver the whole body.
          if (signal.aborted || (process.isDead && this.#dice.chance(0.5))) {
            return;
          }
          this.#treat(arrived, token, fault, answer);
        });
      });
    });
  }

  #treat(
    arrival: Arrival,
    token: string,
    fault: Fault | null,
    answer: (given: Answer, delayMs: number) => void,
  ): void {
    const { uid, name, sha256 } = arrival;
    const soon = this.#dice.next() * 20;
    const store = (): Answer => this.#take(arrival);
    switch (fault) {
      case 'lostBefore':
        return answer(broken('ECONNRESET', true), soon);
      case 'lostAfter':
        store();
        return answer(broken('ECONNRESET', true), soon);
      case 'slow':
        return answer(store(), this.#dice.next() * 60_000);
      case 'silent':
        if (this.#dice.chance(0.5)) store();
        return answer(broken('TIMEOUT', true), SILENCE_MS);
      case 'error':
        return answer(
          status(503, 'Unavailable', this.#dice.chance(0.3) ? this.#dice.int(1, 20) * 1_000 : null),
          soon,
        );
      case 'errorStored':
        store();
        return answer(status(502, 'Bad Gateway'), soon);
      case 'tooMany':
        return answer(status(429, '', this.#dice.chance(0.5) ? this.#dice.int(1, 20) * 1_000 : null), soon);
      case 'quota':
        return answer(status(402, 'quota'), soon);
      case 'unauthorized':
        // Only the first request with this token is told; the token changes then.
        if (token === `${TOKEN}-${this.#tokens}`) this.#tokens += 1;
        return answer(status(401), soon);
      case 'forbidden':
        return answer(status(403), soon);
      case 'unknownEndpoint':
        return answer(status(404), soon);
      case 'html':
        return answer(status(200, '<html>Sign in to the network</html>'), soon);
      case 'otherName':
        return answer(record('another name', uid), soon);
      case 'otherEndpoint':
        return answer(record(name, 'another endpoint'), soon);
      case 'truncatedRecord':
        store();
        return answer(status(200, `{"name":${JSON.stringify(name)},"endpointUid":"${uid}","sta`), soon);
      case 'statusless':
        return answer(status(200, JSON.stringify({ name, endpointUid: uid })), soon);
      case 'accepted202':
        store();
        return answer(status(202, record(name, uid).body), soon);
      case 'redirect':
        return answer(status(302), soon);
      case 'conflict':
        return answer(status(409, 'conflict'), soon);
      case 'refusedOnce':
        return answer(status(422, 'not now'), soon);
      default:
        if (token !== `${TOKEN}-${this.#tokens}`) return answer(status(401), soon);
        if (this.habits.poison.has(sha256)) return answer(status(500, 'always'), soon);
        return answer(store(), soon);
    }
  }

  /** The answer to a complete image without faults. */
  #take(arrival: Arrival): Answer {
    const { uid, name, sha256 } = arrival;
    if (this.habits.refused.has(sha256)) return status(422, 'cannot be read');
    const isKnown = this.arrivals.some((each) => each.stored && each.uid === uid && each.name === name);
    if (this.habits.isStrict && isKnown) return status(409, 'this name exists');
    arrival.stored = true;
    this.#gatherer.take({ kind: 'stored', id: arrival.id });
    this.#onStored(arrival);
    return record(name, uid);
  }
}

function evidenceOf(answer: Answer, { name, uid }: Arrival): Evidence {
  if (answer.kind === 'fault') return { status: null, isRecord: false, reached: true };
  const { httpStatus: status, body, retryAfterMs } = answer;
  const isRecord = body.startsWith('{') && body.endsWith('}') && isOf(JSON.parse(body), name, uid);
  return { status, isRecord, retryAfterMs, reached: true };
}

function isOf(record: Readonly<Record<string, unknown>>, name: string, uid: string): boolean {
  return record['name'] === name && record['endpointUid'] === uid && 'status' in record;
}

function wordsOf(answer: Answer): string {
  return answer.kind === 'fault' ? answer.code : `${answer.httpStatus} ${answer.body.slice(0, 60)}`;
}
