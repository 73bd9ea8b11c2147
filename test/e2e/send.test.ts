import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { keepForFile } from '../support/cleanUp.ts';
import { drawReceipt } from '../support/images.ts';
import { freshDatabase, needsPostgres } from '../support/postgres.ts';
import { OFFICE, prepare, until, type Site } from './support/agent.ts';
import { expectNoTrace } from './support/commandLine.ts';

/** A site with one endpoint, and an image in a directory that is not watched. */
async function withDesk(keys: Parameters<Site['configure']>[0] = {}): Promise<Site> {
  const site = await prepare();
  await site.configure({ endpoints: { office: { uid: OFFICE } }, ...keys });
  await mkdir(site.file('desk'));
  return site;
}

async function lay(site: Site, name: string, seed = name): Promise<string> {
  const bytes = await drawReceipt({ type: 'jpeg', seed });
  await writeFile(site.file('desk', name), bytes);
  return `desk/${name}`;
}

/** Complete copies in the spool. */
async function copies(site: Site): Promise<string[]> {
  const entries = await readdir(join(site.stateDir, 'spool'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** One desk for all tests of a kind, one after the other. */
describe.each(['beside a running agent', 'without one'])('send %s', (where) => {
  const isAlone = where === 'without one';
  let site: Site;
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    site = await withDesk();
    if (!isAlone) await site.quickStart();
    end = keepForFile();
  });
  afterAll(() => end?.());

  test('names, sends and records single files, and leaves them where they are', async () => {
    const files = [await lay(site, 'a.jpg'), await lay(site, 'b.jpg')];
    const bytes = await readFile(site.file('desk', 'a.jpg'));
    // Once with the binary.
    const sent = isAlone ? await site.look('send', ...files) : await site.run('send', ...files);
    expect(sent).toMatchObject({ status: 0, stderr: '' });
    expect(sent.stdout).toMatch(
      /^desk\/a\.jpg: accepted as a-[0-9a-f]{12}\ndesk\/b\.jpg: accepted as b-[0-9a-f]{12}\n$/,
    );
    expect(site.sandbox.stats().stored).toBe(2);
    expect(await readFile(site.file('desk', 'a.jpg'))).toEqual(bytes);
    const again = await site.look('send', ...files);
    expect(again.status).toBe(0);
    expect(again.stdout).toMatch(/^desk\/a\.jpg: duplicate of a-[0-9a-f]{12}\n/);
    expect(site.sandbox.received()).toHaveLength(2);
    await until(async () => (await copies(site)).length === 0, 'the copies to be removed');
    expect((await site.list()).map(({ path, state }) => [path, state]).toSorted()).toEqual([
      [site.file('desk', 'a.jpg'), 'accepted'],
      [site.file('desk', 'b.jpg'), 'accepted'],
    ]);
    const audit = await site.look('audit');
    expect(audit.status).toBe(0);
    expect(audit.stdout).toContain(site.file('desk'));
    expect(await site.quickMust('ledger', 'verify')).toBeTruthy();
    expect(await site.quickMust('status')).toMatch(
      /former folders, and files from `receiptd send`\)\n +2 accepted\.\n/,
    );
  });

  test('show knows a file by its content, whatever it is called now, and says when only its path is known', async () => {
    const known = await lay(site, 'shown.jpg');
    await site.quickMust('send', known);
    const copy = await lay(site, 'renamed copy.jpg', 'shown.jpg');
    expect(await site.look('show', copy)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^shown-[0-9a-f]{12}\n.*accepted/),
      stderr: '',
    });
    expect(JSON.parse(await site.quickMust('show', copy, '--json'))).toMatchObject([
      { name: expect.stringMatching(/^shown-/) },
    ]);
    // Its file has been replaced.
    await lay(site, 'shown.jpg', 'another receipt');
    expect(await site.look('show', known)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^shown-/),
      stderr: expect.stringMatching(/^No document has the content of desk\/shown\.jpg\./),
    });
    expect(await site.look('show', await lay(site, 'never sent.jpg'))).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: No document has the content of desk\/never sent\.jpg \(SHA-256 .*\[DOCUMENT_UNKNOWN\]/,
      ),
    });
    await Promise.all(
      ['shown.jpg', 'renamed copy.jpg', 'never sent.jpg'].map((name) => rm(site.file('desk', name))),
    );
  });

  test('explains why a file waits, and keeps a copy that outlives the original', async () => {
    const { stored } = site.sandbox.stats();
    await site.quickMust('pause', 'office');
    const sent = await site.look('send', await lay(site, 'waits.jpg'));
    expect(sent.status).toBe(4);
    expect(sent.stdout).toMatch(/^desk\/waits\.jpg: queued as waits-[0-9a-f]{12} \(.*[Pp]aused/);
    await rm(site.file('desk', 'waits.jpg'));
    const same = await site.look('send', '--no-wait', await lay(site, 'copy.jpg', 'waits.jpg'));
    expect(same).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/duplicate of waits-.*, which waits/),
    });
    await rm(site.file('desk', 'copy.jpg'));
    // Ends with --no-wait once the file is kept.
    const kept = await site.look('send', '--no-wait', '--json', await lay(site, 'kept.jpg'));
    expect(kept.status).toBe(0);
    expect(JSON.parse(kept.stdout)).toMatchObject([
      { file: 'desk/kept.jpg', name: expect.stringMatching(/^kept-/) },
    ]);
    await site.quickMust('resume', 'office');
    if (isAlone) await site.quickOnce();
    await until(() => site.sandbox.stats().stored === stored + 2);
  });

  test('stops waiting for an unavailable service, and loses nothing', async () => {
    await site.sandbox.close();
    const sent = await site.look('send', '--wait', '1s', await lay(site, 'late.jpg'));
    expect(sent.status).toBe(5);
    expect(sent.stdout).toMatch(/queued as late-[0-9a-f]{12} \(/);
    await until(async () => (await copies(site)).length === 1, 'its copy alone to be kept');
  });
});

test('`send` rejects files that are no images, truncated or too large, and sends the rest; it refuses files in watched folders, and missing files', async () => {
  const site = await withDesk();
  const folders = [site.folder('inbox', { maxFileSize: '100kB' })];
  await site.configure({ endpoints: { office: { uid: OFFICE } }, folders });
  await site.quickStart();
  const good = await lay(site, 'good.jpg');
  await writeFile(site.file('desk', 'notes.txt'), 'Milk, eggs');
  await writeFile(site.file('desk', 'large.jpg'), Buffer.alloc(100_001, 1));
  await writeFile(
    site.file('desk', 'cut.jpg'),
    (await readFile(site.file('desk', 'good.jpg'))).subarray(0, 2_000),
  );
  const sent = await site.look('send', 'desk/notes.txt', 'desk/large.jpg', 'desk/cut.jpg', good);
  expect(sent.status).toBe(3);
  const lines = sent.stdout.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^desk\/notes\.txt: rejected: Not an image/),
    expect.stringMatching(/^desk\/large\.jpg: rejected: .*`maxFileSize`/),
    expect.stringMatching(/^desk\/cut\.jpg: rejected: Incomplete/),
    expect.stringMatching(/^desk\/good\.jpg: accepted as good-/),
  ]);
  // The caller is told; the ledger contains only admitted files.
  expect(await site.list()).toHaveLength(1);
  await until(async () => (await copies(site)).length === 0, 'the copies to be removed');

  const { requests } = site.sandbox.stats();
  await writeFile(site.file('inbox', 'notes.txt'), 'a file of a watched folder');
  expect(await site.look('send', 'inbox/notes.txt')).toBeRefused(2, 'USAGE', 'is watched');
  expect(await site.look('send', 'desk')).toBeRefused(1, 'FILE_UNREADABLE', 'is a folder');
  expect(await site.look('send', await lay(site, 'beside.jpg'), 'desk/gone.jpg')).toBeRefused(
    1,
    'FILE_UNREADABLE',
    'desk/gone.jpg',
  );
  const bare = await site.look('send');
  expect(bare).toBeRefused(2, 'USAGE', 'file');
  expectNoTrace(bare);
  expect(site.sandbox.stats().requests).toEqual(requests);
});

test('`send` reads the original under `spool: never`', async () => {
  const site = await withDesk({ spool: 'never' });
  expect(await site.look('send', await lay(site, 'a.jpg'))).toMatchObject({ status: 0 });
  expect(site.sandbox.stats().stored).toBe(1);
  expect(await copies(site)).toEqual([]);
});

test('`send` asks for the endpoint if several are configured', async () => {
  const site = await prepare();
  await mkdir(site.file('desk'));
  const file = await lay(site, 'a.jpg');
  expect(await site.look('send', file)).toBeRefused(2, 'USAGE', '--endpoint', 'office', 'depot');
  expect(await site.look('send', '--endpoint', 'attic', file)).toBeRefused(2, 'ENDPOINT_UNKNOWN', 'attic');
  expect(await site.look('send', '--endpoint', 'depot', file)).toMatchObject({ status: 0 });
  expect(site.sandbox.received()).toMatchObject([{ name: expect.stringMatching(/^a-/) }]);
});

test('a `send` that is killed as soon as a copy exists, or whose agent is, loses nothing that was promised and leaves no copy', async () => {
  const site = await withDesk();
  await site.quickMust('pause', 'office');
  const promised: string[] = [];
  // The second run starts with the leftovers of the first.
  for (const name of ['a.jpg', 'b.jpg']) {
    const agent = name === 'a.jpg' ? null : await site.start();
    const file = await lay(site, name);
    const hash = createHash('sha256')
      .update(await readFile(site.file(file)))
      .digest('hex');
    const sending = site.spawn('send', '--no-wait', file, '--config', site.config);
    await until(async () => !sending.alive || (await copies(site)).some((copy) => copy.includes(hash)));
    await (agent ?? sending).kill();
    const { stdout } = await sending.ended;
    await rm(site.file(file));
    if (stdout !== '') promised.push(site.file(file));
  }
  await site.quickMust('resume', 'office');
  await site.quickOnce();
  const rows = await site.list();
  expect(rows.map(({ path }) => path)).toEqual(expect.arrayContaining(promised));
  expect(rows.filter(({ state }) => state !== 'accepted')).toEqual([]);
  expect(site.sandbox.stats().stored).toBe(rows.length);
  expect(await copies(site)).toEqual([]);
  expect(await site.quickMust('ledger', 'verify')).toBeTruthy();
});

test.skipIf(!needsPostgres())('`send` also works with a shared ledger', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.remove());
  const site = await withDesk({ ledger: { kind: 'postgres', url: database.url, agent: 'front' } });
  const [a, b] = [await lay(site, 'a.jpg'), await lay(site, 'b.jpg')];
  const alone = await site.look('send', a);
  expect(alone).toMatchObject({ status: 0, stdout: expect.stringMatching(/accepted as a-/) });
  const agent = await site.quickStart();
  const beside = await site.look('send', a, b);
  expect(beside.stdout).toMatch(/duplicate of a-.*\n.*accepted as b-/);
  expect(beside.status).toBe(0);
  expect(site.sandbox.stats().stored).toBe(2);
  expect(await site.quickMust('status')).toMatch(/receiptd send.*\n +2 accepted/);
  expect(await site.look('audit')).toMatchObject({ status: 0 });
  await agent.stop();
});
