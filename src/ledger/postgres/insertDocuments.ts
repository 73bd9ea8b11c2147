import { endpointId, type Document, type EndpointKey } from '../../core/domain/document.ts';
import { namesOf, usesSeq } from '../../core/domain/naming.ts';
import { groupBy } from '../groupBy.ts';
import { keyParams, noFreeName, type NewDocument } from '../newDocument.ts';
import { UNTOUCHED } from '../rows.ts';
import { requireDocument } from './documents.ts';
import * as DOCUMENTS from './sql/documents.ts';
import { ENDPOINT_FOR_UPDATE } from './sql/endpoints.ts';
import type { Transaction } from './transaction.ts';
import { markAsSent } from './wentBack.ts';

/** The next numbers of an endpoint. */
export interface Given {
  readonly nextSeq: number;
  readonly nextLine: number;
}

/** Its row exists already (`ReferencedRows`). */
export async function lockEndpoint(sql: Transaction, endpoint: EndpointKey): Promise<Given> {
  const given = await sql.get<Given>(ENDPOINT_FOR_UPDATE, keyParams(endpoint));
  if (!given) throw new Error('the row of an endpoint is missing');
  return given;
}

/** Creates documents, in order. `given`: the next numbers of their endpoints. */
export async function insertDocuments(
  sql: Transaction,
  images: readonly NewDocument[],
  given: ReadonlyMap<string, Given>,
): Promise<readonly Document[]> {
  const next = new Map([...given].map(([id, { nextSeq, nextLine }]) => [id, { nextSeq, nextLine }]));
  const wanted = images.map((image) => {
    const numbers = next.get(endpointId(image.endpoint));
    if (numbers === undefined) throw new Error('the row of an endpoint is not locked');
    const [line, seq] = [numbers.nextLine, numbers.nextSeq];
    numbers.nextLine += 1;
    if (usesSeq(image.naming)) numbers.nextSeq += 1;
    return { image, line, seq, proposed: namesOf(image.naming, seq) };
  });
  const [{ taken, issued }, ids] = await Promise.all([
    takenAmong(sql, wanted),
    sql.nextIds('documents', images.length),
  ]);
  const sent: { id: number; bytes: number; at: number }[] = [];
  const documents = wanted.map(({ image, line, seq, proposed }, index) => {
    const { folder, path, sha256, type, size, lane, at, naming } = image;
    const key = endpointId(image.endpoint);
    const before = issued.get(`${key} ${sha256}`);
    const isFree = (candidate: string): boolean =>
      [undefined, sha256].includes(taken.get(`${key} ${candidate}`));
    const name = before?.isTaken === false ? before.name : proposed.find(isFree);
    if (name === undefined) throw noFreeName(path);
    taken.set(`${key} ${name}`, '');
    const id = ids[index] as number;
    if (before?.isSent === true) sent.push({ id, bytes: size, at });
    const row = { endpoint: keyParams(image.endpoint), name, sha256, type, size, lane, folder, path };
    sql.emit({ kind: 'named', document: id, ...row, line, seq: usesSeq(naming) ? seq : null }, at);
    // Only this agent can send files of its own folders, and each notification delays the commits of all other agents.
    if (!sql.places.isOwn(folder)) sql.notify('queue', sql.places.ofFolder(folder).place);
    return { id, ...row, ...UNTOUCHED, createdAt: at, updatedAt: at };
  });
  if (sent.length === 0) return documents;
  await markAsSent(sql, sent);
  return Promise.all(documents.map(({ id }) => requireDocument(sql, id)));
}

interface IssuedBefore {
  readonly sha256: string;
  readonly name: string;
  readonly isSent: boolean;
  /** Another image got the name before this agent could record it. */
  readonly isTaken: boolean;
}

/**
 * `taken`: names that no new image may use, by endpoint; the value is the hash of the bytes that they are reserved for,
 * or ''. `issued`: names issued to these very bytes before the database went back, by endpoint and bytes.
 */
async function takenAmong(
  sql: Transaction,
  wanted: readonly { readonly image: NewDocument; readonly proposed: readonly string[] }[],
): Promise<{ readonly taken: Map<string, string>; readonly issued: ReadonlyMap<string, IssuedBefore> }> {
  const groups = [...groupBy(wanted, ({ image }) => endpointId(image.endpoint))];
  const taken = new Map<string, string>();
  const issued = new Map<string, IssuedBefore>();
  await Promise.all(
    groups.map(async ([key, group]) => {
      const of = keyParams((group[0] as (typeof wanted)[number]).image.endpoint);
      const sha256s = group.map(({ image }) => image.sha256);
      const names = group.flatMap(({ proposed }) => [...proposed]);
      const [rows, known] = await Promise.all([
        sql.all<{ name: string; sha256: string | null }>(DOCUMENTS.TAKEN_NAMES, { ...of, names }),
        sql.all<IssuedBefore>(DOCUMENTS.ISSUED, { ...of, sha256s }),
      ]);
      for (const { name, sha256 } of rows) taken.set(`${key} ${name}`, sha256 ?? '');
      for (const each of known) issued.set(`${key} ${each.sha256}`, each);
    }),
  );
  return { taken, issued };
}
