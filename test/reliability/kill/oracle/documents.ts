import type { Row, World } from '../world.ts';
import { VERDICTS } from '../../support/verdicts.ts';
import { dutiesOf, endOf, keyOf, type Duty } from './expected.ts';

const REFUSALS: ReadonlySet<string> = new Set([...VERDICTS].map(String));
/** States of rows that represent a document. */
const DOCUMENT = new Set(['accepted', 'failed', 'unconfirmed', 'lost', 'queued', 'uploading', 'held']);

/** P1 and P2: every image ends in a permitted state under one name, and is stored unchanged. */
export function judgeDocuments(world: World): string[] {
  return [...eachImage(world), ...eachFile(world), ...eachStored(world), ...names(world), ...repeats(world)];
}

function* eachImage(world: World): Generator<string> {
  const { rows, stored } = world;
  for (const [key, duty] of dutiesOf(endOf(world).scans)) {
    const own = rows.filter((row) => keyOf(row) === key && DOCUMENT.has(row.state));
    const copies = stored.filter((each) => keyOf(each) === key);
    const row = own[0];
    if (new Set(own.map(({ name }) => name)).size > 1) yield `the ledger has two documents of image ${key}`;
    if (row === undefined) {
      if (duty !== 'free') yield `nothing in the ledger tells of image ${key}`;
      if (copies.length > 0) yield `image ${key} is stored, and nothing in the ledger tells of it`;
      continue;
    }
    const wrong = wrongState(world, row, duty);
    if (wrong !== null) yield `image ${key} (${row.name}) is ${row.state} (${row.reason}): ${wrong}`;
    const isStored = copies.some(({ name }) => name === row.name);
    if (row.state === 'accepted' && !isStored)
      yield `${row.name} is accepted, and the service does not have it`;
  }
}

/** Null if the document may end in this state. */
function wrongState(world: World, { state, name, endpointUid, attempts, createdAt, path }: Row, duty: Duty) {
  const answers = world.uploads.filter((each) => each.name === name && each.endpointUid === endpointUid);
  switch (state) {
    case 'accepted':
      return null;
    case 'lost':
      if (duty === 'must') return 'its bytes lay there, or were accepted or copied before they went';
      return name !== null && createdAt !== '' && path !== ''
        ? null
        : 'name, time and path belong to what is lost';
    case 'failed':
      return answers.some(({ ending }) => REFUSALS.has(ending)) ? null : 'the service never refused it';
    case 'unconfirmed':
      if (!answers.some(({ ending }) => REFUSALS.has(ending) || ending === '409'))
        return 'the service never said so';
      return attempts > 1 ? null : 'it was sent once only';
    default:
      return 'nothing may wait at the end';
  }
}

/** Files present at the end, and files that are no images. */
function* eachFile(world: World): Generator<string> {
  const { rows, stored } = world;
  const { scans, journal } = endOf(world);
  for (const scan of scans) {
    const { kind, path, sha256, gone } = scan;
    const isStored = stored.some((each) => keyOf(each) === keyOf(scan));
    if (kind !== 'image' && isStored) yield `${path} was sent, and is no whole image`;
    if (gone !== null) continue;
    const here = rows.filter((row) => row.path === path);
    const seen = journal.sightings.get(path);
    switch (kind) {
      case 'image':
        if (seen?.sha256 !== sha256) yield `nothing in the ledger tells of the file ${path}`;
        else if (seen.verdict !== 'document' && seen.verdict !== 'duplicate')
          yield `the file ${path} is a whole image, and ${seen.verdict}`;
        break;
      case 'junk':
        if (!here.some(({ state, reason }) => state === 'rejected' && reason !== null))
          yield `${path} is no image, and was not rejected with a reason`;
        break;
      case 'cutShort':
        if (!here.some(({ state }) => state === 'incomplete'))
          yield `${path} ends too early, and is not incomplete`;
        break;
    }
  }
  for (const { state, name, sha256, path } of rows) {
    if (state !== 'duplicate') continue;
    const isOfDocument = (row: Row): boolean =>
      row.name === name && row.sha256 === sha256 && DOCUMENT.has(row.state);
    if (!rows.some(isOfDocument))
      yield `${path} is a duplicate of ${name}, which is no document of the same image`;
  }
}

function* eachStored(world: World): Generator<string> {
  const { stored } = world;
  const dropped = dutiesOf(endOf(world).scans);
  const byImage = new Map<string, string>();
  for (const each of stored) {
    const { name, sha256, actual } = each;
    const key = keyOf(each);
    if (sha256 !== actual) yield `${name} is stored with other bytes than it was sent with`;
    if (!dropped.has(key)) yield `${name} is stored with bytes that never lay in a folder`;
    const other = byImage.get(key);
    if (other !== undefined && other !== name)
      yield `image ${key} is stored twice, as ${other} and as ${name}`;
    byImage.set(key, name);
    if (
      stored.some(
        (second) => second !== each && second.name === name && second.endpointUid === each.endpointUid,
      )
    )
      yield `${name} is stored with two different images`;
    if (world.rows.some((row) => keyOf(row) === key && DOCUMENT.has(row.state) && row.name !== name))
      yield `image ${key} is stored as ${name}, and has another name in the ledger`;
  }
}

/** A durable name stays with its image and is never given to another. */
function* names(world: World): Generator<string> {
  const byImage = new Map<string, string>();
  const byName = new Map<string, string>();
  const documents = [...world.observations.flatMap(({ journal }) => journal.documents), ...rowsOf(world)];
  for (const { endpointUid, name, sha256 } of documents) {
    const key = keyOf({ endpointUid, sha256 });
    const named = `${endpointUid} ${name}`;
    const [first = name, image = key] = [byImage.get(key), byName.get(named)];
    if (first !== name) yield `image ${key} was named ${first}, then ${name}`;
    if (image !== key) yield `the name ${name} was given to two images`;
    byImage.set(key, first);
    byName.set(named, image);
  }
}

function rowsOf({ rows }: World) {
  return rows.flatMap(({ endpointUid, name, sha256, state }) =>
    endpointUid !== null && name !== null && sha256 !== null && DOCUMENT.has(state)
      ? [{ endpointUid, name, sha256 }]
      : [],
  );
}

/** Repeats are allowed only if an answer may have been lost, and the ledger has to say so. */
function* repeats(world: World): Generator<string> {
  const { rows, stored, uploads, runs, observations, settings } = world;
  for (const { endpointUid, name, tries } of stored) {
    if (tries <= 1) continue;
    const row = rows.find(
      (each) => each.name === name && each.endpointUid === endpointUid && DOCUMENT.has(each.state),
    );
    const { documents } = endOf(world).journal;
    const told = documents.find((each) => each.name === name && each.endpointUid === endpointUid);
    if (!row?.answerLost && !told?.unknown)
      yield `${name} was stored ${tries} times, and the ledger says nothing of it`;
  }
  for (const upload of uploads) {
    const { endpointUid, name, arrivedAt } = upload;
    const of = runs.findLastIndex(({ ended }) => ended.startedAt <= arrivedAt);
    const before = observations[of - 1]?.journal.documents ?? [];
    if (
      before.some(
        (each) => each.name === name && each.endpointUid === endpointUid && each.state === 'accepted',
      )
    )
      yield `${name} was sent again in run ${of + 1}, although its acceptance was on record`;
    const answered = uploads.find(
      (each) =>
        each !== upload &&
        each.endpointUid === endpointUid &&
        each.name === name &&
        each.ending === '200' &&
        each.fault === null &&
        each.arrivedAt < arrivedAt &&
        each.arrivedAt >= (runs[of]?.ended.startedAt ?? Infinity),
    );
    if (answered && !settings.impatient)
      yield `${name} was sent again in run ${of + 1}, which had its acceptance in hand`;
  }
}
