/** The last entry of the journal. A kept copy proves later whether any entry up to it was changed. */
export interface JournalHead {
  /** The ledger's UUID, generated when it was created. */
  readonly ledger: string;
  /** Number of the entry, from 1. */
  readonly seq: number;
  /** Its hash (SHA-256, hexadecimal), which covers every entry before it. */
  readonly hash: string;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** One change in the ledger. `facts` are kept forever; `personal` can be erased on request. */
export interface JournalEvent {
  readonly kind: string;
  /** Wall-clock milliseconds. */
  readonly at: number;
  readonly facts: JsonObject;
  readonly personal?: JsonObject;
}

/** An event in the hash chain. `personal` is null if there was none or it was erased. */
export interface JournalEntry {
  readonly seq: number;
  readonly hash: string;
  readonly kind: string;
  readonly at: number;
  readonly facts: JsonObject;
  readonly personal: JsonObject | null;
}
