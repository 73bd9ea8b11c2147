/** Bytes are compared at once: by each element, as other lists are, an image takes a tenth of a second. */
import { expect } from 'vitest';

const KNOWN = Symbol.for('receiptd tests: bytes are compared at once');

// A process runs many files, and each would add it once more.
if (!(KNOWN in globalThis)) {
  Reflect.set(globalThis, KNOWN, true);
  expect.addEqualityTesters([
    (one: unknown, other: unknown) =>
      one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
        ? Buffer.compare(one, other) === 0
        : undefined,
  ]);
}
