import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { backoff, type BackoffRange } from '../../core/domain/backoff.ts';
import { saidBy } from '../../core/domain/errors.ts';
import { iso } from '../../core/domain/words.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Incidents } from '../../core/ports/incident.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import type { Log } from '../../core/ports/log.ts';
import type { ResultRow } from '../../core/ports/results.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { readPlainFile } from '../../system/plainFile.ts';
import { plainEnvironment, runProgram, type ProgramEnd } from '../../system/programs.ts';
import { within, type WhyFact } from '../../core/domain/why.ts';

export interface ResultCommandDeps {
  readonly ledger: Pick<LedgerReports, 'results' | 'result' | 'lastResult' | 'document'>;
  readonly stateDir: string;
  readonly command: readonly string[] | null;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly incidents: Incidents;
  readonly timeoutMs?: number;
  /** Called with the last result handed over, for an agent that may have to take over from this one. Never rejects. */
  readonly onHanded?: (turn: number) => Promise<void>;
}

const INCIDENT = 'resultsCommand';
const TIMEOUT_MS = 60_000;
const BACKOFF: BackoffRange = { baseMs: 2_000, maxMs: 5 * 60_000 };
const BATCH = 50;

/**
 * Passes every new result to the configured program, one at a time and in order. The position is in a file next to the ledger,
 * written after each result: after a crash the last one may be passed again, but none is skipped.
 *
 *   idle ──a new result──▶ handing ──status 0──▶ on record ──▶ the next one, or idle
 *                             ▲  └──any other end──▶ waiting, longer each time
 *                             └───────────────────────┘
 */
export class ResultCommand {
  readonly #deps: ResultCommandDeps;
  readonly #file: string;
  #command: readonly string[] | null;
  #wake: () => void = () => {};
  #isNotified = false;

  constructor(deps: ResultCommandDeps) {
    this.#deps = deps;
    this.#command = deps.command;
    this.#file = join(deps.stateDir, 'results-handed');
  }

  /** Call when there is a new result. */
  notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  /** Changes the program; null for none. */
  take(command: readonly string[] | null): void {
    if (JSON.stringify(command) === JSON.stringify(this.#command)) return;
    this.#command = command;
    this.#deps.incidents.close(INCIDENT);
    this.notify();
  }

  /** Runs until aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const abort = (): void => this.#wake();
    signal.addEventListener('abort', abort, { once: true });
    for (let failures = 0; !signal.aborted;) {
      this.#isNotified = false;
      try {
        await this.#handAll(signal, () => (failures = 0));
        await this.#rest(null, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        this.#say(error);
        await this.#rest(backoff(failures, BACKOFF, this.#deps.random), signal);
      }
    }
  }

  async #handAll(signal: AbortSignal, onHanded: () => void): Promise<void> {
    const { ledger, incidents } = this.#deps;
    if (this.#command === null) return rm(this.#file, { force: true });
    let after = await this.#begin();
    await this.#deps.onHanded?.(after);
    for (;;) {
      const batch = await ledger.results({ of: 'received', order: 'oldest', after, limit: BATCH });
      for (const row of batch) {
        // Checked for each result, because the configuration may have changed.
        if (signal.aborted || this.#command === null) return;
        await this.#hand(row, this.#command, signal);
        after = row.turn;
        await writeDurably(this.#file, `${after} ${row.receivedAt}\n`);
        await this.#deps.onHanded?.(after);
        incidents.close(INCIDENT);
        onHanded();
      }
      if (batch.length < BATCH) return;
      await nextTurn();
    }
  }

  /** Where to continue. Without a file, results from before the program was configured are skipped. */
  async #begin(): Promise<number> {
    const { ledger, log } = this.#deps;
    const [, turn, at] =
      /^(\d{1,15})(?: (\d{1,15}))?\n?$/.exec((await readPlainFile(this.#file)) ?? '') ?? [];
    const handed =
      turn === undefined ? null : { turn: Number(turn), at: at === undefined ? null : Number(at) };
    if (handed !== null && (await this.#isInLedger(handed))) return handed.turn;
    // On record at once: the next results get the numbers of results that this ledger has lost.
    const after = handed?.at ? await this.#lastUntil(handed.at) : await ledger.lastResult();
    if (handed !== null)
      log.warn('resultsHandedOnFromHere', {
        from: handed.turn,
        after,
      });
    await writeDurably(this.#file, handed?.at ? `${after} ${handed.at}\n` : `${after}\n`);
    return after;
  }

  /** Whether the ledger has the result that was handed on last, and not another one of the same number. */
  async #isInLedger({ turn, at }: { turn: number; at: number | null }): Promise<boolean> {
    const { ledger } = this.#deps;
    if (at === null) return turn <= (await ledger.lastResult());
    const [row] = await ledger.results({ of: 'received', order: 'oldest', after: turn - 1, limit: 1 });
    return row?.turn === turn && row.receivedAt === at;
  }

  /** The last result received until then, which was handed on before the ledger went back. */
  async #lastUntil(at: number): Promise<number> {
    const { ledger } = this.#deps;
    for (let after: number | null = null; ;) {
      const batch: readonly ResultRow[] = await ledger.results({
        of: 'received',
        order: 'newest',
        after,
        limit: BATCH,
      });
      const last = batch.find(({ receivedAt }) => receivedAt <= at);
      if (last !== undefined || batch.length < BATCH) return last?.turn ?? 0;
      after = batch.at(-1)?.turn ?? null;
    }
  }

  async #hand(row: ResultRow, command: readonly string[], signal: AbortSignal): Promise<void> {
    const { env, timeoutMs = TIMEOUT_MS } = this.#deps;
    const stdin = `${JSON.stringify(await this.#told(row))}\n`;
    const end = await runProgram(command, stdin, plainEnvironment(env), { timeoutMs }, signal);
    if (end.how !== 'exited' || end.status !== 0) throw new CommandFailure(end, row.id);
  }

  async #told({ id, receivedAt, status, encoding, document }: ResultRow) {
    const { ledger } = this.#deps;
    const payload = (await ledger.result(id))?.payload ?? null;
    const of = document === null ? null : await ledger.document(document.id);
    return {
      id,
      receivedAt: iso(receivedAt),
      document: of && {
        name: of.name,
        endpointUid: of.endpoint.uid,
        sha256: of.sha256,
        state: of.state,
        path: join(of.folder, of.path),
      },
      status,
      encoding,
      payload,
    };
  }

  #say(error: unknown): void {
    const { incidents, log } = this.#deps;
    const [program = ''] = this.#command ?? [];
    const why: WhyFact =
      error instanceof CommandFailure
        ? { is: 'programEnded', end: error.end }
        : { is: 'notAsked', ...saidBy(error) };
    const params = { program, ...within(why) };
    incidents.open({ key: INCIDENT, code: 'RESULTS_COMMAND_FAILED', params });
    const fields = error instanceof CommandFailure ? { result: error.result, said: error.said } : {};
    log.debug('resultHandedLater', { ...fields, program, why: params.detail });
  }

  /** Waits for a new result; after a failure, for `ms`. */
  async #rest(ms: number | null, signal: AbortSignal): Promise<void> {
    if (signal.aborted || (ms === null && this.#isNotified)) return;
    const notified = new AbortController();
    const command = this.#command;
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        // After a failure, only a changed program ends the wait, not another result.
        if (ms === null || signal.aborted || this.#command !== command) resolve();
      };
      if (ms !== null) void this.#deps.clock.sleep(ms, notified.signal).then(resolve, () => {});
    });
    this.#wake = () => {};
    notified.abort(new Error('it goes on'));
  }
}

class CommandFailure extends Error {
  /** Without what it said, which is for the log alone. */
  readonly end: ProgramEnd;
  readonly said: string;
  readonly result: number;

  constructor(end: ProgramEnd, result: number) {
    super(end.how);
    const isStarted = end.how !== 'notStarted';
    this.end = isStarted ? { ...end, said: '' } : end;
    this.said = isStarted ? end.said : '';
    this.result = result;
  }
}
