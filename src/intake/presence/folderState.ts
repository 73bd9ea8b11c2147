import type { ErrorCode } from '../../core/domain/errors.ts';
import { whyText, type WhyFact } from '../../core/domain/why.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FolderTrouble } from './folderTrouble.ts';

/** `standby`: another agent takes in this shared folder. */
export type IntakeState =
  'starting' | 'watching' | 'missing' | 'notADirectory' | 'unreadable' | 'unreachable' | 'taken' | 'standby';

const AWAY: Readonly<Partial<Record<IntakeState, { readonly code: ErrorCode; readonly hint: string }>>> = {
  missing: {
    code: 'FOLDER_MISSING',
    hint: 'Create or mount it, or correct the config. It is watched as soon as it exists.',
  },
  notADirectory: { code: 'FOLDER_NOT_A_DIRECTORY', hint: 'Enter the folder that contains the scans.' },
  unreadable: {
    code: 'FOLDER_UNREADABLE',
    hint: "Allow the agent's user to read and open it. Watching then continues automatically.",
  },
  taken: {
    code: 'FOLDER_TAKEN',
    hint: 'Stop one of the two agents, or remove the folder from its config. The other one then takes over automatically.',
  },
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
    const away = AWAY[state];
    if (away) this.#log.error('folderAway', { ...fields, state, ...away });
    else if (state === 'watching') this.#log.info('folderWatched', fields);
    else if (state === 'standby') this.#log.info('folderOnStandby', fields);
    // `unreachable` is reported as an incident.
    else if (state === 'starting' && before !== 'watching' && before !== 'standby')
      this.#log.info('folderBack', fields);
  }
}
