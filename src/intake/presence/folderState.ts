import type { ErrorCode } from '../../core/domain/errors.ts';
import { whyText, type WhyFact } from '../../core/domain/why.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FolderTrouble } from './folderTrouble.ts';

/** `standby`: another agent takes in this shared folder. */
export type IntakeState =
  'starting' | 'watching' | 'missing' | 'notADirectory' | 'unreadable' | 'unreachable' | 'taken' | 'standby';

const AWAY: Readonly<Partial<Record<IntakeState, ErrorCode>>> = {
  missing: 'FOLDER_MISSING',
  notADirectory: 'FOLDER_NOT_A_DIRECTORY',
  unreadable: 'FOLDER_UNREADABLE',
  taken: 'FOLDER_TAKEN',
};

/** Last state of each folder and when it began; kept across configuration reloads. */
export type FolderTimes = Map<string, { readonly state: IntakeState; readonly since: number }>;

/** State of one watched folder and when it began; logs each change once. */
export class FolderState {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #trouble: FolderTrouble;
  readonly #times: FolderTimes;
  #state: IntakeState = 'starting';
  #why: WhyFact | null = null;
  #since: number;

  constructor(
    folder: string,
    {
      clock,
      log,
      folderTimes = new Map(),
    }: { clock: Clock; log: Log; folderTimes?: FolderTimes | undefined },
    trouble: FolderTrouble,
  ) {
    this.#times = folderTimes;
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#trouble = trouble;
    this.#since = clock.now();
  }

  get now() {
    return { state: this.#state, why: this.#why, since: this.#since };
  }

  enter(state: IntakeState, why: WhyFact | null): void {
    this.#trouble.unreachable(state === 'unreachable' ? why : null);
    this.#why = why;
    if (state === this.#state) return;
    const before = this.#state;
    this.#state = state;
    const former = this.#times.get(this.#folder);
    this.#since = former?.state === state ? former.since : this.#clock.now();
    // Not `starting`: a reload passes through it, and must not restart the time of the state that follows.
    if (state !== 'starting') this.#times.set(this.#folder, { state, since: this.#since });
    const fields = { folder: this.#folder, detail: why && whyText(why) };
    const code = AWAY[state];
    if (code) this.#log.error('folderAway', { ...fields, state, code });
    else if (state === 'watching') this.#log.info('folderWatched', fields);
    else if (state === 'standby') this.#log.info('folderOnStandby', fields);
    // `unreachable` is reported as an incident.
    else if (state === 'starting' && before !== 'watching' && before !== 'standby')
      this.#log.info('folderBack', fields);
  }
}
