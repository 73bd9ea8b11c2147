/**
 * What the oracles of kill, fleet and soak share: they judge the same promises by the same kind of evidence. The simulation, files and
 * answers keep their own oracles, and share only the service's verdicts: what one of them overlooks, another one of a
 * different make finds.
 */

/** Statuses that are the service's verdict on a document (interface section 7), listed separately from `src`. */
export const VERDICTS: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** A stack trace, or what Node.js prints when it dies. */
export const TRACE = /^\s+at .+:\d+:\d+\)?$|\\n\s+at |node:internal|^Node\.js v|\bERR_[A-Z_]+|Unhandled/m;

/** Files that an idle agent may have in its state directory, relative to it. */
const STATE_FILES = [
  /^ledger\.db(-wal|-shm|\.sound)?$/,
  /^ledger\.journal$/,
  /^backups\/ledger-\d{8}T\d{9}Z\.db$/,
  /^reserve$/,
  /^instance\.(lock|json)$/,
  /^control\.sock$/,
  /^logs\/receiptd\.log(\.\d+)?$/,
];

export function isStateFile(file: string): boolean {
  return STATE_FILES.some((each) => each.test(file));
}

/** On a busy machine, requests may arrive closer together than they were sent. */
const LEEWAY_MS = 250;

/** Requests that came faster than `perSecond` allows. `arrivals`: oldest first. `stallMs`: how late an arrival may have been noticed. */
export function* tooFast(arrivals: readonly number[], perSecond: number | null, stallMs: number) {
  if (perSecond === null) return;
  const least = 1_000 - LEEWAY_MS - 2 * stallMs;
  for (const [index, at] of arrivals.entries()) {
    const later = arrivals[index + perSecond];
    if (later !== undefined && later - at < least)
      yield `${perSecond + 1} requests arrived within ${Math.round(later - at)} ms; the limit is ${perSecond} per second`;
  }
}

interface OfImage {
  readonly endpointUid: string | null;
  readonly sha256: string | null;
}

/** Identifies an image within its endpoint. */
export function keyOf({ endpointUid, sha256 }: OfImage): string {
  return `${endpointUid} ${sha256}`;
}

export interface LedgerDocument extends OfImage {
  readonly name: string | null;
  readonly state: string;
  /** Whether the ledger records an upload whose answer was lost. */
  readonly answerLost: boolean;
}

export interface StoredDocument extends OfImage {
  readonly name: string;
  readonly tries: number;
}

/** P1 and P2: ledger and service know the same images under the same names, and each is stored once unless an answer was lost. */
export function* agree(
  documents: readonly LedgerDocument[],
  stored: readonly StoredDocument[],
): Generator<string> {
  const byImage = new Map<string, LedgerDocument>();
  const names = new Set<string>();
  for (const document of documents) {
    const { endpointUid, name } = document;
    const other = byImage.get(keyOf(document));
    if (other) yield `image ${keyOf(document)} has two documents, ${other.name} and ${name}`;
    byImage.set(keyOf(document), document);
    const named = `${endpointUid} ${name}`;
    if (names.has(named) && other?.name !== name) yield `the name ${name} was given to two images`;
    names.add(named);
  }
  const storedAs = new Map<string, string>();
  const imageOf = new Map<string, string>();
  for (const each of stored) {
    const { endpointUid, name, tries } = each;
    const key = keyOf(each);
    const other = storedAs.get(key);
    if (other !== undefined) yield `image ${key} is stored under two names, ${other} and ${name}`;
    storedAs.set(key, name);
    const named = `${endpointUid} ${name}`;
    if (imageOf.has(named)) yield `${name} is stored with two different images`;
    imageOf.set(named, key);
    const document = byImage.get(key);
    if (!document) yield `image ${key} is stored as ${name}, but the ledger does not know it`;
    else if (document.name !== name)
      yield `image ${key} is stored as ${name}, but the ledger calls it ${document.name}`;
    else if (tries > 1 && !document.answerLost)
      yield `${name} was stored ${tries} times, but the ledger records no lost answer`;
  }
  for (const document of documents) {
    const { endpointUid, name, state } = document;
    if (state === 'accepted' && imageOf.get(`${endpointUid} ${name}`) !== keyOf(document))
      yield `${name} is accepted, but the service does not have it`;
  }
}
