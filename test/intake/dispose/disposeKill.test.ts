import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundled } from '../../support/compiled.ts';
import { canMount, withSmallDisk } from '../../support/ownMount.ts';
import { chosenKills, chosenOf } from '../../support/everyCase.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { requirement } from '../../support/requires.ts';
import { watchingPlace, type WatchingPlace } from '../watching.ts';

const never = new AbortController().signal;
const FOREIGN = 'somebody else’s';

/** The watched folder is in memory if there is enough, otherwise on disk. */
const watchedUnder = memoryDirectory();
const elsewhere = watchedUnder === tmpdir() ? '/dev/shm' : tmpdir();
const otherDevice = requirement(
  'A second file system',
  existsSync(elsewhere) && statSync(elsewhere).dev !== statSync(watchedUnder).dev,
  `${elsewhere} on another device than ${watchedUnder}`,
);

let script: string;
beforeAll(async () => {
  script = await bundled('test/intake/dispose/killedDisposal.js');
});

interface Scenario {
  readonly afterUpload: 'archive' | 'delete';
  /** Directory of the archive; null: next to the watched folder. */
  readonly archiveUnder: string | null;
}

/** An accepted scan in a subdirectory, its duplicate, a queued scan, and somebody else's file with the scan's name in the archive. */
async function prepare({ afterUpload, archiveUnder }: Scenario) {
  const place = await watchingPlace();
  const archive = join(place.dir, 'archive');
  if (archiveUnder === null) await mkdir(archive);
  else {
    const target = await mkdtemp(join(archiveUnder, 'receiptd-archive-'));
    onTestFinished(() => rm(target, { recursive: true, force: true }));
    await symlink(target, archive);
  }
  await mkdir(join(archive, 'x'));
  await writeFile(join(archive, 'x', 'a.jpg'), FOREIGN);
  const accepted = await place.drop('x/a.jpg', 'same');
  await place.drop('b.jpg', 'same');
  const options = {
    settings: { afterUpload, recursive: true },
  };
  await place.once(options);
  await place.acceptAll();
  const waiting = await place.drop('c.jpg', 'waits');
  await place.once(options);
  return { place, archive, options, accepted: hashOf(accepted), waiting: hashOf(waiting) };
}

/** The output: the change before which it was killed, or `done` and the number of changes. */
function dispose(
  place: WatchingPlace,
  nth: number | 'list',
  { afterUpload }: Scenario,
  inNamespace: (command: readonly string[]) => [string, string[]] = ([node = '', ...args]) => [node, args],
): string {
  const command = [process.execPath, script, place.dir, String(nth), afterUpload];
  const { stdout, stderr, status, signal } = spawnSync(...inNamespace(command), { encoding: 'utf8' });
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const known = new Map<string, string[]>();

/** All changes of a disposal that is not killed. */
async function changesOf(scenario: Scenario): Promise<string[]> {
  const key = JSON.stringify(scenario);
  const changes = known.get(key) ?? dispose((await prepare(scenario)).place, 'list', scenario).split('\n');
  known.set(key, changes);
  return changes;
}

async function restart({ place, options }: Awaited<ReturnType<typeof prepare>>) {
  const { intake, admitted } = await place.once(options);
  await intake.dispose(never);
  return admitted.filter(({ kind }) => kind === 'queued' || kind === 'requeued');
}

/** Hash of each file by path; the agent's own directories appear by name. */
async function contents(directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found.set(path, hashOf(await readFile(path)));
    else if (entry.name.startsWith('.receiptd-')) found.set(path, 'directory');
  }
  return found;
}

function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function expectDone(
  { place, archive, accepted, waiting }: Awaited<ReturnType<typeof prepare>>,
  { afterUpload }: Scenario,
) {
  expect([...(await contents(place.scans))]).toEqual([[join(place.scans, 'c.jpg'), waiting]]);
  const archived = await contents(`${archive}/`);
  const wanted = [
    [join(archive, 'x', 'a.jpg'), hashOf(FOREIGN)],
    ...(afterUpload === 'delete'
      ? []
      : [
          [join(archive, 'b.jpg'), accepted],
          [join(archive, 'x', 'a (2).jpg'), accepted],
        ]),
  ];
  expect([...archived].toSorted()).toEqual(wanted.toSorted());
  const [row] = (await place.rows()).filter(({ state }) => state === 'accepted');
  const detail = await place.ledger.detail(row?.documentId ?? 0);
  const ends = (detail?.sightings ?? []).map(({ disposed, archivedTo, goneAt }) => [
    disposed,
    archivedTo,
    goneAt !== null,
  ]);
  expect(ends.toSorted()).toEqual(
    afterUpload === 'delete'
      ? [
          ['deleted', null, true],
          ['deleted', null, true],
        ]
      : [
          ['archived', join(archive, 'b.jpg'), true],
          ['archived', join(archive, 'x', 'a (2).jpg'), true],
        ],
  );
  expect(await place.ledger.begunDisposals(place.scans)).toEqual([]);
  expect(place.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
}

/** Right after a kill: no visible file is truncated, and every original that must survive exists somewhere. */
async function expectNothingLost(
  { place, archive, accepted, waiting }: Awaited<ReturnType<typeof prepare>>,
  { afterUpload }: Scenario,
) {
  const inScans = await contents(place.scans);
  const inArchive = await contents(`${archive}/`);
  expect(inScans.get(join(place.scans, 'c.jpg'))).toBe(waiting);
  expect(inArchive.get(join(archive, 'x', 'a.jpg'))).toBe(hashOf(FOREIGN));
  for (const [path, hash] of inArchive) {
    if (path.includes('.receiptd-incoming-')) continue;
    expect([accepted, hashOf(FOREIGN)], path).toContain(hash);
  }
  const copies = [...inScans.values(), ...inArchive.values()].filter((hash) => hash === accepted).length;
  expect(copies).toBeGreaterThanOrEqual(afterUpload === 'archive' ? 2 : 0);
}

describe.each<[string, Scenario, boolean]>([
  ['an archive on the same file system', { afterUpload: 'archive', archiveUnder: null }, true],
  ['an archive on another file system', { afterUpload: 'archive', archiveUnder: elsewhere }, otherDevice],
  ['delete', { afterUpload: 'delete', archiveUnder: null }, true],
])('a disposal killed before each of its changes, with %s', (_, scenario, present) => {
  it.skipIf(!present)('is completed as configured after a restart and recorded in the ledger', async () => {
    const changes = await changesOf(scenario);
    for (const nth of chosenKills(changes)) {
      const at = await prepare(scenario);
      const said = dispose(at.place, nth, scenario);
      try {
        expect(said).toBe(changes[nth - 1]);
        await expectNothingLost(at, scenario);
        expect(await restart(at)).toEqual([]);
        await expectDone(at, scenario);
      } catch (error) {
        throw new Error(`killed before change ${nth} (${said})`, { cause: error });
      }
    }
    const kinds = ['ledger: begun', 'mkdir', 'rename', 'unlink', 'rmdir', 'ledger: ended'];
    if (scenario.afterUpload === 'archive') kinds.push('link', 'sync');
    if (scenario.archiveUnder !== null) kinds.push('open', 'half a write', 'utimes');
    expect(kinds.filter((kind) => !changes.includes(kind))).toEqual([]);
  });
});

describe.skipIf(!otherDevice)('a disposal whose restart is killed too', () => {
  it('is still completed as configured', async () => {
    const scenario: Scenario = { afterUpload: 'archive', archiveUnder: elsewhere };
    const changes = await changesOf(scenario);
    const early = [2, 1 + (changes.length >> 1)];
    for (const nth of chosenOf(
      changes.map((_, index) => index + 1),
      (each) => early.includes(each),
    )) {
      const at = await prepare(scenario);
      const kills = [nth, 1 + (nth % 5), 2 + (nth % 7)].map((each) => dispose(at.place, each, scenario));
      try {
        await expectNothingLost(at, scenario);
        expect(await restart(at)).toEqual([]);
        await expectDone(at, scenario);
      } catch (error) {
        throw new Error(`killed before: ${kills.join(', ')}`, { cause: error });
      }
    }
  });
});

describe.skipIf(!canMount())('an archive on another file system', () => {
  it.each([
    ['that is full', '4k', 'head -c 9000 /dev/zero > "$1/filler"'],
    ['that is read-only', '4k,ro', 'true'],
  ])('%s leaves the originals in place, is reported once, and is tried again', async (_, size, fill) => {
    const scenario: Scenario = { afterUpload: 'archive', archiveUnder: null };
    const at = await prepare(scenario);
    const before = await contents(at.place.scans);
    const inNamespace = (command: readonly string[]) =>
      withSmallDisk(at.archive, size, [
        'sh',
        '-c',
        `${fill}; shift; exec "$@"`,
        'sh',
        at.archive,
        ...command,
      ]);
    expect(dispose(at.place, 0, scenario, inNamespace).split('\n').slice(1)).toEqual([
      'An original could not be archived or deleted; trying again in a few minutes',
    ]);
    expect(await contents(at.place.scans)).toEqual(before);
    expect(await at.place.ledger.begunDisposals(at.place.scans)).toEqual([]);
    expect(await restart(at)).toEqual([]);
    await expectDone(at, scenario);
  });
});
