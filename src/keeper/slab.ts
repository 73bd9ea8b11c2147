/** Spans begin at multiples of it: a cache line. */
const ALIGNMENT = 64;

/** A part of a slab, reserved for one image. */
export interface Span {
  readonly slab: Slab;
  readonly offset: number;
  /** Includes the gap to the next possible beginning. */
  readonly length: number;
}

interface Gap {
  offset: number;
  length: number;
}

/** One piece of shared memory, divided among images. */
export class Slab {
  readonly memory: SharedArrayBuffer;
  /** In order, never adjacent. */
  readonly #gaps: Gap[];
  #touchedBytes = 0;

  constructor(bytes: number) {
    const length = aligned(bytes);
    this.memory = new SharedArrayBuffer(length);
    this.#gaps = [{ offset: 0, length }];
  }

  get isFree(): boolean {
    return this.#gaps[0]?.length === this.memory.byteLength;
  }

  /** Bytes from the beginning that were ever lent: the system has memory for no others. */
  get touchedBytes(): number {
    return this.#touchedBytes;
  }

  /** The first gap that fits, so that memory further back remains untouched. Null if none does. */
  take(size: number): Span | null {
    const length = aligned(Math.max(size, 1));
    for (const [at, gap] of this.#gaps.entries()) {
      if (gap.length < length) continue;
      const { offset } = gap;
      gap.offset += length;
      gap.length -= length;
      if (gap.length === 0) this.#gaps.splice(at, 1);
      this.#touchedBytes = Math.max(this.#touchedBytes, offset + length);
      return { slab: this, offset, length };
    }
    return null;
  }

  /** Call it once for each span. */
  giveBack({ offset, length }: Span): void {
    const gaps = this.#gaps;
    const end = offset + length;
    let at = gaps.findIndex((gap) => gap.offset > offset);
    if (at < 0) at = gaps.length;
    const [before, after] = [gaps[at - 1], gaps[at]];
    const joinsBefore = before !== undefined && before.offset + before.length === offset;
    const joinsAfter = after?.offset === end;
    if (joinsBefore && joinsAfter) {
      before.length += length + after.length;
      gaps.splice(at, 1);
    } else if (joinsBefore) before.length += length;
    else if (joinsAfter) {
      after.offset = offset;
      after.length += length;
    } else gaps.splice(at, 0, { offset, length });
  }
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}
