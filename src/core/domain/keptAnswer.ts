/** Size and hash of an answer that was too large to store in full. */
export interface CutAnswer {
  /** Of the whole answer as received. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface KeptAnswer {
  /** The whole answer, or its beginning. */
  readonly text: string;
  /** Null if `text` is the whole answer. */
  readonly cut: CutAnswer | null;
}

/** Unambiguous: a document record is a JSON object, and can't end like this. */
const CUT =
  /\n\[cut(?: here; the whole answer has)? (?:bytes=)?(\d+)(?: bytes, SHA-256| sha256=)? ?([0-9a-f]{64})\]$/;

/** The text that the ledger stores for a truncated answer, in the same field as a whole one. */
export function cutAnswer(beginning: string, { bytes, sha256 }: CutAnswer): string {
  return `${beginning}\n[cut bytes=${bytes} sha256=${sha256}]`;
}

export function readAnswer(kept: string): KeptAnswer {
  const [end, bytes, sha256] = CUT.exec(kept.slice(-200)) ?? [];
  if (end === undefined || bytes === undefined || sha256 === undefined) return { text: kept, cut: null };
  return { text: kept.slice(0, -end.length), cut: { bytes: Number(bytes), sha256 } };
}
