import type { FileIdentity } from '../../../src/core/domain/document.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { After } from './fates.ts';
import type { Image, Office, Scan } from './plan.ts';
import { resultOf } from './posted.ts';
import { begin, finish } from '../uploads.ts';

/** Number of scans recorded concurrently, in a group commit. */
const AT_ONCE = 500;
/** One result in so many is about a document that the ledger does not know. */
const STRAY_EVERY = 97;

/** Records the whole office in an empty ledger, through the same operations as the agent. */
export async function recordOffice(
  ledger: Ledger,
  office: Office,
  /** The identity of a file on the disk, if it was written to one. */
  identityOf: (office: Office, scan: Scan) => FileIdentity = (_, { identity }) => identity,
): Promise<void> {
  await ledger.recordEndpoint(office.endpoints.office, 'Office <b>', '{"uid":"x"}', office.until - 1);
  for (const folder of Object.values(office.folders))
    await ledger.markWatched(folder, [], { reason: '', message: '', sha256: null, policy: null, at: 0 });
  const toErase: number[] = [];
  let batch: Scan[] = [];
  for (const planned of office.scans()) {
    const scan = { ...planned, identity: identityOf(office, planned) };
    if (batch.push(scan) < AT_ONCE) continue;
    toErase.push(...(await recordAll(ledger, office, batch)));
    batch = [];
  }
  toErase.push(...(await recordAll(ledger, office, batch)));
  await ledger.erase(toErase, office.until);
  for (const hold of office.holds) await ledger.putHold(hold);
  const act = { at: office.until, by: 'mü<b>ller', detail: 'warehouse' };
  await ledger.recordAct({ ...act, kind: 'pause' });
}

/** Admits scans in order, so that their ids are in order too; later steps run independently. @returns documents to erase */
async function recordAll(ledger: Ledger, office: Office, scans: readonly Scan[]): Promise<number[]> {
  return (await Promise.all(scans.map((scan) => record(ledger, office, scan)))).flat();
}

async function record(ledger: Ledger, office: Office, scan: Scan): Promise<number[]> {
  const { at, folder, path, identity, sha256 } = scan;
  const file = { folder, path, identity };
  if (scan.kind === 'file') {
    const { note } = scan;
    if (note.verdict === 'split') {
      const split = await ledger.beginSplit({ endpoint: office.endpoints.office, file, sha256, at });
      if (split === null) throw new Error(`${path} was taken apart before`);
      await ledger.endSplit(split, { at, pages: 3, reason: null, message: null, policy: null });
    } else await ledger.note(file, { ...note, at });
    for (const { at: goneAt } of scan.after) await ledger.gone(folder, [path], goneAt);
    return [];
  }
  const { endpoint, lane, name, after, number } = scan;
  const { kind, document } = await ledger.admit({
    endpoint,
    file,
    sha256,
    type: 'jpeg',
    lane,
    at,
    naming: [name],
  });
  if (kind !== (scan.duplicates ? 'duplicate' : 'queued')) throw new Error(`scan ${number} became ${kind}`);
  for (const each of after) if (each.do !== 'erase') await recordAfter(ledger, scan, document.id, each);
  if (number % STRAY_EVERY === 0) {
    const payload = Buffer.from(JSON.stringify({ name: `stray-${number}`, status: 'DONE' }));
    const { baseUrl } = office;
    await ledger.recordResult({
      at,
      baseUrl,
      uid: endpoint.uid,
      name: `stray-${number}`,
      status: 'DONE',
      payload,
    });
  }
  return after.some((each) => each.do === 'erase') ? [document.id] : [];
}

type Happening = Exclude<After, { readonly do: 'erase' }>;

async function recordAfter(ledger: Ledger, image: Image, id: number, after: Happening): Promise<void> {
  const { folder, path, endpoint, name, identity } = image;
  const { at } = after;
  switch (after.do) {
    case 'send': {
      const { tookMs, outcome, httpStatus, message, transition } = after;
      const attempt = await begin(ledger, id, at, identity.size);
      return finish(ledger, attempt, { at: at + tookMs, outcome, httpStatus, message, transition });
    }
    case 'begin':
      await begin(ledger, id, at, identity.size);
      return;
    case 'lose':
      return ledger.markLost(id, after.message, at);
    case 'dispose': {
      const { how, archivedTo } = after;
      const known = await ledger.known({ folder, path });
      if (known === null) throw new Error(`${path} is not known`);
      await ledger.disposing(known.fileId, how, at);
      return ledger.disposed(known.fileId, how, archivedTo && `${folder}/${archivedTo}/${path}`, at);
    }
    case 'gone':
      return ledger.gone(folder, [path], at);
    case 'result': {
      const { status } = after;
      const payload = Buffer.from(JSON.stringify(resultOf(image, status)));
      await ledger.recordResult({ at, baseUrl: endpoint.baseUrl, uid: endpoint.uid, name, status, payload });
    }
  }
}
