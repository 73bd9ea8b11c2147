/** What is known of an answer that was too large to be kept whole. */
export interface CutAnswer {
  /** Of the whole answer, as it came. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface KeptAnswer {
  /** The whole answer, or its beginning. */
  readonly text: string;
  /** Null: it is whole. */
  readonly cut: CutAnswer | null;
}

/** No document record ends like this: it is one JSON object. */
const CUT = /\n\[cut here; the whole answer has (\d+) bytes, SHA-256 ([0-9a-f]{64})\]$/;

/** How the ledger keeps the beginning of an answer, in the field that holds a whole one verbatim. */
export function cutAnswer(beginning: string, { bytes, sha256 }: CutAnswer): string {
  return `${beginning}\n[cut here; the whole answer has ${bytes} bytes, SHA-256 ${sha256}]`;
}

export function readAnswer(kept: string): KeptAnswer {
  const [end, bytes, sha256] = CUT.exec(kept.slice(-200)) ?? [];
  if (end === undefined || bytes === undefined || sha256 === undefined) return { text: kept, cut: null };
  return { text: kept.slice(0, -end.length), cut: { bytes: Number(bytes), sha256 } };
}
