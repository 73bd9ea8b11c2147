import type { Row, World } from '../world.ts';
import { agree, keyOf, VERDICTS, type LedgerDocument } from '../../support/oracle.ts';
import { dutiesOf, endOf, type Duty } from './expected.ts';

const REFUSALS: ReadonlySet<string> = new Set([...VERDICTS].map(String));
/** States of rows that represent a document. */
const DOCUMENT = new Set(['accepted', 'failed', 'unconfirmed', 'lost', 'queued', 'uploading', 'held']);

/** P1 and P2: every image ends in a permitted state under one name, and is stored unchanged. */
export function judgeDocuments(world: World): string[] {
  return [
    ...agree(documentsOf(world), world.stored),
    ...eachImage(world),
    ...eachFile(world),
    ...eachStored(world),
    ...names(world),
    ...repeats(world),
  ];
}

/** An answer is also lost if the journal has a request without an end. */
function documentsOf(world: World): LedgerDocument[] {
  const { documents } = endOf(world).journal;
  return world.rows
    .filter(({ state }) => DOCUMENT.has(state))
    .map((row) => {
      const told = documents.find((each) => each.name === row.name && each.endpointUid === row.endpointUid);
      return { ...row, answerLost: row.answerLost || (told?.unknown ?? 0) > 0 };
    });
}

function* eachImage(world: World): Generator<string> {
  for (const [key, duty] of dutiesOf(endOf(world).scans)) {
    const row = world.rows.find((each) => keyOf(each) === key && DOCUMENT.has(each.state));
    const wrong = row ? wrongState(world, row, duty) : null;
    if (row && wrong !== null) yield `image ${key} (${row.name}) is ${row.state} (${row.reason}): ${wrong}`;
    if (!row && duty !== 'free') yield `image ${key} is not in the ledger`;
  }
}

/** Null if the document may end in this state. */
function wrongState(world: World, { state, name, endpointUid, attempts, createdAt, path }: Row, duty: Duty) {
  const answers = world.uploads.filter((each) => each.name === name && each.endpointUid === endpointUid);
  switch (state) {
    case 'accepted':
      return null;
    case 'lost':
      if (duty === 'must') return 'its bytes were there, or were accepted or copied before they were removed';
      return name !== null && createdAt !== '' && path !== ''
        ? null
        : 'a lost document must keep its name, time and path';
    case 'failed':
      return answers.some(({ ending }) => REFUSALS.has(ending)) ? null : 'the service never refused it';
    case 'unconfirmed':
      if (!answers.some(({ ending }) => REFUSALS.has(ending) || ending === '409'))
        return 'the service never refused it';
      return attempts > 1 ? null : 'it was sent only once';
    default:
      return 'nothing may still be waiting at the end';
  }
}

/** Files present at the end, and files that are no images. */
function* eachFile(world: World): Generator<string> {
  const { rows, stored } = world;
  const { scans, journal } = endOf(world);
  for (const scan of scans) {
    const { kind, path, sha256, gone } = scan;
    const isStored = stored.some((each) => keyOf(each) === keyOf(scan));
    if (kind !== 'image' && isStored) yield `${path} was sent, but is not a complete image`;
    if (gone !== null) continue;
    const here = rows.filter((row) => row.path === path);
    const seen = journal.sightings.get(path);
    switch (kind) {
      case 'image':
        if (seen?.sha256 !== sha256) yield `the file ${path} is not in the ledger`;
        else if (seen.verdict !== 'document' && seen.verdict !== 'duplicate')
          yield `the file ${path} is a complete image, but the ledger says ${seen.verdict}`;
        break;
      case 'junk':
        if (!here.some(({ state, reason }) => state === 'rejected' && reason !== null))
          yield `${path} is not an image, but was not rejected with a reason`;
        break;
      case 'cutShort':
        if (!here.some(({ state }) => state === 'incomplete'))
          yield `${path} is cut short, but the ledger does not say incomplete`;
        break;
    }
  }
  for (const { state, name, sha256, path } of rows) {
    if (state !== 'duplicate') continue;
    const isOfDocument = (row: Row): boolean =>
      row.name === name && row.sha256 === sha256 && DOCUMENT.has(row.state);
    if (!rows.some(isOfDocument))
      yield `${path} is a duplicate of ${name}, which is not a document of the same image`;
  }
}

function* eachStored(world: World): Generator<string> {
  const scanned = dutiesOf(endOf(world).scans);
  for (const each of world.stored) {
    const { name, sha256, actual } = each;
    if (sha256 !== actual) yield `${name} is stored with different bytes than it was sent with`;
    if (!scanned.has(keyOf(each))) yield `${name} is stored with bytes that were never in a folder`;
  }
}

/** A durable name stays with its image and is never given to another. */
function* names(world: World): Generator<string> {
  const byImage = new Map<string, string | null>();
  const byName = new Map<string, string>();
  const documents = [
    ...world.observations.flatMap(({ journal }) => journal.documents),
    ...documentsOf(world),
  ];
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

/** An accepted document is never sent again. */
function* repeats(world: World): Generator<string> {
  const { uploads, runs, observations, settings } = world;
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
      yield `${name} was sent again in run ${of + 1}, which already had the answer that it was accepted`;
  }
}
