/** The last entry of the journal: anyone who keeps it can tell later whether anything before it was changed. */
export interface JournalHead {
  /** Identifies the ledger: a UUID, made with it. */
  readonly ledger: string;
  /** Number of the entry, from 1. */
  readonly seq: number;
  /** Its hash (SHA-256, hexadecimal), which covers every entry before it. */
  readonly hash: string;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Something that changed in the ledger. `facts` stay forever; `personal` can be erased on request. */
export interface JournalEvent {
  readonly kind: string;
  /** Wall-clock milliseconds. */
  readonly at: number;
  readonly facts: JsonObject;
  readonly personal?: JsonObject;
}

/** An event in its place in the chain. `personal` is null where there was none or it was erased. */
export interface JournalEntry {
  readonly seq: number;
  readonly hash: string;
  readonly kind: string;
  readonly at: number;
  readonly facts: JsonObject;
  readonly personal: JsonObject | null;
}
