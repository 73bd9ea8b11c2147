import { dirname } from 'node:path';
import type { Observation, Row, World } from '../world.ts';
import { keyOf } from '../../support/oracle.ts';
import { endOf, hasJournal } from './expected.ts';

const ASIDE = /\/\.receiptd-aside-[^/]+\//;

/** P3: an original stays in place, unchanged, unless it was accepted and is to be archived or deleted. */
export function judgeOriginals(world: World): string[] {
  return [
    ...world.observations.flatMap((each, index) => [...inPlace(world, each, index)]),
    ...atTheEnd(world),
  ];
}

/** Between runs: a kill may leave an original aside or in both places, but never in neither. */
function* inPlace(world: World, observation: Observation, index: number): Generator<string> {
  const { scans, files, journal } = observation;
  const { afterUpload } = world.settings;
  for (const scan of scans) {
    if (scan.gone !== null || files.some(({ path, sha256 }) => path === scan.path && sha256 === scan.sha256))
      continue;
    const where = `after run ${index + 1} the original ${scan.path}`;
    const there = files.find(({ path }) => path === scan.path);
    if (there) {
      yield `${where} has different bytes`;
      continue;
    }
    // Set aside for a final check: after a kill, the next start puts it back.
    const same = files.filter(({ sha256 }) => sha256 === scan.sha256);
    if (afterUpload !== 'keep' && same.some(({ path }) => ASIDE.test(path))) continue;
    const isAccepted = journal.documents.some(
      (each) => keyOf(each) === keyOf(scan) && each.state === 'accepted',
    );
    if (afterUpload === 'keep') yield `${where} is gone, but originals should be kept`;
    else if (!isAccepted && hasJournal(world, observation))
      yield `${where} is gone, but its acceptance is not on record`;
    if (afterUpload === 'archive' && !same.some(({ path }) => isArchived(world, path)))
      yield `${where} is neither in place nor in the archive`;
  }
}

function* atTheEnd(world: World): Generator<string> {
  const { files, scans, journal } = endOf(world);
  const { afterUpload } = world.settings;
  const { archived } = journal;
  for (const { path, sha256 } of files) {
    if (path.includes('/.receiptd-')) yield `${path} was left over`;
    else if (isArchived(world, path)) {
      if (afterUpload !== 'archive') yield `${path} is in the archive, but nothing should be archived`;
      else if (!world.rows.some((row) => isOf(row, sha256)))
        yield `${path} in the archive is not an accepted image`;
      else if (!archived.includes(path)) yield `${path} is in the archive, but the ledger does not know it`;
    } else if (!scans.some((scan) => scan.path === path && scan.sha256 === sha256))
      yield `${path} is in the folder, but nobody put it there`;
  }
  for (const path of archived)
    if (!files.some((file) => file.path === path))
      yield `the ledger has ${path} as archived, but it does not exist`;
  for (const { archivedTo, name } of world.rows)
    if (archivedTo !== null && !archived.includes(archivedTo))
      yield `${name} was never archived to ${archivedTo}`;
  for (const scan of scans) {
    const inFolder = files.some(({ path, sha256 }) => path === scan.path && sha256 === scan.sha256);
    if (afterUpload === 'keep' || scan.gone !== null || scan.kind !== 'image' || !inFolder) continue;
    if (world.rows.some((row) => isOf(row, scan.sha256) && row.endpointUid === scan.endpointUid))
      yield `${scan.path} is accepted, but was not ${afterUpload === 'archive' ? 'archived' : 'deleted'}`;
  }
}

function isOf(row: Row, sha256: string): boolean {
  return row.state === 'accepted' && row.sha256 === sha256;
}

function isArchived({ folders }: World, path: string): boolean {
  return folders.some(({ archive }) => dirname(path) === archive);
}
