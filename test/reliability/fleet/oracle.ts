import { isBad, NO_HASH, parseLine } from '../../../src/ledger/journal/line.ts';
import type { JournalEntry } from '../../../src/core/ports/journal.ts';
import { agree, tooFast } from '../support/oracle.ts';
import type { AttemptRow, Chain, World } from './world.ts';

/** Broken promises, one sentence each. */
export function judge(world: World): string[] {
  return [
    ...arrived(world),
    ...agree(world.documents, world.stored),
    ...onceOnly(world),
    ...atRest(world),
    ...chains(world),
    ...paced(world),
  ];
}

/** Every image is stored, and the ledger knows every existing file. */
function* arrived({ scans, documents, stored, sightings }: World): Generator<string> {
  const isStored = new Set(stored.map((each) => each.sha256));
  const known = new Map(documents.map((document) => [document.sha256, document]));
  const seen = new Map(sightings.map((sighting) => [sighting.path, sighting]));
  for (const { path, sha256, isThere, isDue } of scans) {
    if (!isDue) continue;
    const { state = 'unknown', message = null } = known.get(sha256) ?? {};
    if (!isStored.has(sha256)) yield `${path} was not stored (${brief(sha256)}); it is ${state} (${message})`;
    if (!isThere) continue;
    const sighting = seen.get(path);
    if (sighting?.sha256 !== sha256)
      yield `the file ${path} (${brief(sha256)}) is ${sighting?.verdict ?? 'not'} in the ledger`;
  }
}

/** Every request is recorded, and repeats follow lost answers only. */
function* onceOnly({ documents, attempts, requests, stored }: World): Generator<string> {
  const triesOf = new Map(stored.map(({ name, tries }) => [name, tries]));
  const requestsOf = grouped(requests, ({ name }) => name);
  const attemptsOf = grouped(attempts, ({ document }) => document);
  for (const { id, name } of documents) {
    const own: readonly AttemptRow[] = attemptsOf.get(id) ?? [];
    const sent = own.filter(({ outcome }) => outcome !== 'notSent');
    const lost = own.filter(({ outcome }) => outcome === 'unknown').length;
    const [tries, asked] = [triesOf.get(name) ?? 0, requestsOf.get(name)?.length ?? 0];
    if (tries > lost + 1) yield `${name} was stored ${tries} times, but only ${lost} answers were lost`;
    if (asked > sent.length)
      yield `${asked} requests for ${name} arrived, but only ${sent.length} are on record`;
    const accepted = own.filter(({ outcome }) => outcome === 'accepted').length;
    if (accepted > 1) yield `${name} was accepted ${accepted} times`;
  }
}

/** Checks that nothing is left unfinished. */
function* atRest({ documents, attempts }: World): Generator<string> {
  for (const { name, state, claimedBy, message } of documents) {
    if (state !== 'accepted') yield `${name} is ${state} (${message})`;
    if (claimedBy !== null) yield `${name} is still claimed by agent ${claimedBy}`;
  }
  for (const { id, agent, outcome } of attempts)
    if (outcome === null) yield `attempt ${id} of agent ${agent} never ended`;
}

/** Every agent's history is complete, and across all histories each document is named once and accepted once. */
function* chains({ chains: all, documents }: World): Generator<string> {
  const [named, accepted] = [new Map<number, number>(), new Map<number, number>()];
  for (const chain of all) {
    for (const entry of yield* verified(chain)) {
      if (entry.kind === 'named') count(named, [entry.facts['document']]);
      if (entry.kind === 'moved' && entry.facts['state'] === 'accepted')
        count(accepted, entry.facts['documents'] as number[]);
    }
  }
  for (const { id, name, state } of documents) {
    if (named.get(id) !== 1) yield `the history names ${name} ${named.get(id) ?? 0} times`;
    const times = accepted.get(id) ?? 0;
    if (times !== (state === 'accepted' ? 1 : 0)) yield `the history accepts ${name} ${times} times`;
  }
  const ids = new Set(documents.map(({ id }) => id));
  for (const id of named.keys()) if (!ids.has(id)) yield `document ${id} is in the history, but in no table`;
}

function* verified({ agent, lines, headSeq, headHash }: Chain): Generator<string, JournalEntry[]> {
  const entries: JournalEntry[] = [];
  let [prev, seq] = [NO_HASH, 0];
  for (const { entry, hash, personal } of lines) {
    const parsed = parseLine(Buffer.from(`${entry}\t${hash}\t${personal}`));
    if (isBad(parsed)) {
      yield `entry ${seq + 1} of agent ${agent}: ${parsed.what}`;
      return entries;
    }
    if (parsed.prev !== prev || parsed.entry.seq !== seq + 1)
      yield `entry ${parsed.entry.seq} of agent ${agent} does not follow entry ${seq}`;
    ({ seq, hash: prev } = parsed.entry);
    entries.push(parsed.entry);
  }
  if (seq !== headSeq || prev !== headHash)
    yield `the history of agent ${agent} ends with entry ${seq}, but its head is ${headSeq}`;
  return entries;
}

/** The endpoint's rate across all agents. Requests delayed by a frozen agent do not count. */
function* paced({ perSecond, requests, stored, stallMs }: World): Generator<string> {
  const repeated = new Set(stored.filter(({ tries }) => tries > 1).map(({ name }) => name));
  const arrivals = requests.filter(({ name }) => !repeated.has(name)).map(({ arrivedAt }) => arrivedAt);
  yield* tooFast(
    arrivals.toSorted((a, b) => a - b),
    perSecond,
    stallMs,
  );
}

function grouped<T, K>(list: readonly T[], key: (each: T) => K): Map<K, T[]> {
  const found = new Map<K, T[]>();
  for (const each of list) found.set(key(each), [...(found.get(key(each)) ?? []), each]);
  return found;
}

function count(counts: Map<number, number>, ids: readonly unknown[]): void {
  for (const id of ids) if (typeof id === 'number') counts.set(id, (counts.get(id) ?? 0) + 1);
}

function brief(sha256: string): string {
  return sha256.slice(0, 12);
}
