import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileIdentity } from '../../src/core/domain/document.ts';
import { BACKLOG } from '../../src/core/messages.ts';
import { identityText } from '../../src/ledger/reads/view.ts';
import { endpointIdOf, folderIdOf } from '../../src/ledger/entries.ts';
import { Work } from '../../src/ledger/work.ts';
import { SqliteWriter } from '../../src/ledger/writer.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { ENDPOINT } from './agent.ts';

export interface Entry {
  /** From 1, in order. */
  readonly number: number;
  readonly file: string;
  readonly sha256: string;
  readonly identity: FileIdentity;
}

export interface Filling {
  /** Path of a ledger that has no documents or does not exist. */
  readonly path: string;
  readonly baseUrl: string;
  readonly folder: string;
  readonly state: 'accepted' | 'queued';
  readonly entries: Iterable<Entry>;
}

/** Documents per transaction. */
const BATCH = 1_000;
/** Interval between arrivals: a million documents take about a day. */
const APART_MS = 100;
const RESPONSE = JSON.stringify({ status: 'PROCESSING' });

/**
 * Writes the same entries and rows as the agent, but faster: without look-ups (nothing is known yet) and with one
 * commit for many documents.
 */
export async function fillLedger({ path, baseUrl, folder, state, entries }: Filling): Promise<void> {
  const startedAt = Date.now();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const writer = await SqliteWriter.open({
    path,
    clock: systemClock,
    onMended: (story) => {
      throw new Error(story);
    },
  });
  const { engine } = writer.started;
  // A large cache for the random hashes in the indexes. No syncs, because a partial ledger is useless.
  engine.db.exec('PRAGMA cache_size = -400000; PRAGMA synchronous = OFF');
  const endpoint = endpointIdOf({ baseUrl, uid: ENDPOINT });
  const place = folderIdOf({ owner: '', path: folder });
  const write = async (batch: readonly Entry[]): Promise<void> => {
    const work = new Work(engine, engine.begin());
    work.add({ kind: 'endpoint', endpoint, baseUrl, uid: ENDPOINT }, startedAt);
    work.add({ kind: 'folder', folder: place, owner: '', place: folder }, startedAt);
    for (const entry of batch) {
      const at = startedAt + entry.number * APART_MS - 1_000_000 * APART_MS;
      addTo(work, entry, { endpoint, folder: place, state, at });
    }
    await work.flush();
    engine.record(work.entries);
    engine.commit();
  };
  let batch: Entry[] = [];
  for (const entry of entries) {
    if (batch.push(entry) < BATCH) continue;
    await write(batch);
    batch = [];
  }
  if (batch.length > 0) await write(batch);
  await writer.close();
}

function addTo(
  work: Work,
  { file, sha256, identity }: Entry,
  {
    endpoint,
    folder,
    state,
    at,
  }: { readonly endpoint: number; readonly folder: number; readonly at: number } & Pick<Filling, 'state'>,
): void {
  const { size } = identity;
  const document = work.add(
    {
      kind: 'admitted',
      endpoint,
      folder,
      name: `${file.replace(/\.\w+$/, '')}-${sha256.slice(0, 12)}`,
      type: 'jpeg',
      priority: BACKLOG,
      path: file,
      sha256,
      size,
      identity: identityText(identity),
    },
    at,
  );
  if (state === 'queued') return;
  const attempt = work.add({ kind: 'began', document, bytes: size }, at);
  work.add(
    {
      kind: 'ended',
      attempt,
      document,
      outcome: 'accepted',
      http: 200,
      state,
      status: 'PROCESSING',
      response: RESPONSE,
    },
    at,
  );
}

function fileName(number: number): string {
  return `SCAN${String(number).padStart(7, '0')}.jpg`;
}

/** Invented files that nothing searches for. */
export function* imaginedFiles(count: number): Generator<Entry> {
  for (let number = 1; number <= count; number += 1) {
    const file = fileName(number);
    const sha256 = createHash('sha256').update(file).digest('hex');
    const identity = { size: 1_000_000, mtimeNs: 1n, ctimeNs: 1n, inode: BigInt(number) };
    yield { number, file, sha256, identity };
  }
}
