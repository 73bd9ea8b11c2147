import { Guards } from '../../src/wiring/folders.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { consequencesOf } from '../../src/wiring/consequences.ts';
import { admission, hashOf, identity, send } from '../contract/ledger/support.ts';
import { parse } from '../config/support.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { tempDir } from '../support/tempDir.ts';
import { begin as beginUpload, finish } from '../support/uploads.ts';

interface Wanted {
  readonly delivery?: string;
  readonly office?: string;
  readonly folder?: string;
  readonly endpoint?: string;
  readonly folders?: string;
  readonly more?: string;
}

/** Monday, 9 o'clock. */
async function begin({ waiting = 0 } = {}) {
  const dir = tempDir('consequences');
  const clock = new FakeClock();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const scans = join(dir, 'scans');
  await mkdir(scans);
  const seen = (name: string) => ({ folder: scans, path: name, identity: identity(1) });
  await ledger.markWatched(scans, [], {
    reason: 'EXISTING',
    message: 'It was there.',
    sha256: null,
    policy: null,
    at: clock.now(),
  });
  const admit = (name: string) =>
    ledger.admit(admission(name, name, { file: seen(name), at: clock.now(), naming: [name] }));
  await Promise.all(Array.from({ length: waiting }, (_, index) => admit(`waiting-${index}`)));
  const copies: string[] = [];
  const spool = {
    usedBytes: 3_000_000,
    limitBytes: 5_000_000,
    hashes: () => copies,
    has: () => true,
    fits: () => true,
    put: async () => true,
    read: async () => null,
    remove: async () => {},
  };
  const config = ({
    delivery = '{}',
    office = '',
    folder = '',
    endpoint = 'office',
    folders = '',
    more = '',
  }: Wanted = {}) =>
    parse(`service: { baseUrl: 'http://127.0.0.1:9' }
endpoints: { office: { uid: office${office} }, shop: { uid: shop } }
folders: [ { path: ${scans}, endpoint: ${endpoint}, ${folder} }${folders} ]
delivery: ${delivery}
stateDir: ${dir}/state
${more}
`);
  return {
    dir,
    scans,
    ledger,
    clock,
    admit,
    seen,
    copies,
    would: (before: Wanted, after: Wanted) =>
      consequencesOf(config(before), config(after), {
        ledger,
        clock,
        guards: new Guards(),
        spool: () => spool,
      }),
  };
}

it('a higher limit reports how many waiting documents could be sent at once', async () => {
  const { would } = await begin({ waiting: 400 });
  const released = (before: number, after: number) => [{ kind: 'released', waiting: 400, before, after }];
  expect(await would({ delivery: '{ rate: 60/h }' }, {})).toEqual(released(60, 400));
  expect(await would({ delivery: '{ rate: 1/min }' }, { delivery: '{ rate: 5/min }' })).toEqual(
    released(60, 300),
  );
  expect(await would({ office: ', perDay: 10' }, { office: ', perDay: 50' })).toEqual(released(10, 50));
  expect(await would({ delivery: '{ hours: [ Sat 10:00-12:00 ] }' }, {})).toEqual(released(0, 400));
  expect(
    await would({ delivery: '{ hours: [ Mon 09:30-12:00 ], rate: 60/h }' }, { delivery: '{ rate: 60/h }' }),
  ).toEqual(released(30, 60));
  // The stricter of the two applies.
  expect(
    await would({ delivery: '{ rate: 60/h }', office: ', rate: 10/h' }, { office: ', rate: 10/h' }),
  ).toEqual([]);
  expect(await would({}, { delivery: '{ rate: 60/h }' })).toEqual([]);
});

it('a higher limit has no immediate consequences if nothing waits', async () => {
  const { would } = await begin();
  expect(await would({ delivery: '{ rate: 60/h }' }, {})).toEqual([]);
});

it('a used-up budget and ended sending hours report that nothing is sent', async () => {
  const { would, ledger, clock, admit } = await begin({ waiting: 7 });
  for (let n = 0; n < 3; n += 1) {
    const admitted = await admit(`sent-${n}`);
    await send(ledger, admitted.document.id, { from: clock.now(), at: clock.now() });
  }
  const spent = { kind: 'spent', period: 'day', limit: 2, used: 3, waiting: 7 };
  expect(await would({}, { delivery: '{ perDay: 2 }' })).toEqual([{ ...spent, endpoint: null }]);
  expect(await would({ office: ', perDay: 9' }, { office: ', perDay: 2' })).toEqual([
    { ...spent, endpoint: 'office' },
  ]);
  expect(await would({}, { delivery: '{ perDay: 4 }' })).toEqual([]);
  const until = new Date(2026, 2, 7, 10, 0).toISOString();
  expect(await would({}, { delivery: '{ hours: [ Sat 10:00-12:00 ] }' })).toEqual([
    { kind: 'closed', until, waiting: 7 },
  ]);
});

it('unsent files are checked again under another limit, type or page mode', async () => {
  const { would, ledger, clock, seen, scans } = await begin();
  const note = { reason: 'TOO_LARGE', message: 'Too large.', sha256: null, policy: 'p', at: clock.now() };
  for (const name of ['a', 'b']) await ledger.note(seen(name), { verdict: 'rejected', ...note });
  const again = { kind: 'lookedAgain', folder: scans, files: 2 };
  expect(await would({}, { folder: 'maxFileSize: 80MB' })).toEqual([again]);
  expect(await would({}, { folder: 'recursive: true' })).toEqual([]);
  expect(await would({}, { folder: 'pages: whole' })).toEqual([
    { kind: 'pages', folder: scans, pages: 'whole', files: 0, pdf: false },
    again,
  ]);
});

it('deleting originals, and adding or removing an endpoint, count the waiting documents', async () => {
  const { would, scans } = await begin({ waiting: 5 });
  expect(await would({}, { folder: 'afterUpload: delete' })).toEqual([
    { kind: 'deletes', folder: scans, waiting: 5 },
  ]);
  expect(
    await would({ folder: 'afterUpload: delete' }, { folder: 'afterUpload: delete, recursive: true' }),
  ).toEqual([]);
  expect(await would({}, { folder: '', endpoint: 'shop' })).toEqual([
    { kind: 'rerouted', folder: scans, from: 'office', to: 'shop', waiting: 5 },
  ]);
  expect(await would({}, { office: 'r' })).toEqual([
    { kind: 'stranded', endpoint: 'office', waiting: 5 },
    { kind: 'rerouted', folder: scans, from: 'office', to: 'office', waiting: 5 },
  ]);
});

it('a folder that was never watched reports its number of files', async () => {
  const { would, dir } = await begin();
  const path = join(dir, 'new');
  await mkdir(path);
  const folders = `, { path: ${path}, endpoint: shop }`;
  expect(await would({}, { folders })).toEqual([]);
  await Promise.all(['a.jpg', 'b.jpg', 'c.jpg'].map((name) => writeFile(join(path, name), name)));
  expect(await would({}, { folders })).toEqual([{ kind: 'firstWatched', folder: path, files: 3 }]);
  expect(await would({}, { folders: folders.replace(' }', ', existing: skip }') })).toEqual([]);
});

it('smaller limits and shorter times report what is removed', async () => {
  const { would, ledger, clock, admit, copies, dir } = await begin();
  const { document } = await admit('failed');
  const attempt = await beginUpload(ledger, document.id, clock.now(), 100);
  await finish(ledger, attempt, {
    at: clock.now(),
    outcome: 'refused',
    httpStatus: 422,
    message: 'no',
    transition: { state: 'failed', reason: 'HTTP_422', message: 'no' },
  });
  copies.push(hashOf('failed'));
  await clock.advance(3 * 86_400_000);
  const storage = (text: string) => ({ more: `storage: { ${text} }` });
  expect(await would({}, storage('keepFailed: 4d'))).toEqual([]);
  expect(await would({}, storage('keepFailed: 2d'))).toEqual([{ kind: 'copiesRemoved', images: 1 }]);
  expect(await would({}, storage('spoolLimit: 2MB'))).toEqual([
    { kind: 'spoolFull', used: 3_000_000, limit: 2_000_000 },
  ]);
  await mkdir(join(dir, 'state', 'backups'), { recursive: true });
  for (const day of [1, 2, 3])
    await writeFile(join(dir, 'state', 'backups', `ledger-2026030${day}T090000000Z.db`), '');
  expect(await would({}, storage('backups: 1'))).toEqual([{ kind: 'backupsRemoved', backups: 2, kept: 1 }]);
});

it('turning off copies or alerts is reported', async () => {
  const { would } = await begin({ waiting: 2 });
  expect(await would({}, { more: 'spool: never' })).toEqual([{ kind: 'unprotected', waiting: 2 }]);
  expect(await would({ more: 'alerts: { desktop: true }' }, {})).toEqual([{ kind: 'nobodyAlerted' }]);
});
