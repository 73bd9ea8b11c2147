/** A real ledger that can be made unreachable, like a shared one whose database server or network is down. */
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { Ledger, LedgerStorage, StorageTrouble } from '../../src/core/ports/ledger.ts';

const HINT = 'See whether the database server runs and can be reached from this machine.';
const TROUBLE: StorageTrouble = {
  code: 'LEDGER_UNREACHABLE',
  message: "The ledger can't be reached: connect ECONNREFUSED.",
  hint: HINT,
};
/** Methods that return an iterator of batches; all others but `now` return a promise. */
const READ_IN_BATCHES = new Set<PropertyKey>(['list', 'namesIn', 'standings']);

export interface AwayLedger {
  readonly ledger: Ledger;
  /** Makes the ledger unreachable. Operations in progress may complete, but their callers get an error. */
  leave(): void;
  comeBack(): void;
  readonly isAway: boolean;
  /** Methods that were called, and how often. */
  readonly calls: ReadonlyMap<string, number>;
}

export function awayLedger(real: Ledger, isAwayNow = false): AwayLedger {
  let isAway = isAwayNow;
  const listeners = new Set<() => void>();
  const calls = new Map<string, number>();
  const unreachable = () =>
    new ReceiptdError({ code: 'LEDGER_UNREACHABLE', message: TROUBLE.message, hint: HINT });
  const turn = (away: boolean): void => {
    isAway = away;
    for (const listener of listeners) listener();
  };
  const storage: LedgerStorage = {
    trouble: () => (isAway ? TROUBLE : real.storage.trouble()),
    onChange: (listener) => {
      listeners.add(listener);
      const deaf = real.storage.onChange(listener);
      return () => {
        listeners.delete(listener);
        deaf();
      };
    },
  };
  async function* inBatches(read: () => AsyncIterable<unknown>): AsyncGenerator {
    if (isAway) throw unreachable();
    for await (const batch of read()) {
      if (isAway) throw unreachable();
      yield batch;
    }
  }
  const asked = async (ask: () => Promise<unknown>): Promise<unknown> => {
    if (isAway) throw unreachable();
    const answer = await ask();
    // The operation completed, but its answer is lost.
    if (isAway) throw unreachable();
    return answer;
  };
  const ledger = new Proxy(real, {
    get(target, name) {
      if (name === 'storage') return storage;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'close' || name === 'now') return value;
      return (...given: unknown[]) => {
        calls.set(String(name), (calls.get(String(name)) ?? 0) + 1);
        const call = () => Reflect.apply(value, target, given) as never;
        return READ_IN_BATCHES.has(name) ? inBatches(call) : asked(call);
      };
    },
  });
  return {
    ledger,
    leave: () => turn(true),
    comeBack: () => turn(false),
    get isAway() {
      return isAway;
    },
    calls,
  };
}
