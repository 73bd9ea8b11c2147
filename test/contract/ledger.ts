import { createHash } from 'node:crypto';
// Reports show paths as the platform writes them.
import { basename, normalize as native } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentialsKey, type AccountOf } from '../../src/core/domain/account.ts';
import {
  endpointId,
  type Document,
  type EndpointKey,
  type FileIdentity,
} from '../../src/core/domain/document.ts';
import { parseTemplate } from '../../src/core/domain/nameTemplate.ts';
import { namesOf, type Naming } from '../../src/core/domain/naming.ts';
import { isFound, searchWords } from '../../src/core/domain/search.ts';
import type { Hold } from '../../src/core/ports/hold.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import type { Admission, FileSeen, Note } from '../../src/core/ports/ledgerIntake.ts';
import type { AttemptResult, ClaimQuery, Transition } from '../../src/core/ports/ledgerQueue.ts';
import type { ListFilter, ListRow } from '../../src/core/ports/ledgerReports.ts';
import type { NewResult } from '../../src/core/ports/results.ts';

/** A location for one ledger. `open` reopens what the last one left; all endpoints share one account by default. */
export interface LedgerPlace {
  open(accountOf?: AccountOf): Promise<Ledger>;
  /** All stored data, including the history. */
  stored(): Promise<string>;
  remove(): Promise<void>;
}

export const OFFICE: EndpointKey = { baseUrl: 'http://127.0.0.1:9', uid: 'office' };
export const SHOP: EndpointKey = { baseUrl: 'http://127.0.0.1:9', uid: 'shop' };

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

export function identity(n = 1): FileIdentity {
  return { size: 100 + n, mtimeNs: BigInt(n), ctimeNs: BigInt(n), inode: BigInt(n) };
}

export function seen(path: string, n = 1, folder = '/scans'): FileSeen {
  return { folder, path, identity: identity(n) };
}

export function admission(path: string, content: string, more: Partial<Admission> = {}): Admission {
  return {
    endpoint: OFFICE,
    file: seen(path),
    sha256: hashOf(content),
    type: 'jpeg',
    lane: 'fresh',
    at: 1_000,
    naming: [`doc-${content}`],
    ...more,
  };
}

/** Names from a template, for a file with that name and no extension. */
export function naming(template: string, content: string, stem = 'scan'): Naming {
  const date = new Date(1_000);
  const of = { folder: '/scans', path: stem, host: 'host', endpoint: 'office', date, captured: date };
  return parseTemplate(template).naming({ ...of, hash: hashOf(content), maxBytes: 255 });
}

/** Every third wants the same name; the rest collide with each other's numbers: `n1` and 5 is `n` and 15. */
export function colliding(n: number, content: string): Naming {
  return n % 3 === 0 ? naming('same', content) : naming('{stem}{seq}', content, n % 3 === 1 ? 'n' : 'n1');
}

function note(verdict: Note['verdict'], more: Partial<Note> = {}): Note {
  return { verdict, reason: 'WHY', message: 'Because.', sha256: null, policy: 'p1', at: 1_000, ...more };
}

function ended(outcome: AttemptResult['outcome'], transition: Transition, at = 3_000): AttemptResult {
  return { at, outcome, httpStatus: outcome === 'unknown' ? null : 200, message: 'words', transition };
}

const ACCEPTED: Transition = {
  state: 'accepted',
  serviceStatus: 'PROCESSING',
  response: '{"status":"PROCESSING"}',
};
const FAILED: Transition = { state: 'failed', reason: 'HTTP_422', message: 'Refused.' };

function later(notBefore: number, more: { answerLost?: boolean; serverError?: boolean } = {}): Transition {
  const { answerLost = false, serverError = false } = more;
  return { state: 'queued', notBefore, reason: 'HTTP_503', message: 'Down.', answerLost, serverError };
}

/** The contract of every ledger implementation. `create` makes an empty location. */
export function describeLedgerContract(name: string, create: () => Promise<LedgerPlace>): void {
  describe(`${name} keeps the ledger's contract`, () => {
    let place: LedgerPlace;
    let ledger: Ledger;

    beforeEach(async () => {
      place = await create();
      ledger = await place.open();
    });
    afterEach(async () => {
      await ledger.close();
      await place.remove();
    });

    async function reopen(): Promise<void> {
      await ledger.close();
      ledger = await place.open();
    }

    async function queued(path: string, content: string, more: Partial<Admission> = {}): Promise<Document> {
      const admitted = await ledger.admit(admission(path, content, more));
      expect(admitted.kind).toBe('queued');
      return admitted.document;
    }

    async function upload(
      id: number,
      transition: Transition,
      outcome: AttemptResult['outcome'] = 'accepted',
    ) {
      await ledger.finish(await ledger.begin(id, 2_000, 100), ended(outcome, transition));
    }

    async function claimNames(limit: number, more: Partial<ClaimQuery> = {}) {
      const documents = await ledger.claim({
        endpoint: OFFICE,
        lane: 'fresh',
        limit,
        now: 5_000,
        exceptFolders: [],
        freshSince: 0,
        longestWaitMs: 3_600_000,
        ...more,
      });
      return documents.map((document) => document.name);
    }

    const toDispose = (
      folder: string,
      afterSightingId: number,
      limit: number,
      statuses: readonly string[] | null,
      stays = 0,
    ) => ledger.toDispose(folder, { afterSightingId, limit, stays, statuses });

    async function rows(filter: ListFilter = {}): Promise<ListRow[]> {
      const all: ListRow[] = [];
      for await (const row of ledger.list(filter)) all.push(row);
      return all;
    }

    async function inPages(
      filter: Omit<ListFilter, 'limit'>,
      order: 'oldest' | 'newest',
      limit: number,
      between: () => Promise<void> = async () => {},
    ): Promise<string[]> {
      const paths: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const wanted = { order, limit, withinMs: 60_000, ...(cursor !== '' && { cursor }) };
        const { rows: part, next, lookedUntil } = await ledger.page(filter, wanted);
        expect(part.length).toBeLessThanOrEqual(limit);
        expect(next === null).toBe(lookedUntil === null);
        // The search ends at or after the last row found, at a valid date.
        const last = Date.parse(part.at(-1)?.createdAt ?? '');
        const searched = lookedUntil ?? last;
        expect(() => new Date(lookedUntil ?? 0).toISOString()).not.toThrow();
        expect(order === 'oldest' ? searched < last : searched > last).toBe(false);
        paths.push(...part.map(({ path }) => path));
        cursor = next;
        await between();
      }
      return paths;
    }

    async function state(id: number): Promise<Document> {
      const document = await ledger.document(id);
      if (!document) throw new Error('no such document');
      return document;
    }

    describe('watching folders', () => {
      it('watches a folder for the first time once, also across restarts', async () => {
        expect(await ledger.isFirstWatch('/scans')).toBe(true);
        await ledger.admit(admission('a.jpg', 'a'));
        expect(await ledger.isFirstWatch('/scans')).toBe(true);
        await ledger.markWatched('/scans', [seen('old.jpg'), seen('sub/old.jpg')], note('skipped'));
        await reopen();
        expect(await ledger.isFirstWatch('/scans')).toBe(false);
        expect(await ledger.isFirstWatch('/other')).toBe(true);
        expect(await ledger.known(seen('sub/old.jpg'))).toMatchObject({
          identity: identity(),
          verdict: 'skipped',
          policy: 'p1',
        });
      });

      it('keeps existing documents and duplicates when their folder is first watched', async () => {
        await ledger.admit(admission('a.jpg', 'a'));
        await ledger.admit(admission('again.jpg', 'a', { file: seen('again.jpg', 2) }));
        await ledger.admit(admission('changed.jpg', 'c', { file: seen('changed.jpg', 3) }));
        await ledger.note(seen('torn.jpg', 4), note('incomplete'));
        const before = await rows();
        const files = [seen('a.jpg'), seen('again.jpg', 2), seen('changed.jpg', 9), seen('torn.jpg', 4)];
        await ledger.markWatched('/scans', [...files, seen('old.jpg', 5)], note('skipped'));
        await reopen();
        const known = await ledger.knownIn('/scans', '', [...files.map(({ path }) => path), 'old.jpg']);
        expect(Object.fromEntries([...known].map(([name, { verdict }]) => [name, verdict]))).toEqual({
          'a.jpg': 'document',
          'again.jpg': 'duplicate',
          // The file has other bytes now.
          'changed.jpg': 'skipped',
          'torn.jpg': 'skipped',
          'old.jpg': 'skipped',
        });
        const after = await rows();
        for (const path of [native('/scans/a.jpg'), native('/scans/again.jpg')])
          expect(after.filter((row) => row.path === path)).toEqual(before.filter((row) => row.path === path));
        expect(await ledger.isFirstWatch('/scans')).toBe(false);
      });

      it('knows the files of one directory by name, and no others', async () => {
        await ledger.admit(admission('a.jpg', 'a'));
        await ledger.note(seen('b.txt', 2), note('rejected'));
        await ledger.note(seen('sub/c.txt', 3), note('rejected'));
        await ledger.note(seen('d.txt', 4, '/other'), note('rejected'));
        const known = await ledger.knownIn('/scans', '', ['a.jpg', 'b.txt', 'c.txt', 'd.txt', 'no.jpg']);
        expect([...known.keys()].sort()).toEqual(['a.jpg', 'b.txt']);
        expect(known.get('b.txt')).toMatchObject({
          identity: identity(2),
          verdict: 'rejected',
          policy: 'p1',
        });
        expect(known.get('a.jpg')).toMatchObject({ identity: identity(), verdict: 'document', policy: null });
        expect([...(await ledger.knownIn('/scans', 'sub', ['a.jpg', 'c.txt'])).keys()]).toEqual(['c.txt']);
        expect(await ledger.knownIn('/nowhere', '', ['a.jpg'])).toEqual(new Map());
        expect(await ledger.known(seen('nothing.jpg'))).toBeNull();
      });

      it('reads the last sighting in order with concurrent admissions', async () => {
        expect(await ledger.lastSighting()).toBe(0);
        const [, last] = await Promise.all([
          ledger.admit(admission('a.jpg', 'a')),
          ledger.lastSighting(),
          ledger.admit(admission('b.jpg', 'b')),
        ]);
        const known = await ledger.knownIn('/scans', '', ['a.jpg', 'b.jpg']);
        expect(known.get('a.jpg')?.sighting).toBe(last);
        expect(known.get('b.jpg')?.sighting).toBeGreaterThan(last);
      });

      it('keeps 64-bit identities and 255-byte Unicode names exactly', async () => {
        const exact = {
          size: 3,
          mtimeNs: 2n ** 60n + 1n,
          ctimeNs: -(2n ** 59n) - 3n,
          inode: 2n ** 63n - 25n,
        };
        const decomposed = `e\u0301 🧾 ${'ش'.repeat(120)}.jpg`;
        const long = decomposed + 'x'.repeat(255 - Buffer.byteLength(decomposed));
        expect(Buffer.byteLength(long)).toBe(255);
        const file = { folder: '/scans/ÄÖ', path: `sub ü/${long}`, identity: exact };
        const { document } = await ledger.admit(admission('', 'a', { file, naming: [long] }));
        await reopen();
        expect(await ledger.known(file)).toMatchObject({ identity: exact });
        expect((await ledger.knownIn(file.folder, 'sub ü', [long])).get(long)?.identity).toEqual(exact);
        const [from] = await ledger.knownFrom(file.folder, 'sub ü', { after: '', upTo: null }, 10);
        expect(from).toMatchObject({ name: long, identity: exact });
        expect((await ledger.sources(document.sha256))[0]).toMatchObject({ ...file, archivedTo: null });
        expect(await state(document.id)).toMatchObject({ name: long, path: file.path, folder: file.folder });
        expect(await ledger.find(long)).toHaveLength(1);
        expect(await ledger.find(long.normalize('NFC'))).toHaveLength(0);
      });

      it('lists the names in a directory, and the directories at or below one', async () => {
        for (const path of ['a/1', 'a/b/2', 'a-b/3', 'ab/4', '5', 'a/gone', 'z/gone']) {
          await ledger.note(seen(path), note('rejected'));
        }
        await ledger.gone('/scans', ['a/gone', 'z/gone', 'never-seen'], 2_000);
        expect(await namesIn('')).toEqual(['5']);
        expect(await namesIn('a')).toEqual(['1']);
        expect(await namesIn('z')).toEqual([]);
        expect(await ledger.dirs('/scans', '')).toEqual(['', 'a', 'a-b', 'a/b', 'ab']);
        expect(await ledger.dirs('/scans', 'a')).toEqual(['a', 'a/b']);
        expect(await ledger.dirs('/scans', 'z')).toEqual([]);
      });

      it('pages through more names than one batch holds, each once', async () => {
        const many = Array.from({ length: 1_100 }, (_, n) => `f${n}`);
        const files = many.map((name) => seen(`d/${name}`));
        await ledger.markWatched('/scans', files, note('skipped'));
        expect(await namesIn('d')).toEqual(many.sort());
      });

      async function namesIn(dir: string): Promise<string[]> {
        const found: string[] = [];
        for await (const batch of ledger.namesIn('/scans', dir)) found.push(...batch);
        return found;
      }

      it('forgets the current file at a path that is gone, and keeps its history', async () => {
        const { id } = await queued('a.jpg', 'a');
        await ledger.gone('/scans', ['a.jpg'], 2_000);
        await ledger.gone('/scans', ['a.jpg'], 3_000);
        expect(await ledger.known(seen('a.jpg'))).toBeNull();
        expect((await ledger.detail(id))?.sightings).toMatchObject([
          { path: native('/scans/a.jpg'), goneAt: 2_000 },
        ]);
      });
    });

    describe('noting files', () => {
      it('replaces an earlier note about the same file instead of adding to it', async () => {
        await ledger.note(seen('a.jpg', 1), note('incomplete'));
        await ledger.note(seen('a.jpg', 2), note('incomplete', { at: 2_000 }));
        await ledger.note(seen('a.jpg', 3), note('rejected', { at: 3_000 }));
        await ledger.note(seen('a.jpg', 3), note('rejected', { at: 4_000, policy: 'p2' }));
        expect(await rows()).toMatchObject([
          { state: 'rejected', path: native('/scans/a.jpg'), name: null, size: 103 },
        ]);
        expect(await ledger.known(seen('a.jpg'))).toMatchObject({
          identity: identity(3),
          verdict: 'rejected',
          policy: 'p2',
        });
      });

      it('keeps a rejection when other bytes take the path', async () => {
        await ledger.note(seen('a.jpg', 1), note('rejected', { sha256: hashOf('x') }));
        await ledger.admit(admission('a.jpg', 'a', { file: seen('a.jpg', 2), at: 2_000 }));
        expect((await rows()).map((row) => row.state)).toEqual(['rejected', 'queued']);
      });

      it('replaces a note by an admission of the same bytes', async () => {
        await ledger.note(seen('a.jpg', 1), note('skipped'));
        await ledger.note(seen('b.jpg', 1), note('rejected', { sha256: hashOf('b') }));
        await queued('a.jpg', 'a');
        await queued('b.jpg', 'b', { file: seen('b.jpg', 9) });
        expect((await rows()).map((row) => row.state)).toEqual(['queued', 'queued']);
      });

      it('lists incomplete and unreadable files only while they are current', async () => {
        await ledger.note(seen('a'), note('incomplete'));
        await ledger.note(seen('b'), note('unreadable'));
        await ledger.note(seen('c'), note('rejected'));
        expect((await rows()).map((row) => row.state)).toEqual(['incomplete', 'unreadable', 'rejected']);
        await ledger.gone('/scans', ['a', 'b', 'c'], 2_000);
        expect((await rows()).map((row) => row.state)).toEqual(['rejected']);
      });
    });

    describe('admitting', () => {
      it('names a new image once, durably', async () => {
        const document = await queued('sub/a.jpg', 'a', { type: 'png', lane: 'backlog' });
        await reopen();
        expect(await state(document.id)).toEqual({
          id: document.id,
          endpoint: OFFICE,
          folder: '/scans',
          path: 'sub/a.jpg',
          name: 'doc-a',
          sha256: hashOf('a'),
          type: 'png',
          size: 101,
          lane: 'backlog',
          state: 'queued',
          reason: null,
          message: null,
          serviceStatus: null,
          attempts: 0,
          serverErrors: 0,
          answerLost: false,
          notBefore: 0,
          createdAt: 1_000,
          updatedAt: 1_000,
        });
        expect(await ledger.bySha256(OFFICE, hashOf('a'))).toEqual(document);
        expect(await ledger.bySha256(SHOP, hashOf('a'))).toBeNull();
      });

      it('knows the same bytes at the same path, and remembers their new identity', async () => {
        const first = await queued('a.jpg', 'a');
        const again = await ledger.admit(admission('a.jpg', 'a', { file: seen('a.jpg', 7), at: 2_000 }));
        expect(again).toEqual({ kind: 'known', document: first });
        expect((await ledger.known(seen('a.jpg')))?.identity).toEqual(identity(7));
        expect((await ledger.detail(first.id))?.sightings).toHaveLength(1);
      });

      it('finds a duplicate under another path and in another folder of the endpoint', async () => {
        const first = await queued('a.jpg', 'a');
        const copy = await ledger.admit(admission('b.jpg', 'a', { at: 2_000 }));
        const other = await ledger.admit(admission('', 'a', { file: seen('c.jpg', 1, '/other'), at: 3_000 }));
        expect([copy.kind, other.kind]).toEqual(['duplicate', 'duplicate']);
        expect([copy.document.id, other.document.id]).toEqual([first.id, first.id]);
        await upload(first.id, ACCEPTED);
        expect(await rows({ states: ['duplicate'] })).toMatchObject([
          {
            name: 'doc-a',
            path: native('/scans/b.jpg'),
            attempts: 0,
            status: 'PROCESSING',
            documentId: first.id,
          },
          { name: 'doc-a', path: native('/other/c.jpg'), endpointUid: 'office', sha256: hashOf('a') },
        ]);
      });

      it('creates another document for the same bytes in another endpoint', async () => {
        await queued('a.jpg', 'a');
        await queued('b.jpg', 'a', { endpoint: SHOP });
        await queued('c.jpg', 'c', { endpoint: { ...OFFICE, baseUrl: 'http://127.0.0.1:10' } });
        expect((await ledger.find('doc-a')).map((document) => document.endpoint)).toEqual([OFFICE, SHOP]);
        expect((await ledger.endpoints()).map((known) => endpointId(known.endpoint))).toHaveLength(3);
      });

      it('recognizes a moved file as its document, not as a duplicate', async () => {
        const { id } = await queued('a.jpg', 'a');
        await ledger.gone('/scans', ['a.jpg'], 2_000);
        await ledger.admit(admission('b.jpg', 'a', { at: 3_000 }));
        expect(await rows()).toMatchObject([{ state: 'queued', documentId: id }]);
        expect((await ledger.detail(id))?.sightings.map((s) => s.verdict)).toEqual(['document', 'document']);
      });

      it('creates a new document for new bytes at an old path, and recognizes the old bytes if they return', async () => {
        const first = await queued('scan0001.jpg', 'a');
        const second = await queued('scan0001.jpg', 'b', { file: seen('scan0001.jpg', 2) });
        const back = await ledger.admit(admission('scan0001.jpg', 'a', { file: seen('scan0001.jpg', 3) }));
        expect(second.id).not.toBe(first.id);
        expect(back).toMatchObject({ kind: 'duplicate', document: { id: first.id } });
        expect((await ledger.knownIn('/scans', '', ['scan0001.jpg'])).size).toBe(1);
        expect(await rows()).toHaveLength(2);
        expect((await ledger.detail(first.id))?.sightings.map((s) => s.goneAt)).toEqual([1_000, null]);
      });

      it('queues a failed image again when it is seen again, under its name and last in the queue', async () => {
        const { id } = await queued('a.jpg', 'a');
        await queued('b.jpg', 'b');
        await upload(id, FAILED, 'refused');
        const again = await ledger.admit(admission('again.jpg', 'a', { at: 4_000 }));
        expect(again).toMatchObject({
          kind: 'requeued',
          document: { id, name: 'doc-a', state: 'queued', reason: null, attempts: 1 },
        });
        expect(await claimNames(10)).toEqual(['doc-b', 'doc-a']);
      });

      it('keeps a failed image failed if only its metadata changes', async () => {
        const { id } = await queued('a.jpg', 'a');
        await upload(id, FAILED, 'refused');
        const touched = await ledger.admit(admission('a.jpg', 'a', { file: seen('a.jpg', 5) }));
        expect(touched).toMatchObject({ kind: 'known', document: { state: 'failed' } });
      });

      it('queues a lost image again when its bytes return, even at the same path', async () => {
        const { id } = await queued('a.jpg', 'a');
        await ledger.markLost(id, 'Gone.', 2_000);
        const back = await ledger.admit(admission('a.jpg', 'a', { at: 3_000 }));
        expect(back).toMatchObject({ kind: 'requeued', document: { id, state: 'queued' } });
      });

      it('takes the first proposed name that was never issued', async () => {
        await queued('a', 'a', { naming: ['x'] });
        const second = await queued('b', 'b', { naming: ['x', 'x-2', 'x-3'] });
        expect(second.name).toBe('x-2');
        expect(await ledger.isNameTaken(OFFICE, 'x-2')).toBe(true);
        expect(await ledger.isNameTaken(OFFICE, 'x-3')).toBe(false);
        expect(await ledger.isNameTaken(SHOP, 'x')).toBe(false);
        const elsewhere = await queued('c', 'c', { endpoint: SHOP, naming: ['x'] });
        expect(elsewhere.name).toBe('x');
      });

      it('refuses an image if every proposed name is taken, and records nothing', async () => {
        const numbered = naming('x{seq}', 'b');
        for (const [n, name] of namesOf(numbered, 1).entries())
          await queued(`a${n}`, `a${n}`, { naming: [name] });
        for (const of of [['x1'], numbered])
          await expect(ledger.admit(admission('b', 'b', { naming: of }))).rejects.toMatchObject({
            code: 'TEMPLATE_INVALID',
          });
        expect(await ledger.known(seen('b'))).toBeNull();
        expect(await ledger.nextSeq(OFFICE)).toBe(1);
      });

      it('uses up a number only for a new document whose name contains it', async () => {
        const numbered = { naming: naming('n{seq}', 'a') };
        expect(await ledger.nextSeq(OFFICE)).toBe(1);
        expect((await queued('a', 'a', numbered)).name).toBe('n1');
        await ledger.admit(admission('copy', 'a', numbered));
        await ledger.admit(admission('a', 'a', numbered));
        await queued('b', 'b');
        await reopen();
        expect(await ledger.nextSeq(OFFICE)).toBe(2);
        expect((await queued('c', 'c', numbered)).name).toBe('n2');
        expect((await queued('d', 'd', { ...numbered, endpoint: SHOP })).name).toBe('n1');
      });

      it('gives 300 concurrent images 300 names, without a gap in the numbers', async () => {
        const admitted = await Promise.all(
          Array.from({ length: 300 }, (_, n) =>
            ledger.admit(admission(`f${n}`, `content ${n}`, { naming: colliding(n, `content ${n}`) })),
          ),
        );
        expect(new Set(admitted.map(({ document }) => document.name)).size).toBe(300);
        expect(new Set(admitted.map(({ document }) => document.id)).size).toBe(300);
        // 100 of them use no number.
        expect(await ledger.nextSeq(OFFICE)).toBe(201);
      });

      it('names an image once if it arrives at 50 paths at once', async () => {
        const admitted = await Promise.all(
          Array.from({ length: 50 }, (_, n) => ledger.admit(admission(`f${n}`, 'same'))),
        );
        expect(admitted.map(({ kind }) => kind).sort()).toEqual([...Array(49).fill('duplicate'), 'queued']);
        expect(new Set(admitted.map(({ document }) => document.id)).size).toBe(1);
      });
    });

    describe('claiming', () => {
      it('claims in order of arrival, each document once, until it is released', async () => {
        for (const content of ['a', 'b', 'c', 'd']) await queued(content, content);
        const first = await ledger.claim({
          endpoint: OFFICE,
          lane: 'fresh',
          limit: 2,
          now: 1,
          exceptFolders: [],
          freshSince: 0,
          longestWaitMs: 3_600_000,
        });
        expect(first.map((document) => document.name)).toEqual(['doc-a', 'doc-b']);
        expect(await claimNames(10)).toEqual(['doc-c', 'doc-d']);
        expect(await claimNames(10)).toEqual([]);
        await ledger.release([first[1]!.id]);
        expect(await claimNames(10)).toEqual(['doc-b']);
      });

      it('never gives one document to two concurrent claims', async () => {
        for (let n = 0; n < 40; n += 1) await queued(`f${n}`, `${n}`);
        const claimed = await Promise.all(Array.from({ length: 8 }, () => claimNames(7)));
        expect(claimed.flat()).toHaveLength(40);
        expect(new Set(claimed.flat()).size).toBe(40);
      });

      it('forgets claims when the process ends', async () => {
        await queued('a', 'a');
        expect(await claimNames(1)).toEqual(['doc-a']);
        await reopen();
        expect(await claimNames(1)).toEqual(['doc-a']);
      });

      it('keeps lanes and endpoints apart', async () => {
        await queued('a', 'a', { lane: 'backlog' });
        await queued('b', 'b', { endpoint: SHOP });
        expect(await claimNames(10)).toEqual([]);
        expect(await claimNames(10, { lane: 'backlog' })).toEqual(['doc-a']);
      });

      it('serves folders in turn, so that a large one starves no other', async () => {
        for (let n = 0; n < 6; n += 1)
          await queued(`big${n}`, `big${n}`, { file: seen(`big${n}`, n, '/big') });
        await queued('s1', 's1', { file: seen('s1', 1, '/small') });
        await queued('s2', 's2', { file: seen('s2', 2, '/small') });
        expect(await claimNames(4)).toEqual(['doc-big0', 'doc-s1', 'doc-big1', 'doc-s2']);
        expect(await claimNames(4)).toEqual(['doc-big2', 'doc-big3', 'doc-big4', 'doc-big5']);
      });

      it('serves folders in turn also when documents are claimed one by one', async () => {
        for (const folder of ['/a', '/b', '/c']) {
          for (const n of [1, 2]) await queued('x', `${folder}${n}`, { file: seen(`${n}`, n, folder) });
        }
        const order: string[] = [];
        for (let n = 0; n < 6; n += 1) order.push(...(await claimNames(1)));
        expect(order).toEqual(['doc-/a1', 'doc-/b1', 'doc-/c1', 'doc-/a2', 'doc-/b2', 'doc-/c2']);
      });

      it('leaves out paused folders', async () => {
        await queued('a', 'a');
        await queued('b', 'b', { file: seen('b', 1, '/other') });
        expect(await claimNames(10, { exceptFolders: ['/scans', '/unknown'] })).toEqual(['doc-b']);
        expect(await claimNames(10)).toEqual(['doc-a']);
      });

      it('skips documents that are not due, reports when the next one is, and then keeps the order of arrival', async () => {
        const a = await queued('a', 'a');
        await queued('b', 'b');
        expect(await ledger.nextDue(OFFICE, 0)).toBeNull();
        expect(await claimNames(1)).toEqual(['doc-a']);
        await ledger.postpone(a.id, 9_000, 'LOCKED', 'In use.', 2_000);
        expect(await state(a.id)).toMatchObject({ state: 'queued', notBefore: 9_000, reason: 'LOCKED' });
        await reopen();
        expect(await ledger.nextDue(OFFICE, 5_000)).toBe(9_000);
        expect(await ledger.nextDue(OFFICE, 9_000)).toBeNull();
        expect(await ledger.nextDue(SHOP, 0)).toBeNull();
        expect(await claimNames(10, { now: 8_999 })).toEqual(['doc-b']);
        await reopen();
        expect(await claimNames(10, { now: 9_000 })).toEqual(['doc-a', 'doc-b']);
      });
    });

    describe('the backlog', () => {
      it('takes documents that are no longer fresh, in their order', async () => {
        await queued('a', 'a', { at: 1_000 });
        await queued('b', 'b', { at: 2_000 });
        await queued('c', 'c', { at: 3_000 });
        const query = { freshSince: 2_500, now: 9_000 };
        expect(await claimNames(10, query)).toEqual(['doc-c']);
        expect(await claimNames(10, { ...query, lane: 'backlog' })).toEqual(['doc-a', 'doc-b']);
      });

      it('takes hundreds of documents that are no longer fresh', async () => {
        const many = Array.from({ length: 450 }, (_, n) => n);
        await Promise.all(many.map((n) => queued(`${n}`, `${n}`, { at: 1_000 + n })));
        for (let round = 0; round < 5; round += 1) await claimNames(0, { freshSince: 5_000 });
        expect(await claimNames(1, { freshSince: 5_000 })).toEqual([]);
        expect(await claimNames(450, { lane: 'backlog', freshSince: 5_000 })).toHaveLength(450);
      });

      it('never waits longer than the longest back-off, even if the clock jumps', async () => {
        const { id } = await queued('a', 'a');
        await ledger.postpone(id, 90_000_000, 'R', 'm', 1);
        expect(await claimNames(1, { now: 89_000_000 })).toEqual([]);
        expect(await claimNames(1, { now: 5_000 })).toEqual(['doc-a']);
      });

      it('is listed by number, both queued and uploading', async () => {
        const a = await queued('a', 'a');
        const b = await queued('b', 'b');
        const c = await queued('c', 'c');
        await upload(a.id, ACCEPTED);
        await ledger.begin(b.id, 2_000, 10);
        expect((await ledger.waiting(0, 10)).map(({ name }) => name)).toEqual(['doc-b', 'doc-c']);
        expect((await ledger.waiting(b.id, 1)).map(({ id }) => id)).toEqual([c.id]);
      });

      it('needs its bytes until every endpoint has them or the failure is old', async () => {
        const a = await queued('a', 'a');
        const other = await queued('x', 'a', { endpoint: SHOP });
        const b = await queued('b', 'b');
        const c = await queued('c', 'c');
        await upload(a.id, ACCEPTED);
        await upload(b.id, FAILED, 'refused');
        const hashes = ['a', 'b', 'c', 'none'].map(hashOf);
        const wanted = async (failedSince: number) => [...(await ledger.wanted(hashes, failedSince))].sort();
        expect(await wanted(0)).toEqual([hashOf('a'), hashOf('b'), hashOf('c')].sort());
        await upload(other.id, ACCEPTED);
        await ledger.markLost(c.id, 'Gone.', 4_000);
        expect(await wanted(0)).toEqual([hashOf('b'), hashOf('c')].sort());
        expect(await wanted(3_001)).toEqual([hashOf('c')]);
      });
    });

    it('accepts fractional milliseconds, which back-off with jitter produces', async () => {
      const a = await queued('a', 'a');
      const b = await queued('b', 'b');
      await ledger.postpone(a.id, 6_000.25, 'R', 'm', 1);
      await upload(b.id, later(6_000.75), 'trouble');
      await ledger.putHold({
        scope: 'service',
        key: 'k',
        reason: 'R',
        message: 'm',
        since: 1,
        until: 6_000.5,
        demandedUntil: null,
      });
      expect([(await state(a.id)).notBefore, (await state(b.id)).notBefore]).toEqual([6_001, 6_001]);
      expect(await claimNames(10, { now: 6_000 })).toEqual([]);
      expect(await claimNames(10, { now: 6_001 })).toEqual(['doc-a', 'doc-b']);
      expect(await ledger.holds()).toMatchObject([{ until: 6_001 }]);
    });

    describe('attempts', () => {
      it('records a request before it is sent, and when it ends', async () => {
        const { id } = await queued('a', 'a');
        expect(await claimNames(1)).toEqual(['doc-a']);
        const attempt = await ledger.begin(id, 2_000, 555);
        await reopen();
        expect(await state(id)).toMatchObject({ state: 'uploading', attempts: 1 });
        expect(await claimNames(10)).toEqual([]);
        await ledger.finish(attempt, ended('accepted', ACCEPTED));
        await reopen();
        expect(await ledger.detail(id)).toMatchObject({
          document: { state: 'accepted', serviceStatus: 'PROCESSING', updatedAt: 3_000 },
          response: '{"status":"PROCESSING"}',
          attempts: [
            {
              id: attempt,
              startedAt: 2_000,
              finishedAt: 3_000,
              outcome: 'accepted',
              httpStatus: 200,
              bytes: 555,
              message: 'words',
            },
          ],
        });
      });

      it.each([
        ['failed', { state: 'failed', reason: 'HTTP_422', message: 'Refused.' }],
        ['unconfirmed', { state: 'unconfirmed', reason: 'HTTP_409', message: 'There already?' }],
      ] as const)('moves a document to %s and does not claim it', async (expected, transition) => {
        const { id } = await queued('a', 'a');
        await upload(id, transition, 'refused');
        expect(await state(id)).toMatchObject({ state: expected, reason: transition.reason });
        expect(await claimNames(10)).toEqual([]);
      });

      it('counts server errors, and never forgets that an answer was lost', async () => {
        const { id } = await queued('a', 'a');
        await upload(id, later(0, { answerLost: true, serverError: true }), 'unknown');
        await upload(id, later(0, { serverError: true }), 'trouble');
        await upload(id, later(7_000), 'trouble');
        expect(await state(id)).toMatchObject({
          answerLost: true,
          serverErrors: 2,
          attempts: 3,
          notBefore: 7_000,
          reason: 'HTTP_503',
        });
      });

      it('replays a request of the same document after a 401', async () => {
        const { id } = await queued('a', 'a');
        await ledger.finishReplayed(await ledger.begin(id, 2_000, 1), 2_500, 401, 'Token refused.');
        expect(await state(id)).toMatchObject({ state: 'uploading', attempts: 1 });
        await upload(id, ACCEPTED);
        expect((await ledger.detail(id))?.attempts).toMatchObject([
          { outcome: 'trouble', httpStatus: 401, finishedAt: 2_500 },
          { outcome: 'accepted' },
        ]);
      });

      it('postpones a document between a 401 and its replay', async () => {
        const { id } = await queued('a', 'a');
        await ledger.finishReplayed(await ledger.begin(id, 2_000, 1), 2_500, 401, 'Token refused.');
        await ledger.postpone(id, 0, 'CREDENTIALS', 'No token.', 3_000);
        expect(await claimNames(1)).toEqual(['doc-a']);
      });

      it('refuses a second open request, an end without a begin, and unknown documents', async () => {
        const { id } = await queued('a', 'a');
        const attempt = await ledger.begin(id, 2_000, 1);
        await expect(ledger.begin(id, 2_001, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
        await expect(ledger.postpone(id, 1, 'R', 'm', 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
        await ledger.finish(attempt, ended('accepted', ACCEPTED));
        await expect(ledger.finish(attempt, ended('refused', FAILED))).rejects.toMatchObject({
          code: 'DOCUMENT_STATE',
        });
        await expect(ledger.begin(id, 2_001, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
        await expect(ledger.markLost(id, 'm', 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
        await expect(ledger.begin(999, 1, 1)).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
        expect((await ledger.detail(id))?.attempts).toHaveLength(1);
        expect((await state(id)).state).toBe('accepted');
      });

      it('recovers interrupted uploads under their names, as possibly sent', async () => {
        const a = await queued('a', 'a');
        const b = await queued('b', 'b');
        await ledger.begin(a.id, 2_000, 1);
        await ledger.finishReplayed(await ledger.begin(b.id, 2_000, 1), 2_100, 401, 'Token refused.');
        await reopen();
        expect(await ledger.recover(9_000)).toBe(2);
        expect(await ledger.recover(9_001)).toBe(0);
        expect(await ledger.detail(a.id)).toMatchObject({
          document: { state: 'queued', reason: 'INTERRUPTED', answerLost: true, notBefore: 0, name: 'doc-a' },
          attempts: [{ outcome: 'unknown', finishedAt: 9_000 }],
        });
        expect(await state(b.id)).toMatchObject({
          state: 'queued',
          reason: 'INTERRUPTED',
          answerLost: false,
        });
        expect(await claimNames(10)).toEqual(['doc-a', 'doc-b']);
      });

      it('ends the claims of the previous pipeline', async () => {
        await queued('a', 'a');
        await queued('b', 'b');
        expect(await claimNames(10)).toEqual(['doc-a', 'doc-b']);
        expect(await claimNames(10)).toEqual([]);
        expect(await ledger.recover(9_000)).toBe(0);
        expect(await claimNames(10)).toEqual(['doc-a', 'doc-b']);
      });

      it('counts the requests of one endpoint or all, with the latest time at which they were sent', async () => {
        const a = await queued('a', 'a');
        const b = await queued('b', 'b', { endpoint: SHOP });
        for (const [id, at] of [
          [a.id, 10],
          [b.id, 20],
          [a.id, 30],
          [b.id, 40],
        ] as const) {
          await ledger.finish(await ledger.begin(id, at, 1), ended('trouble', later(0), at + 5));
        }
        expect(await ledger.attemptTimes(null, 0, 10)).toEqual([45, 35, 25, 15]);
        expect(await ledger.attemptTimes(null, 10, 2)).toEqual([45, 35]);
        expect(await ledger.attemptTimes(OFFICE, 0, 10)).toEqual([35, 15]);
        // A request begun before may be sent after it, because recording it can wait for a slow disk.
        expect(await ledger.attemptTimes(OFFICE, 10, 10)).toEqual([35, 15]);
        expect(await ledger.attemptTimes(OFFICE, 15, 10)).toEqual([35]);
        expect(await ledger.countAttempts(null, 10, 100)).toBe(3);
        expect(await ledger.countAttempts(SHOP, 20, 100)).toBe(1);
        expect(await ledger.countAttempts({ ...SHOP, uid: 'none' }, 0, 100)).toBe(0);
      });

      it('counts requests recorded by a clock that was ahead, until later requests prove them old', async () => {
        const a = await queued('a', 'a');
        const sentAt = async (at: number) =>
          ledger.finish(await ledger.begin(a.id, at, 1), ended('trouble', later(0), at));
        await sentAt(10);
        await sentAt(9_000);
        await sentAt(9_001);
        expect(await ledger.countAttempts(OFFICE, 15, 20)).toBe(2);
        await sentAt(20);
        expect(await ledger.countAttempts(OFFICE, 15, 20)).toBe(3);
        expect(await ledger.countAttempts(OFFICE, 25, 30)).toBe(0);
      });

      it('counts a request with unknown outcome, but not one of which nothing was sent', async () => {
        const a = await queued('a', 'a');
        await ledger.finish(await ledger.begin(a.id, 10, 1), ended('notSent', later(0), 15));
        await ledger.finish(await ledger.begin(a.id, 20, 1), ended('unknown', later(0), 25));
        expect(await ledger.countAttempts(OFFICE, 5, 100)).toBe(1);
        await ledger.begin(a.id, 30, 1);
        expect(await ledger.countAttempts(OFFICE, 5, 100)).toBe(2);
      });

      it('puts requeued documents at the end of the queue', async () => {
        const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
        await queued('c', 'c');
        await upload(a.id, FAILED, 'refused');
        await upload(b.id, ACCEPTED);
        const [c] = await ledger.find('doc-c');
        const attempt = await ledger.begin(c?.id ?? 0, 3_000, 10);
        const requeue = { reason: 'MANY', message: 'The endpoint refuses everything.' };
        const documentIds = [a.id, b.id, c?.id ?? 0];
        await ledger.finish(attempt, ended('refused', FAILED, 4_000), { ...requeue, documentIds });
        expect(await state(a.id)).toMatchObject({ state: 'queued', reason: 'MANY' });
        expect(await state(c?.id ?? 0)).toMatchObject({ state: 'queued', reason: 'MANY' });
        expect((await state(b.id)).state).toBe('accepted');
        expect(await claimNames(10)).toEqual(['doc-a', 'doc-c']);
      });

      it('marks a document lost with the time and a reason', async () => {
        const { id } = await queued('a', 'a');
        await ledger.markLost(id, 'Overwritten.', 4_000);
        expect(await state(id)).toMatchObject({
          state: 'lost',
          reason: 'BYTES_GONE',
          message: 'Overwritten.',
          updatedAt: 4_000,
        });
        expect(await claimNames(10)).toEqual([]);
      });
    });

    describe('sources and disposal', () => {
      it('does not mark a document lost if its bytes were seen again after its locations were checked', async () => {
        const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
        const newestOf = async (sha256: string) => (await ledger.sources(sha256))[0]?.sighting;
        const newestSeen = await newestOf(a.sha256);
        await ledger.admit(admission('', 'a', { file: seen('again', 2) }));
        await ledger.markLost(a.id, 'Gone.', 4_000, newestSeen);
        expect(await state(a.id)).toMatchObject({
          state: 'queued',
          reason: 'BYTES_MISSING',
          notBefore: 4_000,
        });
        await ledger.markLost(b.id, 'Gone.', 4_000, await newestOf(b.sha256));
        expect(await state(b.id)).toMatchObject({ state: 'lost' });
        await ledger.markLost(a.id, 'Gone.', 5_000, await newestOf(a.sha256));
        expect(await state(a.id)).toMatchObject({ state: 'lost' });
      });

      it('lists where bytes were seen, newest first, including archives', async () => {
        const { id, sha256 } = await queued('a', 'a');
        await ledger.admit(admission('', 'a', { file: seen('b', 2, '/other') }));
        await upload(id, ACCEPTED);
        const [disposal] = await toDispose('/scans', 0, 10, null);
        await ledger.disposed(disposal!.sightingId, 'archived', '/archive/a', 5_000);
        expect(await ledger.sources(sha256)).toMatchObject([
          { folder: '/other', path: 'b', identity: identity(2), archivedTo: null },
          { folder: '/scans', path: 'a', identity: identity(), archivedTo: '/archive/a' },
        ]);
        expect(await ledger.sources(hashOf('never'))).toEqual([]);
        expect(await rows({ states: ['accepted'] })).toMatchObject([{ archivedTo: '/archive/a' }]);
        expect((await ledger.detail(id))?.sightings[0]).toMatchObject({
          disposed: 'archived',
          goneAt: 5_000,
        });
      });

      it('does not list a location where the agent deleted the file', async () => {
        const { id, sha256 } = await queued('a', 'a');
        await upload(id, ACCEPTED);
        const [disposal] = await toDispose('/scans', 0, 10, null);
        await ledger.disposed(disposal!.sightingId, 'deleted', null, 5_000);
        expect(await ledger.sources(sha256)).toEqual([]);
        expect(await ledger.known(seen('a'))).toBeNull();
      });

      it('disposes of files only after acceptance, duplicates included, each once', async () => {
        const a = await queued('a', 'a', { file: seen('sub/a', 4) });
        const b = await queued('b', 'b');
        await ledger.admit(admission('copy', 'a'));
        await ledger.note(seen('x'), note('rejected'));
        expect(await toDispose('/scans', 0, 10, null)).toEqual([]);
        await upload(a.id, ACCEPTED);
        await upload(b.id, FAILED, 'refused');
        const due = await toDispose('/scans', 0, 10, null);
        expect(due.map(({ file, sha256 }) => [file, sha256])).toEqual([
          [seen('sub/a', 4), hashOf('a')],
          [seen('copy'), hashOf('a')],
        ]);
        expect(await toDispose('/scans', due[0]!.sightingId, 10, null)).toEqual([due[1]]);
        expect(await toDispose('/scans', 0, 1, null)).toEqual([due[0]]);
        expect(await toDispose('/other', 0, 10, null)).toEqual([]);
        await ledger.keepOriginal(due[0]!, 5_000);
        await ledger.gone('/scans', ['copy'], 5_000);
        expect(await toDispose('/scans', 0, 10, null)).toEqual([]);
        expect(await ledger.known(seen('sub/a'))).not.toBeNull();
      });

      it('knows the bytes of a file that lay on another file system, and not the file, until that is seen', async () => {
        const elsewhere = { ...admission('a', 'a'), isElsewhere: true };
        const { document } = await ledger.admit(elsewhere);
        expect(await ledger.known(seen('a'))).toBeNull();
        expect(await ledger.document(document.id)).toMatchObject({ state: 'queued' });
        // The state after a kill during the replay.
        expect(await ledger.admit(elsewhere)).toMatchObject({
          kind: 'duplicate',
          document: { id: document.id },
        });
        expect(await ledger.known(seen('a'))).toBeNull();
        await ledger.admit(admission('a', 'a'));
        expect(await ledger.known(seen('a'))).toMatchObject({ verdict: 'document' });
      });

      it('disposes of a file that was kept for its other bytes once it has those that were sent again', async () => {
        const { id } = await queued('a', 'a');
        await upload(id, ACCEPTED);
        const [due] = await toDispose('/scans', 0, 10, null);
        await ledger.keepOriginal(due!, 5_000);
        const again = { ...admission('a', 'a'), file: seen('a', 9) };
        expect(await ledger.admit(again)).toMatchObject({ kind: 'duplicate' });
        expect(await toDispose('/scans', 0, 10, null)).toMatchObject([{ file: seen('a', 9) }]);
      });

      it('disposes of a file whose place got the bytes that were sent again just before others were to be kept there', async () => {
        const { id } = await queued('a', 'a');
        await upload(id, ACCEPTED);
        const [due] = await toDispose('/scans', 0, 10, null);
        const again = { ...admission('a', 'a'), file: seen('a', 9) };
        expect(await ledger.admit(again)).toMatchObject({ kind: 'known' });
        await ledger.keepOriginal(due!, 5_000);
        expect(await toDispose('/scans', 0, 10, null)).toMatchObject([{ file: seen('a', 9) }]);
      });
    });

    describe('the rule for originals', () => {
      const stays = async (rule: string, existing: 'leave' | 'include' = 'leave') =>
        (await ledger.setOriginalsRule('/scans', rule, existing, 4_000)).stays;
      const paths = async (from: number) =>
        (await toDispose('/scans', 0, 10, null, from)).map(({ file }) => file.path);

      it('leaves alone images seen before it was set, under any name, and applies to later ones', async () => {
        const { id } = await queued('a', 'a');
        await queued('waits', 'w');
        await upload(id, ACCEPTED);
        expect(await ledger.originalsRule('/scans')).toBeNull();
        expect(await ledger.acceptedOriginals('/scans', null)).toBe(1);
        const from = await stays('delete');
        expect(await ledger.originalsRule('/scans')).toEqual({ rule: 'delete', stays: from });
        expect(await ledger.originalsRule('/other')).toBeNull();
        await upload((await queued('b', 'b')).id, ACCEPTED);
        expect(await paths(from)).toEqual(['b']);
        expect(await paths(0)).toEqual(['a', 'b']);
        // Renamed, copied or temporarily missing: the image was there before.
        await ledger.gone('/scans', ['a'], 5_000);
        await ledger.admit(admission('renamed', 'a', { file: seen('renamed', 7) }));
        await ledger.admit(admission('a', 'a', { file: seen('a', 9) }));
        expect(await paths(from)).toEqual(['b']);
        expect(await ledger.acceptedOriginals('/scans', from)).toBe(2);
        expect(await ledger.acceptedOriginals('/scans', null)).toBe(3);
      });

      it('leaves earlier files alone if their folder has another path now', async () => {
        const { id } = await queued('a', 'a', { file: seen('a', 1, '/former') });
        await upload(id, ACCEPTED);
        const from = await stays('delete');
        await ledger.admit(admission('a', 'a'));
        const { document } = await ledger.admit(admission('b', 'b'));
        await upload(document.id, ACCEPTED);
        expect(await paths(from)).toEqual(['b']);
      });

      it('stays in force until another one is set, which leaves alone files seen by then', async () => {
        await upload((await queued('a', 'a')).id, ACCEPTED);
        const first = await stays('delete');
        await upload((await queued('b', 'b')).id, ACCEPTED);
        expect(await stays('delete')).toBe(first);
        expect(await stays('delete', 'include')).toBe(first);
        expect(await stays('archive')).toBeGreaterThan(first);
        expect(await paths(await stays('archive'))).toEqual([]);
        expect(await stays('archive, all', 'include')).toBe(0);
        expect(await paths(0)).toEqual(['a', 'b']);
      });

      it('of a new folder leaves alone images seen before in other folders', async () => {
        const elsewhere = await queued('a', 'a', { file: seen('a', 1, '/former') });
        await upload(elsewhere.id, ACCEPTED);
        await upload((await queued('b', 'b')).id, ACCEPTED);
        await ledger.admit(admission('a', 'a'));
        const { stays: from } = await ledger.setOriginalsRule('/scans', 'delete', 'new', 4_000);
        expect(await paths(from)).toEqual(['b']);
      });

      it('is durable, even for a folder in which no file was seen yet', async () => {
        const { stays: none } = await ledger.setOriginalsRule('/empty', 'delete', 'leave', 4_000);
        await upload((await queued('a', 'a')).id, ACCEPTED);
        const from = await stays('delete on DONE');
        await reopen();
        expect(await ledger.originalsRule('/scans')).toEqual({ rule: 'delete on DONE', stays: from });
        expect(await ledger.originalsRule('/empty')).toEqual({ rule: 'delete', stays: none });
      });
    });

    describe('a disposal', () => {
      it('is recorded before the file is touched, until it ends or is undone', async () => {
        const { id } = await queued('a', 'a');
        await upload(id, ACCEPTED);
        await ledger.admit(admission('copy', 'a'));
        const [first, second] = await toDispose('/scans', 0, 10, null);
        await ledger.disposing(first!.sightingId, 'archived', 5_000);
        await ledger.disposing(second!.sightingId, 'deleted', 5_000);
        await reopen();
        expect(await ledger.begunDisposals('/scans')).toEqual([
          { ...first, how: 'archived' },
          { ...second, how: 'deleted' },
        ]);
        await ledger.disposed(first!.sightingId, 'archived', '/archive/a', 6_000);
        await ledger.disposing(second!.sightingId, null, 6_000);
        expect(await ledger.begunDisposals('/scans')).toEqual([]);
        expect(await toDispose('/scans', 0, 10, null)).toEqual([second]);
        expect(await ledger.begunDisposals('/other')).toEqual([]);
      });
    });

    describe('the account of files', () => {
      it('shows what happened to every file, including moved and deleted ones', async () => {
        const a = await queued('a', 'a', { at: 1_000 });
        const b = await queued('b', 'b', { at: 2_000 });
        await ledger.admit(admission('copy', 'a', { at: 3_000 }));
        await ledger.note(seen('note.txt'), note('rejected', { at: 3_000 }));
        await ledger.note(seen('half'), note('incomplete', { at: 3_000 }));
        await ledger.note(seen('other-half'), note('incomplete', { at: 3_000 }));
        await upload(a.id, ACCEPTED);
        await ledger.gone('/scans', ['a', 'half'], 4_000);
        const counted = async (since: number | null, until: number | null) =>
          Object.fromEntries(
            (await ledger.seenCounts(since, until)).map(({ state: of, count }) => [of, count]),
          );
        expect(await counted(null, null)).toEqual({
          accepted: 1,
          duplicate: 1,
          incomplete: 1,
          queued: 1,
          rejected: 1,
        });
        expect(await counted(1_000, 2_000)).toEqual({ accepted: 1 });
        expect(await counted(2_000, null)).toMatchObject({ queued: 1, rejected: 1 });
        const current = new Map<string, unknown>();
        for await (const batch of ledger.standings('/scans'))
          for (const [path, standing] of batch) current.set(path, standing);
        expect([...current.keys()].sort()).toEqual(['b', 'copy', 'note.txt', 'other-half']);
        expect(current.get('copy')).toEqual({ identity: identity(), state: 'duplicate', name: 'doc-a' });
        expect(await ledger.standing({ folder: '/scans', path: 'note.txt' })).toMatchObject({
          state: 'rejected',
          name: null,
          reason: 'WHY',
          message: 'Because.',
          policy: 'p1',
        });
        expect(await ledger.standing({ folder: '/scans', path: 'a' })).toBeNull();
        await upload(b.id, FAILED);
        expect(await ledger.standing({ folder: '/scans', path: 'b' })).toMatchObject({
          identity: identity(),
          state: 'failed',
          name: 'doc-b',
          reason: 'HTTP_422',
          message: 'Refused.',
          at: 3_000,
        });
      });

      it('counts arrivals in each folder, including duplicates and rejected files, but not existing files', async () => {
        await ledger.markWatched('/scans', [seen('old', 9)], note('skipped', { at: 1_100 }));
        await queued('a', 'a', { at: 1_200 });
        await queued('b', 'b', { at: 1_999 });
        await ledger.admit(admission('copy', 'a', { at: 2_000, file: seen('copy', 2) }));
        await ledger.note(seen('note.txt'), note('rejected', { at: 2_100 }));
        await ledger.admit(admission('till', 'till', { at: 2_100, file: seen('till', 3, '/shop') }));
        expect(await ledger.arrivals(1_000, 2_100, 500)).toEqual([
          { folder: '/scans', at: 1_000, count: 1 },
          { folder: '/scans', at: 1_500, count: 1 },
          { folder: '/scans', at: 2_000, count: 1 },
        ]);
        expect(await ledger.arrivals(2_000, 3_000, 1_000)).toEqual([
          { folder: '/scans', at: 2_000, count: 2 },
          { folder: '/shop', at: 2_000, count: 1 },
        ]);
      });

      it('remembers the file system of a folder once it is watched', async () => {
        expect(await ledger.folderMark('/scans')).toBeNull();
        await ledger.markWatched('/scans', [], note('skipped'));
        await ledger.setFolderMark('/scans', 'nfs server:/scans', 1_000);
        await reopen();
        expect(await ledger.folderMark('/scans')).toBe('nfs server:/scans');
        await ledger.doubtFolderMark('/scans', 'nfs server:/scans\nwith witnesses');
        await reopen();
        expect(await ledger.folderMark('/scans')).toBe('nfs server:/scans\nwith witnesses');
      });
    });

    describe('results', () => {
      const text = (fields: object): Buffer => Buffer.from(JSON.stringify(fields));

      function posted(name: string | null, status: string | null, more: Partial<NewResult> = {}): NewResult {
        const payload = text({ name, endpointUid: OFFICE.uid, status, total: '12.50 €' });
        return { at: 7_000, baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name, status, payload, ...more };
      }
      const everything = { of: 'all', order: 'oldest', after: null, limit: 99 } as const;

      it('are stored verbatim with their document, which takes over the status', async () => {
        const a = await queued('a', 'a');
        await upload(a.id, ACCEPTED);
        const first = posted('doc-a', 'DONE');
        expect(await ledger.recordResult(first)).toMatchObject({
          isNew: true,
          isProof: false,
          document: { id: a.id, state: 'accepted', serviceStatus: 'DONE' },
        });
        await ledger.recordResult(posted('doc-a', null));
        await reopen();
        expect(await state(a.id)).toMatchObject({ serviceStatus: 'DONE' });
        const [one, two] = await ledger.results({ ...everything, of: a.id });
        expect(one).toMatchObject({
          receivedAt: 7_000,
          document: { id: a.id, name: 'doc-a', endpoint: OFFICE },
          status: 'DONE',
          sha256: hashOf(first.payload.toString()),
          size: first.payload.length,
          encoding: 'utf8',
        });
        expect(two).toMatchObject({ status: null });
        expect((await ledger.result(one!.id))?.payload).toBe(first.payload.toString());
        expect(await ledger.result(99)).toBeNull();
        expect(await ledger.lastResult()).toBe(two!.id);
        const received = await ledger.results({ ...everything, of: 'received' });
        expect(received.map((row) => ({ ...row, turn: row.turn ?? row.id }))).toEqual([
          { ...one, turn: one!.id },
          { ...two, turn: two!.id },
        ]);
        expect(await ledger.countResults('unmatched')).toBe(0);
      });

      it('change nothing if repeated, even after a different one', async () => {
        const a = await queued('a', 'a');
        await upload(a.id, ACCEPTED);
        const { id } = await ledger.recordResult(posted('doc-a', 'READ'));
        await ledger.recordResult(posted('doc-a', 'DONE'));
        const unknown = await ledger.recordResult(posted('who', 'DONE'));
        const head = await ledger.head();
        expect(await ledger.recordResult(posted('doc-a', 'READ', { at: 8_000 }))).toMatchObject({
          id,
          isNew: false,
          document: { serviceStatus: 'DONE' },
        });
        expect(await ledger.recordResult(posted('who', 'DONE'))).toMatchObject({
          id: unknown.id,
          isNew: false,
        });
        expect(await ledger.head()).toEqual(head);
      });

      it('are stored and counted even if they belong to no document', async () => {
        await queued('a', 'a');
        const bytes = [
          Buffer.from([0xff, 0xfe, 0, 1]),
          Buffer.from('no JSON'),
          Buffer.from('a\0b'),
          Buffer.alloc(0),
        ];
        for (const payload of bytes) await ledger.recordResult(posted(null, null, { payload }));
        await ledger.recordResult(posted('doc-a', 'DONE', { uid: SHOP.uid }));
        await ledger.recordResult(posted('doc-a', 'DONE', { baseUrl: 'http://127.0.0.1:10' }));
        await reopen();
        // The last two have the same bytes, and are of nothing both.
        expect(await ledger.countResults('unmatched')).toBe(5);
        expect(await ledger.countResults('all')).toBe(
          (await ledger.results({ ...everything, of: 'all' })).length,
        );
        const rows = await ledger.results({ ...everything, of: 'unmatched' });
        const payloads = await Promise.all(
          rows.map(async ({ id, encoding }) =>
            Buffer.from((await ledger.result(id))?.payload ?? '?', encoding),
          ),
        );
        expect(payloads.slice(0, 4)).toEqual(bytes);
        expect(rows[4]).toMatchObject({ givenName: 'doc-a', givenUid: SHOP.uid, document: null });
        expect(await ledger.find('doc-a')).toMatchObject([{ serviceStatus: null, state: 'queued' }]);
      });

      it('find the document by name alone if no endpoint is given and the name is unique', async () => {
        const a = await queued('a', 'a');
        const b = await queued('b', 'b');
        await queued('b2', 'b2', { endpoint: SHOP, naming: ['doc-b'] });
        const nameless = { uid: null };
        expect((await ledger.recordResult(posted('doc-a', 'X', nameless))).document?.id).toBe(a.id);
        expect((await ledger.recordResult(posted('doc-b', 'X', nameless))).document).toBeNull();
        expect((await ledger.recordResult(posted('doc-b', 'X'))).document?.id).toBe(b.id);
      });

      it('are listed page by page in both orders', async () => {
        for (const name of ['a', 'b', 'c']) await ledger.recordResult(posted(name, null));
        const names = async (order: 'oldest' | 'newest', after: number | null) =>
          (await ledger.results({ ...everything, order, after, limit: 2 })).map(({ givenName }) => givenName);
        expect(await names('oldest', null)).toEqual(['a', 'b']);
        expect(await names('oldest', 2)).toEqual(['c']);
        expect(await names('newest', null)).toEqual(['c', 'b']);
        expect(await names('newest', 2)).toEqual(['a']);
      });

      it('prove that an unconfirmed, lost or requeued document has arrived', async () => {
        const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
        await upload(a.id, { state: 'unconfirmed', reason: 'HTTP_409', message: 'Perhaps.' }, 'refused');
        await upload(b.id, later(9_000, { answerLost: true }), 'unknown');
        await upload(c.id, later(0, { answerLost: true }), 'unknown');
        await ledger.markLost(c.id, 'Gone.', 4_000);
        for (const { id, name } of [a, b, c]) {
          const recorded = await ledger.recordResult(posted(name, 'DONE'));
          expect(recorded).toMatchObject({
            isProof: true,
            document: { id, state: 'accepted', message: null },
          });
        }
        await reopen();
        expect(await claimNames(9, { now: 10_000 })).toEqual([]);
        expect((await ledger.counts()).map(({ state: of, count }) => [of, count])).toEqual([['accepted', 3]]);
      });

      it('stop a claimed document from being sent once they prove its arrival', async () => {
        const a = await queued('a', 'a');
        await upload(a.id, later(0, { answerLost: true }), 'unknown');
        expect(await claimNames(1)).toEqual(['doc-a']);
        expect(await ledger.recordResult(posted('doc-a', null))).toMatchObject({ isProof: true });
        await expect(ledger.begin(a.id, 8_000, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: null });
      });

      it('do not change documents that failed, were never sent, or that a person resends', async () => {
        const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
        await upload(a.id, FAILED, 'refused');
        await upload(c.id, later(0, { answerLost: true }), 'unknown');
        await upload(c.id, ACCEPTED);
        await ledger.resend(c.id, 5_000);
        for (const { name } of [a, b, c]) {
          expect(await ledger.recordResult(posted(name, 'DONE'))).toMatchObject({ isProof: false });
        }
        expect(await state(a.id)).toMatchObject({ state: 'failed', serviceStatus: 'DONE' });
        expect(await state(b.id)).toMatchObject({ state: 'queued', serviceStatus: 'DONE' });
        expect(await state(c.id)).toMatchObject({ state: 'queued', serviceStatus: 'DONE' });
      });

      it('leave a running request to its answer, which keeps the status of the result', async () => {
        const a = await queued('a', 'a');
        const attempt = await ledger.begin(a.id, 2_000, 100);
        expect(await ledger.recordResult(posted('doc-a', 'DONE'))).toMatchObject({
          isProof: false,
          document: { state: 'uploading', serviceStatus: 'DONE' },
        });
        await ledger.finish(attempt, ended('accepted', ACCEPTED));
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
        expect((await ledger.detail(a.id))?.response).toBe('{"status":"PROCESSING"}');
        // After a resend, the answer is newer than the result.
        await ledger.resend(a.id, 5_000);
        await upload(a.id, ACCEPTED);
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'PROCESSING' });
      });

      it('received before anything was sent keep their status on first acceptance, and prove nothing', async () => {
        const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
        for (const { name } of [a, b]) await ledger.recordResult(posted(name, 'DONE'));
        await upload(a.id, later(0, { answerLost: false }), 'trouble');
        await upload(a.id, ACCEPTED);
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
        await ledger.resend(a.id, 5_000);
        await upload(a.id, ACCEPTED);
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'PROCESSING' });
        await upload(b.id, later(9_000, { answerLost: true }), 'unknown');
        expect(await state(b.id)).toMatchObject({ state: 'queued', answerLost: true });
      });

      it('replace the lost answer of a running request, even across a restart', async () => {
        const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
        const attempt = await ledger.begin(a.id, 2_000, 100);
        await ledger.begin(b.id, 2_000, 100);
        await ledger.recordResult(posted('doc-a', 'DONE'));
        await ledger.recordResult(posted('doc-b', null));
        await ledger.finish(attempt, ended('unknown', later(9_000, { answerLost: true })));
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
        await reopen();
        expect(await ledger.recover(9_000)).toBe(1);
        expect(await state(b.id)).toMatchObject({ state: 'accepted', serviceStatus: null });
      });

      it('replace an answer lost earlier if they arrive during the next request', async () => {
        const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
        for (const { id } of [a, b, c]) await upload(id, later(0, { answerLost: true }), 'unknown');
        const attempts = [];
        for (const { id } of [a, b, c]) attempts.push(await ledger.begin(id, 5_000, 100));
        for (const { name } of [a, b]) await ledger.recordResult(posted(name, 'DONE'));
        const [first = 0, second = 0, third = 0] = attempts;
        // Held back, and told to come later: neither says anything of what was sent before.
        await ledger.finish(first, ended('notSent', later(0, { answerLost: false })));
        await ledger.finishReplayed(second, 6_000, 401, 'no');
        await ledger.postpone(b.id, 0, 'HTTP_401', 'no', 6_000);
        await ledger.finish(third, ended('limited', later(0, { answerLost: false })));
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
        expect(await state(b.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
        expect(await state(c.id)).toMatchObject({ state: 'queued' });
      });

      it('replace an answer lost earlier if they arrive before a 401 whose replay is refused', async () => {
        const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
        for (const { id } of [a, b]) await upload(id, later(0, { answerLost: true }), 'unknown');
        const refused = { state: 'unconfirmed', reason: 'HTTP_409', message: 'Perhaps.' } as const;
        const replay = async (
          id: number,
          whileOpen: () => Promise<unknown>,
          between: () => Promise<unknown>,
        ) => {
          const attempt = await ledger.begin(id, 5_000, 100);
          await whileOpen();
          await ledger.finishReplayed(attempt, 6_000, 401, 'no');
          await between();
          await ledger.finish(await ledger.begin(id, 7_000, 100), ended('refused', refused));
        };
        const nothing = () => Promise.resolve();
        await replay(a.id, () => ledger.recordResult(posted('doc-a', 'DONE')), nothing);
        await replay(b.id, nothing, () => ledger.recordResult(posted('doc-b', 'DONE')));
        await replay(c.id, nothing, nothing);
        expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
        expect(await state(b.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
        expect(await state(c.id)).toMatchObject({ state: 'unconfirmed' });
      });

      it('do not end a resend by a person', async () => {
        const a = await queued('a', 'a');
        await upload(a.id, later(0, { answerLost: true }), 'unknown');
        await upload(a.id, ACCEPTED);
        await ledger.resend(a.id, 5_000);
        const attempt = await ledger.begin(a.id, 6_000, 100);
        await ledger.recordResult(posted(a.name, 'DONE'));
        await ledger.finish(attempt, ended('limited', later(0, { answerLost: false })));
        expect(await state(a.id)).toMatchObject({ state: 'queued' });
      });

      it('release originals only once one brings a wanted status', async () => {
        const a = await queued('a', 'a');
        await upload(a.id, ACCEPTED);
        const due = async () => (await toDispose('/scans', 0, 9, ['DONE', 'STORED'])).length;
        expect(await due()).toBe(0);
        await ledger.recordResult(posted('doc-a', 'READ'));
        expect(await due()).toBe(0);
        await ledger.recordResult(posted('doc-a', 'DONE'));
        await ledger.recordResult(posted('doc-a', 'BOOKED'));
        expect(await due()).toBe(1);
        expect(await toDispose('/scans', 0, 9, ['GONE'])).toEqual([]);
      });

      it('are erased with their document, including later ones', async () => {
        const a = await queued('a', 'a');
        await upload(a.id, ACCEPTED);
        const { id } = await ledger.recordResult(posted('doc-a', 'DONE'));
        const found = async () => {
          const { rows } = await ledger.page(
            { search: '12.50' },
            { order: 'oldest', limit: 9, withinMs: 60_000 },
          );
          return rows.map((row) => row.posted);
        };
        expect(await found()).toEqual([[{ '/total': '12.50 €' }]]);
        expect(await ledger.erase([a.id], 8_000)).toBe(1);
        expect(await found()).toEqual([]);
        expect(await ledger.result(id)).toMatchObject({ status: 'DONE', payload: null, givenUid: null });
        expect(await ledger.recordResult(posted('doc-a', 'DONE'))).toMatchObject({ isNew: false });
        expect(await ledger.erasable(9_000)).toEqual([]);
        const late = await ledger.recordResult(posted('doc-a', 'BOOKED'));
        expect(await ledger.erasable(9_000)).toEqual([a.id]);
        expect(await ledger.erase([a.id], 9_000)).toBe(1);
        expect(await ledger.result(late.id)).toMatchObject({ payload: null });
      });

      it('are listed in parts for erasing, including those of already erased documents', async () => {
        const ids: number[] = [];
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
          const { id } = await queued(name, name);
          await upload(id, ACCEPTED);
          ids.push(id);
        }
        const [a, b, , , e, , g] = ids as [number, number, number, number, number, number, number];
        await ledger.erase([a, b, e, g], 8_000);
        for (const name of ['b', 'e', 'g']) await ledger.recordResult(posted(`doc-${name}`, 'LATE'));
        const owed = ids.filter((id) => id !== a);
        for (const atMost of [1, 2, 3, 6, 7]) {
          const listed: number[] = [];
          for (let part: number[] = [0]; part.length > 0; listed.push(...part)) {
            const last = listed.at(-1) ?? 0;
            part = (await ledger.erasable(9_000, atMost, last)).filter((id) => id > last).slice(0, atMost);
          }
          expect(listed).toEqual(owed);
        }
      });
    });

    describe('erasing', () => {
      it('removes the personal data of settled documents, and keeps name, hash and state', async () => {
        const a = await queued('anna.jpg', 'a');
        const b = await queued('b', 'b');
        await upload(a.id, { state: 'accepted', serviceStatus: 'DONE', response: '{"person":"Anna"}' });
        expect(await ledger.erasable(9_000)).toEqual([a.id]);
        expect(await ledger.erasable(1_000)).toEqual([]);
        expect(await ledger.erase([a.id, b.id, a.id, 99], 5_000)).toBe(1);
        expect(await ledger.erasable(9_000)).toEqual([]);
        expect(await state(a.id)).toMatchObject({
          path: '',
          name: 'doc-a',
          sha256: hashOf('a'),
          state: 'accepted',
        });
        expect(await state(b.id)).toMatchObject({ path: 'b', state: 'queued' });
        const told = JSON.stringify(await ledger.detail(a.id));
        expect(told.toLowerCase()).not.toContain('anna');
        expect((await ledger.admit(admission('again.jpg', 'a'))).kind).toBe('duplicate');
      });

      it('erases many at once, in one folder and of one path', async () => {
        const ids = [];
        for (const content of ['a', 'b', 'c']) {
          const { id } = await queued('SCAN0001.jpg', content, { file: seen('SCAN0001.jpg', ids.length) });
          await upload(id, FAILED, 'refused');
          ids.push(id);
        }
        expect(await ledger.erase(ids, 5_000)).toBe(3);
        await reopen();
        expect(JSON.stringify(await rows())).not.toContain('SCAN');
      });
    });

    describe('holds', () => {
      const hold = (more: Partial<Hold>): Hold => ({
        scope: 'endpoint',
        key: endpointId(OFFICE),
        reason: 'HTTP_403',
        message: 'Not allowed.',
        since: 1_000,
        until: null,
        demandedUntil: null,
        ...more,
      });

      it('coexist as pause and other hold, are replaced within a kind, and are cleared separately', async () => {
        await ledger.putHold(hold({}));
        await ledger.putHold(hold({ reason: 'PAUSED', since: 2_000 }));
        await ledger.putHold(hold({ reason: 'HTTP_404', since: 3_000, until: 9_000 }));
        await reopen();
        expect(await ledger.holds()).toEqual([
          hold({ reason: 'PAUSED', since: 2_000 }),
          hold({ reason: 'HTTP_404', since: 3_000, until: 9_000 }),
        ]);
        await ledger.clearHold('endpoint', endpointId(OFFICE), 'HTTP_403');
        expect(await ledger.holds()).toHaveLength(2);
        await ledger.clearHold('endpoint', endpointId(OFFICE));
        await ledger.clearHold('endpoint', endpointId(OFFICE));
        expect(await ledger.holds()).toMatchObject([{ reason: 'PAUSED' }]);
        await ledger.clearHold('endpoint', endpointId(OFFICE), 'PAUSED');
        expect(await ledger.holds()).toEqual([]);
      });

      it('of every scope are shown with their reason for the documents that wait', async () => {
        await queued('a', 'a');
        const accepted = await queued('b', 'b');
        await upload(accepted.id, ACCEPTED);
        for (const [scope, key, shown] of [
          ['endpoint', endpointId(OFFICE), 'held'],
          ['folder', '/scans', 'held'],
          ['credentials', OFFICE.baseUrl, 'held'],
          ['service', OFFICE.baseUrl, 'queued'],
        ] as const) {
          await ledger.putHold(hold({ scope, key }));
          expect([scope, await rows()]).toMatchObject([
            scope,
            [
              { state: shown, reason: 'HTTP_403', message: 'Not allowed.' },
              { state: 'accepted', reason: null },
            ],
          ]);
          expect(await rows({ states: [shown] })).toHaveLength(1);
          const office = { endpoint: OFFICE, folder: '/scans', count: 1 };
          expect(await ledger.counts()).toContainEqual({ ...office, state: shown });
          await ledger.clearHold(scope, key);
          expect(await rows({ states: ['held'] })).toEqual([]);
        }
      });

      it('show only documents waiting for the account whose credentials are on hold', async () => {
        await queued('a', 'a');
        await queued('b', 'b', { endpoint: SHOP, file: seen('b', 1, '/other') });
        const states = async () =>
          Object.fromEntries((await rows()).map((row) => [row.endpointUid, row.state]));
        await ledger.putHold(hold({ scope: 'credentials', key: credentialsKey(SHOP.baseUrl, 'nobody') }));
        expect(await states()).toEqual({ [OFFICE.uid]: 'queued', [SHOP.uid]: 'queued' });
        await ledger.putHold(hold({ scope: 'credentials', key: OFFICE.baseUrl }));
        expect(await states()).toEqual({ [OFFICE.uid]: 'held', [SHOP.uid]: 'held' });
      });

      it('show a pause in preference to another hold, and leave other folders and endpoints alone', async () => {
        await queued('a', 'a');
        await queued('b', 'b', { endpoint: SHOP, file: seen('b', 1, '/other') });
        await ledger.putHold(hold({ scope: 'folder', key: '/scans', reason: 'FOLDER_MISSING' }));
        await ledger.putHold(hold({ reason: 'PAUSED' }));
        expect((await rows()).map((row) => [row.state, row.reason])).toEqual([
          ['held', 'PAUSED'],
          ['queued', null],
        ]);
      });
    });

    describe('what people do', () => {
      it('retries failed, unconfirmed, lost and waiting documents, and no others', async () => {
        const ids: Record<string, number> = {};
        for (const content of ['failed', 'unconfirmed', 'lost', 'waiting', 'due', 'accepted', 'uploading']) {
          ids[content] = (await queued(content, content)).id;
        }
        await upload(ids['failed']!, FAILED, 'refused');
        await upload(
          ids['unconfirmed']!,
          { state: 'unconfirmed', reason: 'HTTP_409', message: 'm' },
          'refused',
        );
        await ledger.markLost(ids['lost']!, 'Gone.', 2_000);
        await upload(ids['waiting']!, later(99_000, { answerLost: true, serverError: true }), 'unknown');
        await upload(ids['accepted']!, ACCEPTED);
        await ledger.begin(ids['uploading']!, 2_000, 1);
        expect(await ledger.retry([ids['failed']!, ids['due']!, ids['accepted']!, 999], 5_000)).toBe(1);
        const rest = await ledger.retriable(0, 10, 5_000);
        expect(rest).toHaveLength(3);
        expect(await ledger.retriable(0, 2, 5_000)).toEqual(rest.slice(0, 2));
        expect(await ledger.retriable(rest[1]!, 10, 5_000)).toEqual(rest.slice(2));
        expect(await ledger.retry(rest, 5_000)).toBe(3);
        expect(await ledger.retriable(0, 10, 5_000)).toEqual([]);
        expect(await state(ids['waiting']!)).toMatchObject({
          notBefore: 0,
          serverErrors: 0,
          answerLost: true,
          attempts: 1,
          name: 'doc-waiting',
        });
        expect(await claimNames(10)).toEqual([
          'doc-failed',
          'doc-unconfirmed',
          'doc-lost',
          'doc-waiting',
          'doc-due',
        ]);
        expect(await state(ids['accepted']!)).toMatchObject({ state: 'accepted' });
        expect(await state(ids['uploading']!)).toMatchObject({ state: 'uploading' });
      });

      it('resends only accepted documents, under their names', async () => {
        const { id } = await queued('a', 'a');
        await expect(ledger.resend(id, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
        await expect(ledger.resend(999, 1)).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
        await upload(id, ACCEPTED);
        await ledger.resend(id, 5_000);
        expect(await state(id)).toMatchObject({
          state: 'queued',
          name: 'doc-a',
          attempts: 1,
          updatedAt: 5_000,
        });
        expect(await claimNames(1)).toEqual(['doc-a']);
      });

      it('admits known bytes for another endpoint, under the same name if it is free', async () => {
        const a = await queued('a', 'a', { naming: ['scan'] });
        const b = await queued('b', 'b');
        await queued('c', 'c', { endpoint: SHOP, naming: ['doc-b'] });
        const first = await ledger.admitElsewhere(a.id, SHOP, 5_000);
        expect(first).toMatchObject({
          kind: 'queued',
          document: {
            endpoint: SHOP,
            name: 'scan',
            sha256: a.sha256,
            path: 'a',
            state: 'queued',
            size: a.size,
          },
        });
        expect(await ledger.document(first.document.id)).toEqual(first.document);
        expect((await ledger.admitElsewhere(b.id, SHOP, 5_000)).document.name).toBe(
          `doc-b-${b.sha256.slice(0, 16)}`,
        );
        expect(await ledger.admitElsewhere(a.id, SHOP, 6_000)).toMatchObject({
          kind: 'duplicate',
          document: { id: first.document.id },
        });
        await upload(first.document.id, FAILED, 'refused');
        expect(await ledger.admitElsewhere(a.id, SHOP, 7_000)).toMatchObject({ kind: 'requeued' });
        await expect(ledger.admitElsewhere(999, SHOP, 1)).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
      });

      it('distinguishes endpoints created here from those only used', async () => {
        await queued('a', 'a');
        await ledger.recordEndpoint(SHOP, 'The shop', '{"uid":"shop"}', 7_000);
        await ledger.recordAct({ at: 7_000, kind: 'endpointCreate', by: 'ann', detail: 'The shop' });
        await reopen();
        expect(await ledger.endpoints()).toEqual([
          { endpoint: OFFICE, name: null, createdAt: null },
          { endpoint: SHOP, name: 'The shop', createdAt: 7_000 },
        ]);
        await ledger.recordEndpoint(OFFICE, 'The office', '{}', 8_000);
        expect((await ledger.endpoints())[0]).toMatchObject({ name: 'The office', createdAt: 8_000 });
        expect(await ledger.bySha256(OFFICE, hashOf('a'))).not.toBeNull();
      });
    });

    describe('reports', () => {
      async function fill(): Promise<void> {
        const a = await queued('a', 'a', { at: 10 });
        await queued('sub/b', 'b', { at: 20, file: seen('sub/b', 2) });
        await ledger.admit(admission('copy-of-a', 'a', { at: 30 }));
        await queued('c', 'c', { at: 40, endpoint: SHOP, file: seen('c', 3, '/other') });
        await ledger.note(seen('bad.txt'), note('rejected', { at: 25 }));
        await ledger.note(seen('half.jpg'), note('incomplete', { at: 45 }));
        await ledger.note(seen('old.jpg'), note('skipped', { at: 5 }));
        await upload(a.id, ACCEPTED);
      }

      it('lists documents and other files in order of creation', async () => {
        await fill();
        const all = await rows();
        expect(all.map((row) => [row.path, row.state])).toEqual([
          [native('/scans/old.jpg'), 'skipped'],
          [native('/scans/a'), 'accepted'],
          [native('/scans/sub/b'), 'queued'],
          [native('/scans/bad.txt'), 'rejected'],
          [native('/scans/copy-of-a'), 'duplicate'],
          [native('/other/c'), 'queued'],
          [native('/scans/half.jpg'), 'incomplete'],
        ]);
        expect(all[1]).toEqual({
          name: 'doc-a',
          endpointUid: 'office',
          baseUrl: OFFICE.baseUrl,
          sha256: hashOf('a'),
          state: 'accepted',
          status: 'PROCESSING',
          path: native('/scans/a'),
          attempts: 1,
          documentId: expect.any(Number),
          type: 'jpeg',
          size: 101,
          reason: null,
          message: null,
          answerLost: false,
          needsPerson: false,
          dismissedBy: null,
          dismissedAt: null,
          sightingId: null,
          archivedTo: null,
          posted: [],
          createdAt: '1970-01-01T00:00:00.010Z',
          updatedAt: '1970-01-01T00:00:03.000Z',
          notBefore: null,
        });
        expect(all[3]).toMatchObject({ name: null, endpointUid: null, reason: 'WHY', message: 'Because.' });
        await reopen();
        expect(await rows()).toEqual(all);
      });

      const FILTERS: readonly (readonly [string, ListFilter, readonly string[]])[] = [
        [
          'state',
          { states: ['queued', 'skipped'] },
          [native('/scans/old.jpg'), native('/scans/sub/b'), native('/other/c')],
        ],
        [
          'endpoint',
          { endpoint: OFFICE },
          [native('/scans/a'), native('/scans/sub/b'), native('/scans/copy-of-a')],
        ],
        ['folder', { folder: '/other' }, [native('/other/c')]],
        ['part of a name', { search: 'doc-a' }, [native('/scans/a'), native('/scans/copy-of-a')]],
        ['part of a path', { search: native('ns/sub/') }, [native('/scans/sub/b')]],
        [
          'part of a hash',
          { search: hashOf('a').slice(3, 30) },
          [native('/scans/a'), native('/scans/copy-of-a')],
        ],
        ["the service's status", { search: 'processing' }, [native('/scans/a'), native('/scans/copy-of-a')]],
        ['a state', { search: 'Rejected' }, [native('/scans/bad.txt')]],
        ['a message', { search: 'because BAD' }, [native('/scans/bad.txt')]],
        ['words, all of which are somewhere', { search: ' SUB  doc-b queued ' }, [native('/scans/sub/b')]],
        ['words, one of which is nowhere', { search: 'sub doc-b accepted' }, []],
        ['spaces alone', { search: '  ', since: 45 }, [native('/scans/half.jpg')]],
        ['time', { since: 30 }, [native('/scans/copy-of-a'), native('/other/c'), native('/scans/half.jpg')]],
        ['time between', { since: 20, until: 30 }, [native('/scans/sub/b'), native('/scans/bad.txt')]],
        ['an earlier time', { until: 20 }, [native('/scans/old.jpg'), native('/scans/a')]],
        ['number', { limit: 2 }, [native('/scans/old.jpg'), native('/scans/a')]],
        [
          'all of these',
          { states: ['duplicate'], endpoint: OFFICE, search: 'a', since: 1, limit: 1 },
          [native('/scans/copy-of-a')],
        ],
        ['nothing that is there', { states: ['held'] }, []],
      ];
      it('filters by each condition and by several', async () => {
        await fill();
        for (const [what, filter, expected] of FILTERS) {
          expect([what, (await rows(filter)).map((row) => row.path)]).toEqual([what, expected]);
          const { limit, ...conditions } = filter;
          if (limit !== undefined) continue;
          for (const order of ['oldest', 'newest'] as const) {
            const paged = await inPages(conditions, order, 2);
            expect([what, order === 'oldest' ? paged : paged.toReversed()]).toEqual([what, expected]);
          }
        }
      });

      const SEARCHES: readonly (readonly [string, readonly string[]])[] = [
        ['Müller', ['Müller.jpg', 'Mu\u0308ller.jpg', 'muller.jpg', 'MÜLLER.txt']],
        ['muller', ['Müller.jpg', 'Mu\u0308ller.jpg', 'muller.jpg', 'MÜLLER.txt']],
        ['MU\u0308LLER', ['Müller.jpg', 'Mu\u0308ller.jpg', 'muller.jpg', 'MÜLLER.txt']],
        ['strasse', ['Straße.jpg']],
        ['STRAßE', ['Straße.jpg']],
        ['οδοσ', ['ΟΔΟΣ 1.jpg']],
        ['чек', ['Чёк.jpg', 'чек.txt']],
        ['ﬁle', ['file.txt']],
        ['領収書 2026', ['領収書 2026.jpg']],
        ['100%', ['100%.jpg']],
        ['a_b', ['a_b.jpg']],
        ["o'", ["O'Neill.jpg"]],
        ['gepruft', ['Müller.jpg']],
        ['falschung', ['чек.txt']],
        ['büro', ['100%.jpg']],
        [native('buro/100'), ['100%.jpg']],
        ['müller .JPG', ['Müller.jpg', 'Mu\u0308ller.jpg', 'muller.jpg']],
        [native('scans/Mül'), ['Müller.jpg', 'Mu\u0308ller.jpg', 'muller.jpg', 'MÜLLER.txt']],
        ['1- 2- 3- 4- 5- 6- 7- 8- -9', ['Nº 1-2-3-4-5-6-7-8-9.txt']],
      ];
      it('finds by a search, whatever the case, the accents and the way they are encoded', async () => {
        const images = [
          'Müller',
          'Mu\u0308ller',
          'muller',
          'Straße',
          'ΟΔΟΣ 1',
          'Чёк',
          '領収書 2026',
          'a_b',
          "O'Neill",
        ];
        let at = 0;
        // No hash has a digit or a letter of a search in a row.
        for (const name of images) await queued(`${name}.jpg`, `${name} `, { at: (at += 1), naming: [name] });
        await queued('100%.jpg', 'per cent', { at: (at += 1), file: seen('100%.jpg', 9, '/Büro') });
        await ledger.note(seen('MÜLLER.txt'), note('rejected', { at: (at += 1) }));
        await ledger.note(seen('чек.txt'), note('rejected', { at: (at += 1), message: 'Eine FÄLSCHUNG.' }));
        await ledger.note(seen('file.txt'), note('rejected', { at: (at += 1) }));
        await ledger.note(seen('Nº 1-2-3-4-5-6-7-8-9.txt'), note('rejected', { at: (at += 1) }));
        const [first] = await ledger.find('Müller');
        const answer = { state: 'accepted', serviceStatus: 'GEPRÜFT', response: '{}' } as const;
        if (first) await upload(first.id, answer);
        const all = await rows();
        const findAll = async () => {
          const found: (readonly [string, readonly ListRow[]])[] = [];
          for (const [search] of SEARCHES) found.push([search, await rows({ search })]);
          return found;
        };
        const before = await findAll();
        expect(
          before.map(([search, each]) => [search, each.map(({ path }) => basename(path)).toSorted()]),
        ).toEqual(SEARCHES.map(([search, expected]) => [search, expected.toSorted()]));
        expect(before).toEqual(
          SEARCHES.map(([search]) => [search, all.filter((row) => isFound(row, searchWords(search)))]),
        );
        await reopen();
        expect(await findAll()).toEqual(before);
      });

      it('finds held documents by the word "held" and by the text of the hold', async () => {
        await fill();
        const hold = { since: 1, until: null, demandedUntil: null } as const;
        await ledger.putHold({
          ...hold,
          scope: 'folder',
          key: '/other',
          reason: 'PAUSED',
          message: 'Wird geprüft.',
        });
        const paths = async (search: string) => (await rows({ search })).map(({ path }) => path);
        expect(await paths('HELD')).toEqual([native('/other/c')]);
        expect(await paths('held gepruft other')).toEqual([native('/other/c')]);
        expect(await paths('queued')).toEqual([native('/scans/sub/b')]);
      });

      it('finds erased documents by name, and no longer by path', async () => {
        const { id } = await queued('Grün.jpg', 'a', { naming: ['Blaß-1'] });
        await upload(id, ACCEPTED);
        expect(await rows({ search: 'grun blass' })).toHaveLength(1);
        await ledger.erase([id], 9_000);
        expect(await rows({ search: 'grun' })).toEqual([]);
        expect(await rows({ search: 'blass' })).toHaveLength(1);
      });

      it('lists and pages through more than a thousand rows, each once, while others are written', async () => {
        const many = Array.from({ length: 850 }, (_, n) => n);
        await Promise.all(many.map((n) => ledger.admit(admission(`f${n}`, `${n}`, { at: 1_000 + (n % 5) }))));
        await Promise.all(
          many.slice(0, 300).map((n) => ledger.admit(admission(`copy${n}`, `${n}`, { at: 1_002 }))),
        );
        const seenPaths: string[] = [];
        const dates: string[] = [];
        for await (const row of ledger.list({})) {
          seenPaths.push(row.path);
          dates.push(row.createdAt);
          if (seenPaths.length === 100) await upload((await ledger.find('doc-7'))[0]!.id, ACCEPTED);
        }
        expect(new Set(seenPaths).size).toBe(1_150);
        expect(seenPaths).toHaveLength(1_150);
        expect(dates).toEqual([...dates].sort());
        for (const order of ['oldest', 'newest'] as const) {
          let added = 0;
          const paged = await inPages({ until: 2_000 }, order, 97, async () => {
            added += 1;
            await ledger.admit(admission(`new${order}${added}`, `${order}${added}`, { at: 3_000 }));
          });
          expect(new Set(paged).size).toBe(1_150);
          expect(paged).toHaveLength(1_150);
        }
      });

      it.each([
        ['newest', [60, 1]],
        ['oldest', [60, 1]],
        ['newest', [1, 60]],
        ['oldest', [1, 60]],
      ] as const)(
        'reports how far it has searched, %s first, if only documents or only other files fill a page (%j)',
        async (order, [documents, files]) => {
          const lone = order === 'newest' ? 1 : 100;
          const at = (count: number, n: number) => (count === 1 ? lone : 10 + n);
          const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
          await Promise.all([
            ...upTo(documents).map((n) => ledger.admit(admission(`f${n}`, `${n}`, { at: at(documents, n) }))),
            ...upTo(files).map((n) => ledger.note(seen(`n${n}`), note('rejected', { at: at(files, n) }))),
          ]);
          const { rows: first, lookedUntil } = await ledger.page({}, { order, limit: 50, withinMs: 60_000 });
          expect(first).toHaveLength(50);
          expect(lookedUntil).toBe(order === 'newest' ? 20 : 59);
          expect(new Set(await inPages({}, order, 50)).size).toBe(61);
        },
      );

      it('ends a page when its time is up, and continues after it', async () => {
        const many = Array.from({ length: 400 }, (_, n) => n);
        await Promise.all(many.map((n) => ledger.admit(admission(`f${n}`, `${n}`, { at: 1_000 + n }))));
        let cursor: string | null = null;
        let pages = 0;
        const found: string[] = [];
        const looked: number[] = [];
        do {
          const wanted = {
            order: 'newest',
            limit: 10,
            withinMs: 0,
            ...(cursor !== null && { cursor }),
          } as const;
          const { rows: part, next, lookedUntil } = await ledger.page({ search: 'f1.' }, wanted);
          found.push(...part.map(({ path }) => path));
          if (lookedUntil !== null) looked.push(lookedUntil);
          cursor = next;
          pages += 1;
        } while (cursor !== null);
        expect(found).toEqual([]);
        expect(pages).toBeGreaterThan(1);
        expect(looked).toEqual([...looked].sort((a, b) => b - a));
        expect(looked.at(-1)).toBeLessThan(1_360);
        const gone = { order: 'newest', limit: 10, withinMs: 60_000, signal: AbortSignal.abort() } as const;
        const { rows: none, next } = await ledger.page({ search: 'f1.' }, gone);
        expect([none, next]).toEqual([[], expect.any(String)]);
      });

      it('refuses invalid cursors', async () => {
        await fill();
        for (const cursor of [
          '',
          'x',
          '1.2',
          '1.2~',
          '1.2~3.4~5.6',
          '-~-~-',
          '1e3.4~-',
          `${'9'.repeat(30)}.1~-`,
        ])
          await expect(
            ledger.page({}, { order: 'newest', cursor, limit: 5, withinMs: 1_000 }),
            cursor,
          ).rejects.toMatchObject({ code: 'USAGE' });
      });

      it('lists the upload requests of a period', async () => {
        await fill();
        const all = await ledger.uploads(0, 10_000);
        expect(all).toEqual([{ startedAt: 2_000, finishedAt: 3_000, outcome: 'accepted', bytes: 100 }]);
        expect(await ledger.uploads(0, 2_000)).toEqual([]);
        expect(await ledger.countAccepted(2_000, 2_001)).toBe(1);
        expect(await ledger.countAccepted(0, 2_000)).toBe(0);
        expect(await ledger.uploads(2_001, 10_000)).toEqual([]);
      });

      it('counts what it lists', async () => {
        await fill();
        await ledger.putHold({
          scope: 'folder',
          key: '/other',
          reason: 'PAUSED',
          message: 'm',
          since: 1,
          until: null,
          demandedUntil: null,
        });
        const listed: Record<string, number> = {};
        for (const row of await rows()) {
          const folder = row.path.startsWith(native('/other')) ? '/other' : '/scans';
          const key = `${row.endpointUid} ${folder} ${row.state}`;
          listed[key] = (listed[key] ?? 0) + 1;
        }
        const counts = await ledger.counts();
        const counted: Record<string, number> = {};
        for (const { endpoint, folder, state, count } of counts) {
          const key = `${endpoint?.uid ?? null} ${folder} ${state}`;
          counted[key] = (counted[key] ?? 0) + count;
        }
        expect(counted).toEqual(listed);
        expect(listed['shop /other held']).toBe(1);
        const ofFiles = ['duplicate', 'rejected', 'skipped', 'incomplete', 'unreadable'];
        expect(await ledger.documentCounts()).toEqual(counts.filter(({ state }) => !ofFiles.includes(state)));
      });

      describe('documents and files that need a person', () => {
        const cases = async (attention: ListFilter['attention'] = 'needed') =>
          (await rows({ attention })).map(({ path, name }) => name ?? basename(path)).sort();
        const counted = async (): Promise<Record<string, number>> => {
          const found: Record<string, number> = {};
          for (const { state, count, needsPerson, reason } of await ledger.counts())
            if (needsPerson) found[reason ?? state] = (found[reason ?? state] ?? 0) + count;
          return found;
        };
        const idsOf = async (attention: ListFilter['attention'] = 'needed') => {
          const all = await rows({ attention });
          return {
            documents: all.flatMap(({ sightingId, documentId }) =>
              sightingId === null ? (documentId ?? []) : [],
            ),
            sightings: all.flatMap(({ sightingId }) => sightingId ?? []),
          };
        };
        const total = async (): Promise<number> =>
          (await ledger.counts()).reduce((sum, { count }) => sum + count, 0);

        /** Three documents and four files that need a person, and some of each that do not. */
        async function mixed(): Promise<void> {
          const failed = await queued('failed.jpg', 'failed');
          await upload(failed.id, FAILED, 'refused');
          const unconfirmed = await queued('unconfirmed.jpg', 'unconfirmed');
          await upload(unconfirmed.id, { state: 'unconfirmed', reason: 'HTTP_409', message: 'm' }, 'refused');
          await ledger.markLost((await queued('lost.jpg', 'lost')).id, 'Gone.', 4_000);
          await upload((await queued('good.jpg', 'good')).id, ACCEPTED);
          await queued('waiting.jpg', 'waiting');
          await ledger.admit(admission('copy.jpg', 'good'));
          await ledger.note(seen('large.jpg'), note('rejected', { reason: 'TOO_LARGE' }));
          await ledger.note(seen('a.pdf'), note('rejected', { reason: 'PDF_NOT_ACCEPTED' }));
          await ledger.note(seen('notes.txt'), note('rejected', { reason: 'NOT_AN_IMAGE' }));
          await ledger.note(seen('half.jpg'), note('incomplete', { reason: 'INCOMPLETE' }));
          await ledger.note(seen('shut.jpg'), note('unreadable', { reason: 'EACCES', policy: null }));
          await ledger.note(seen('left.pdf'), note('rejected', { reason: 'PDF_NOT_ACCEPTED' }));
          await ledger.gone('/scans', ['left.pdf'], 5_000);
          await ledger.markWatched('/scans', [seen('old.jpg')], note('skipped', { reason: 'EXISTING' }));
        }
        const ALL = [
          'a.pdf',
          'doc-failed',
          'doc-lost',
          'doc-unconfirmed',
          'half.jpg',
          'large.jpg',
          'shut.jpg',
        ];

        it('include every possible receipt that will not be sent automatically', async () => {
          await mixed();
          expect(await cases()).toEqual(ALL);
          expect((await rows()).filter(({ needsPerson }) => needsPerson)).toHaveLength(ALL.length);
          expect(await counted()).toEqual({
            failed: 1,
            unconfirmed: 1,
            lost: 1,
            TOO_LARGE: 1,
            PDF_NOT_ACCEPTED: 1,
            INCOMPLETE: 1,
            EACCES: 1,
          });
          expect(await total()).toBe((await rows()).length);
          expect(
            (await rows({ attention: 'needed', states: ['failed', 'accepted', 'rejected'] })).length,
          ).toBe(3);
        });

        it('can be dismissed permanently, which changes nothing else', async () => {
          await mixed();
          const before = await rows();
          expect(await ledger.dismiss(await idsOf(), 'anna', 6_000)).toBe(7);
          await reopen();
          expect(await cases()).toEqual([]);
          expect(await counted()).toEqual({});
          expect(await cases('dismissed')).toEqual(ALL);
          expect(await total()).toBe(before.length);
          const after = await rows();
          expect(after.map(({ state, updatedAt, reason }) => [state, updatedAt, reason])).toEqual(
            before.map(({ state, updatedAt, reason }) => [state, updatedAt, reason]),
          );
          const dismissed = after.filter(({ dismissedBy }) => dismissedBy !== null);
          expect(dismissed).toHaveLength(7);
          expect(new Set(dismissed.map(({ dismissedAt }) => dismissedAt))).toEqual(
            new Set(['1970-01-01T00:00:06.000Z']),
          );
          expect(await ledger.standing({ folder: '/scans', path: 'a.pdf' })).toMatchObject({
            isDismissed: true,
          });
          expect(await ledger.standing({ folder: '/scans', path: 'failed.jpg' })).toMatchObject({
            isDismissed: true,
          });
        });

        it('return once the dismissal is undone', async () => {
          await mixed();
          await ledger.dismiss(await idsOf(), 'anna', 6_000);
          expect(await ledger.undismiss(await idsOf('dismissed'), 'anna', 7_000)).toBe(7);
          expect(await cases()).toEqual(ALL);
          expect(await cases('dismissed')).toEqual([]);
          expect((await rows()).every(({ dismissedAt }) => dismissedAt === null)).toBe(true);
        });

        it('are dismissed only if they need a person and are not dismissed yet', async () => {
          await mixed();
          const everything = {
            documents: (await rows()).flatMap(({ documentId }) => documentId ?? []),
            sightings: (await rows()).flatMap(({ sightingId }) => sightingId ?? []),
          };
          expect(await ledger.undismiss(everything, 'anna', 6_000)).toBe(0);
          expect(await ledger.dismiss(everything, 'anna', 6_000)).toBe(7);
          expect(await ledger.dismiss(everything, 'bob', 7_000)).toBe(0);
          expect((await rows({ attention: 'dismissed' })).map(({ dismissedBy }) => dismissedBy)).toEqual(
            Array.from({ length: 7 }, () => 'anna'),
          );
          expect(await ledger.dismiss({ documents: [], sightings: [] }, 'anna', 8_000)).toBe(0);
        });

        it('are a new case once a file changes, and the old one if it is only checked again', async () => {
          await mixed();
          await ledger.dismiss(await idsOf(), 'anna', 6_000);
          await ledger.note(
            seen('shut.jpg'),
            note('unreadable', { reason: 'EACCES', policy: null, at: 7_000 }),
          );
          await ledger.note(
            seen('a.pdf'),
            note('rejected', { reason: 'PDF_NOT_ACCEPTED', policy: 'p2', at: 7_000 }),
          );
          expect(await cases()).toEqual([]);
          await ledger.note(seen('a.pdf', 2), note('rejected', { reason: 'PDF_NOT_ACCEPTED', at: 8_000 }));
          await ledger.note(seen('half.jpg', 2), note('incomplete', { reason: 'INCOMPLETE', at: 8_000 }));
          await ledger.note(
            seen('large.jpg'),
            note('rejected', { reason: 'DAMAGED', policy: 'p2', at: 8_000 }),
          );
          expect(await cases()).toEqual(['a.pdf', 'half.jpg', 'large.jpg']);
        });

        it('are a new case once a document fails again', async () => {
          const document = await queued('a.jpg', 'a');
          await upload(document.id, FAILED, 'refused');
          await ledger.dismiss({ documents: [document.id], sightings: [] }, 'anna', 6_000);
          await ledger.retry([document.id], 7_000);
          await upload(document.id, FAILED, 'refused');
          expect(await cases()).toEqual(['doc-a']);
        });
      });

      it('finds nothing in an empty ledger', async () => {
        expect(await rows()).toEqual([]);
        expect(await ledger.find('x')).toEqual([]);
        expect(await ledger.document(1)).toBeNull();
        expect(await ledger.detail(1)).toBeNull();
        expect(await ledger.counts()).toEqual([]);
        expect(await ledger.endpoints()).toEqual([]);
        expect(await claimNames(5)).toEqual([]);
      });
    });

    it('rejects only the faulty operation of a group', async () => {
      const results = await Promise.allSettled([
        ledger.admit(admission('a', 'a')),
        ledger.admit(admission('b', 'b', { naming: [] })),
        ledger.begin(999, 1, 1),
        ledger.admit(admission('c', 'c')),
      ]);
      expect(results.map((result) => result.status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ]);
      expect((await rows()).map((row) => row.name)).toEqual(['doc-a', 'doc-c']);
      expect(await ledger.known(seen('b'))).toBeNull();
    });

    it('commits queued operations before it closes, and refuses later ones', async () => {
      const admitted = Promise.all(
        Array.from({ length: 600 }, (_, n) => ledger.admit(admission(`f${n}`, `${n}`))),
      );
      await ledger.close();
      expect(await admitted).toHaveLength(600);
      await expect(ledger.admit(admission('late', 'late'))).rejects.toMatchObject({
        code: 'LEDGER_WRITE_FAILED',
      });
      await expect(ledger.find('x')).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
      ledger = await place.open();
      expect(await rows()).toHaveLength(600);
    });
  });
}
