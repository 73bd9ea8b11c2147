import { ReceiptdError, systemCode, type SaidElsewhere } from '../../core/domain/errors.ts';

export interface ErrorData {
  /** Null for a defect, which is not for people. */
  readonly said: SaidElsewhere | null;
  readonly name: string;
  readonly message: string;
  /** The system's error code (ENOSPC, …). */
  readonly system: string | null;
  readonly stack: string | null;
  readonly cause: ErrorData | null;
}

/** Messages between threads lose prototypes. */
export function toData(error: unknown): ErrorData {
  if (!(error instanceof Error)) return toData(new Error(String(error)));
  const { name, message, stack = null, cause } = error;
  const isForPeople = error instanceof ReceiptdError;
  return {
    said: isForPeople ? error.facts() : null,
    name,
    message,
    system: isForPeople ? null : (systemCode(error) ?? null),
    stack,
    cause: cause === undefined ? null : toData(cause),
  };
}

export function fromData({ said, name, message, system, stack, cause }: ErrorData): Error {
  const by = cause === null ? undefined : fromData(cause);
  if (said !== null) return new ReceiptdError(said, { cause: by });
  const error = new Error(message, { cause: by });
  error.name = name;
  if (stack !== null) error.stack = stack;
  return system === null ? error : Object.assign(error, { code: system });
}
