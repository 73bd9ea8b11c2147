/*
 * Which originals go, and which stay: a small world of files, documents, endpoints and edits, on a real disk and a real ledger. The
 * model knows bytes only. A file may go if the bytes that lie there now were admitted from there, and their document was accepted.
 */
import * as fc from 'fast-check';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { erase } from '../../../src/control/operations/erase.ts';
import type { EndpointKey } from '../../../src/core/domain/document.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { openSpool } from '../../../src/keeper/spool/openSpool.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { OFFICE, REFUSAL, send, SHOP } from '../../contract/ledger/support.ts';
import { isEveryCase } from '../../support/everyCase.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { filesIn, watched } from '../folder/fixture.ts';
import { disposalOf, never } from './disposing.ts';

const FOLDERS: Record<string, EndpointKey> = { office: OFFICE, shop: SHOP };
/** Equal but for case or Unicode form, for people and for some disks. */
const NAMES = ['Überweisung.jpg', 'U\u0308berweisung.jpg', 'überweisung.jpg', 'ordner/Überweisung.jpg'];
/** All but one of the same size. */
const CONTENTS = ['bytes 1', 'bytes 2', 'bytes 3', 'longer bytes'];
const FATES = ['accepted', 'accepted', 'accepted', 'failed', 'queued', 'lost'] as const;

type Fate = (typeof FATES)[number];
type DocumentKey = `${string} ${string}`;

interface World {
  readonly files: readonly {
    readonly folder: string;
    readonly name: string;
    /** Admitted from there, one after the other. None: the agent has not seen the file. */
    readonly seen: readonly string[];
    /** What lies there at last; null: deleted. `seen`: as it was admitted. */
    readonly now: string | null;
    readonly isTouched: boolean;
  }[];
  readonly fates: readonly Fate[];
}

const content = fc.constantFrom(CONTENTS[0]!, CONTENTS[0]!, ...CONTENTS);
const world: fc.Arbitrary<World> = fc.record({
  files: fc.uniqueArray(
    fc.record({
      folder: fc.constantFrom(...Object.keys(FOLDERS)),
      name: fc.constantFrom(...NAMES),
      seen: fc.oneof(
        { weight: 6, arbitrary: fc.tuple(content) },
        { weight: 2, arbitrary: fc.tuple(content, content) },
        { weight: 1, arbitrary: fc.constant([]) },
      ),
      now: fc.oneof(
        { weight: 6, arbitrary: fc.constant('seen') },
        content,
        fc.constant('other 1'),
        fc.constant(null),
      ),
      isTouched: fc.boolean(),
    }),
    { selector: ({ folder, name }) => `${folder}/${name}`, minLength: 1, maxLength: 8, size: 'max' },
  ),
  /** Of each document, by endpoint and bytes. */
  fates: fc.array(fc.constantFrom(...FATES), { minLength: 8, maxLength: 8 }),
});

/** What an act works on, and the model's view of it. */
async function place({ files, fates }: World) {
  const dir = await mkdtemp(join(memoryDirectory(), 'receiptd-originals-'));
  const clock = new FakeClock();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  const spool = await openSpool({ dir: join(dir, 'spool'), limitBytes: 1_000_000 });
  const open = (path: string) => watched(path, { archiveTo: `${path}-archive` });
  const documents = new Map<DocumentKey, { readonly id: number; readonly fate: Fate }>();
  const now = new Map<string, string>();
  for (const folder of Object.keys(FOLDERS)) mkdirSync(join(dir, folder, 'ordner'), { recursive: true });

  for (const { folder, name, seen } of files) {
    for (const bytes of seen) {
      writeFileSync(join(dir, folder, name), bytes);
      const found = await open(join(dir, folder)).stat(name);
      if (found?.kind !== 'file') throw new Error(`${name} is not there`);
      const { document } = await ledger.admit({
        endpoint: FOLDERS[folder]!,
        file: { folder: join(dir, folder), path: name, identity: found.identity },
        sha256: sha256(Buffer.from(bytes)),
        type: 'jpeg',
        lane: 'fresh',
        at: clock.now(),
        naming: [`${folder} ${bytes}`],
      });
      const index = Object.keys(FOLDERS).indexOf(folder) * CONTENTS.length + CONTENTS.indexOf(bytes);
      documents.set(`${folder} ${bytes}`, { id: document.id, fate: fates[index]! });
      await spool.put(sha256(Buffer.from(bytes)), Buffer.from(bytes));
    }
  }
  for (const { id, fate } of documents.values()) await meet(ledger, id, fate, clock.now());
  for (const { folder, name, seen, now: last, isTouched } of files) {
    const path = join(dir, folder, name);
    const bytes = last === 'seen' ? (seen.at(-1) ?? 'a stranger') : last;
    if (bytes === null) {
      rmSync(path, { force: true });
      continue;
    }
    writeFileSync(path, bytes);
    if (isTouched) utimesSync(path, 1, 1);
    now.set(`${folder}/${name}`, bytes);
  }
  const below = async (suffix = '') => {
    const all = new Map<string, string>();
    for (const folder of Object.keys(FOLDERS).map((each) => each + suffix))
      if (existsSync(join(dir, folder)))
        for (const [path, bytes] of Object.entries(await filesIn(join(dir, folder))))
          all.set(`${folder}/${path}`, bytes);
    return all;
  };
  return { dir, clock, ledger, spool, open, documents, now, below };
}

async function meet(ledger: Ledger, id: number, fate: Fate, at: number): Promise<void> {
  if (fate === 'accepted') await send(ledger, id, { from: at, at });
  if (fate === 'failed') await send(ledger, id, { from: at, at, ...REFUSAL });
  if (fate === 'lost') await ledger.markLost(id, 'Gone.', at);
}

/** Runs a case, and tidies up. */
async function inWorld(
  given: World,
  work: (at: Awaited<ReturnType<typeof place>>) => Promise<void>,
): Promise<void> {
  const at = await place(given);
  try {
    await work(at);
  } finally {
    await at.ledger.close();
    await rm(at.dir, { recursive: true });
  }
}

it('after the upload, exactly the files go that were accepted as they are', async () => {
  const seen = { gone: 0, stayed: 0 };
  await fc.assert(
    fc.asyncProperty(world, fc.constantFrom('delete', 'archive'), async (given, afterUpload) =>
      inWorld(given, async ({ dir, clock, ledger, open, documents, now, below }) => {
        const stay = new Map(now);
        const gone = new Map<string, string>();
        for (const { folder, name, seen: admitted } of given.files) {
          const bytes = now.get(`${folder}/${name}`);
          if (bytes === undefined || bytes !== admitted.at(-1)) continue;
          if (documents.get(`${folder} ${bytes}`)?.fate !== 'accepted') continue;
          stay.delete(`${folder}/${name}`);
          gone.set(`${folder}-archive/${name}`, bytes);
        }
        for (const folder of Object.keys(FOLDERS)) {
          const settings = { path: join(dir, folder), afterUpload };
          const deps = { folder: open(settings.path), settings, ledger, clock, log: new RecordedLog() };
          await (await disposalOf(deps)).run(false, never);
        }
        expect(await below()).toEqual(stay);
        expect(await below('-archive')).toEqual(afterUpload === 'archive' ? gone : new Map());
        seen.gone += gone.size;
        seen.stayed += stay.size;
      }),
    ),
    { numRuns: isEveryCase ? 1_000 : 30 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});

it('erasing deletes exactly the accepted originals of the documents that it names, or none and says which are there', async () => {
  const seen = { deleted: 0, stayed: 0, there: 0, needed: 0, erased: 0 };
  const named = fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 6, size: 'max' });
  await fc.assert(
    fc.asyncProperty(world, named, fc.boolean(), async (given, which, withOriginals) =>
      inWorld(given, async ({ dir, clock, ledger, spool, open, documents, now, below }) => {
        const all = [...documents.keys()];
        const names = [...new Set(which.flatMap((index) => all[index] ?? []))];
        if (names.length === 0) return;
        const stay = new Map(now);
        const there: { name: string; files: string[] }[] = [];
        const erased: DocumentKey[] = [];
        const fatesOf = (bytes: string) =>
          Object.keys(FOLDERS).flatMap((folder) => documents.get(`${folder} ${bytes}`)?.fate ?? []);
        // In the order in which they were admitted, because documents may share a file.
        for (const name of names.toSorted((a, b) => documents.get(a)!.id - documents.get(b)!.id)) {
          const { fate } = documents.get(name)!;
          const bytes = name.slice(name.indexOf(' ') + 1);
          if (fate === 'queued') continue;
          const files = given.files
            .filter(({ seen: admitted }) => admitted.includes(bytes))
            .map(({ folder, name: file }) => `${folder}/${file}`)
            .filter((path) => stay.get(path) === bytes);
          const isNeeded = fatesOf(bytes).some((other) => other !== 'accepted');
          if (files.length > 0 && (!withOriginals || isNeeded)) {
            there.push({ name, files: files.map((path) => join(dir, path)) });
            if (withOriginals && fate === 'accepted') seen.needed += 1;
            continue;
          }
          for (const path of files) stay.delete(path);
          erased.push(name);
          seen.deleted += files.length;
        }
        const answer = await erase(
          {
            ledger,
            spool,
            open,
            clock,
            folders: Object.keys(FOLDERS).map((folder) => join(dir, folder)),
            pictures: { forget: async () => {} },
          },
          { names, withOriginals },
          async () => {},
        );
        expect(await below()).toEqual(stay);
        const inOrder = (list: typeof there) =>
          list.map(({ name, files }) => `${name}: ${files.toSorted().join()}`).toSorted();
        expect(inOrder(answer.there)).toEqual(inOrder(there));
        expect(answer).toMatchObject({
          erased: erased.length,
          skipped: names.filter((name) => documents.get(name)?.fate === 'queued'),
        });
        for (const [name, { id }] of documents)
          expect([name, (await ledger.document(id))?.path === '']).toEqual([name, erased.includes(name)]);
        for (const bytes of CONTENTS) {
          const isErased = erased.some((name) => name.endsWith(` ${bytes}`));
          const isWanted = fatesOf(bytes).some((fate) => fate === 'queued' || fate === 'lost');
          const hasCopy = fatesOf(bytes).length > 0 && (!isErased || isWanted);
          expect([bytes, spool.has(sha256(Buffer.from(bytes)))]).toEqual([bytes, hasCopy]);
        }
        seen.stayed += stay.size;
        seen.there += there.length;
        seen.erased += erased.length;
      }),
    ),
    { numRuns: isEveryCase ? 500 : 40 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});
