import { rename, rm, writeFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { Terminal, terminalIsHere } from '../support/terminal.ts';
import { DEPOT, MAIN, OFFICE, prepare, type Site, until } from './support/agent.ts';
import { expectNoTrace } from './support/commandLine.ts';
import { controlSocketPath } from '../../src/control/socketPath.ts';
import { cleanUp } from '../support/cleanUp.ts';

async function drop(site: Site, name: string): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}

const LONG = 'Rechnung der Müller & Söhne GmbH vom 3. Mai 2026, Seite 1.jpg';

async function filled(): Promise<Site> {
  const site = await prepare();
  for (const name of [LONG, 'short.jpg']) await drop(site, name);
  await writeFile(site.file('inbox', 'notes.txt'), 'No image, and a long reason why it is none.');
  await site.quickOnce();
  return site;
}

test.skipIf(!terminalIsHere)('`list` fits a terminal of 80 columns, and gives reasons in full', async () => {
  const site = await filled();
  const { PATH = '' } = process.env;
  const terminal = new Terminal([process.execPath, MAIN, 'list', '--config', site.config], {
    cwd: site.dir,
    env: { PATH, TERM: 'xterm', ...site.env },
  });
  await terminal.ends();
  const lines = stripVTControlCharacters(terminal.raw).trimEnd().split(/\r?\n/);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const text = lines.join('\n');
  expect(text).toMatch(/^NAME +STATE +STATUS +TRIES +SEEN +FILE$/m);
  expect(text).toMatch(/^Rechn.*….*accepted +PROCESSING +1 +\d{4}-\d\d-\d\d \d\d:\d\d +….*Seite 1\.jpg$/m);
  expect(text).toMatch(/^— +rejected .*notes\.txt\n {2}\w/m);
  expect(await site.quickMust('list')).toContain(site.file('inbox', LONG));
});

test.skipIf(!terminalIsHere)(
  '`list` says on a terminal why documents wait that have no reason of their own',
  async () => {
    const site = await prepare({ delivery: { perDay: 1 } });
    const agent = await site.quickStart();
    for (const name of ['a.jpg', 'b.jpg']) await drop(site, name);
    await until(
      async () => (await site.list('--state', 'queued')).length === 1 && (await site.list()).length === 2,
    );
    const { PATH = '' } = process.env;
    const terminal = new Terminal([process.execPath, MAIN, 'list', '--config', site.config], {
      cwd: site.dir,
      env: { PATH, TERM: 'xterm', ...site.env },
    });
    await terminal.ends();
    expect(stripVTControlCharacters(terminal.raw)).toMatch(/have used their 1 upload of this day/);
    await agent.stop();
  },
);

test('`list` explains on stderr why it is empty; commands accept a file or the beginning of a name, in any case', async () => {
  const site = await filled();
  const inbox = site.file('inbox');
  const empty = async (...args: string[]) => {
    const { status, stdout, stderr } = await site.look('list', ...args);
    expect({ status, stdout }).toEqual({ status: 0, stdout: args.includes('--json') ? '[]\n' : '' });
    return stderr;
  };
  expect(await empty('--folder', `${inbox}x`)).toBe(
    `No matches: ${inbox}x is not a watched folder. Did you mean ${inbox}?\n`,
  );
  expect(await empty('--folder', `${inbox}/sub`, '--json')).toContain(`It is inside ${inbox}`);
  expect(await empty('--folder', '/typo')).toContain(`Watched: ${inbox}.`);
  expect(await empty('--state', 'failed', 'lost', '--search', 'x y')).toBe(
    'No matches for --state failed lost --search "x y".\n',
  );
  const found = await site.look('list', '--search', 'MULLER sohne');
  expect(found.stderr).toBe('');
  expect(found.stdout).toContain('Rechnung');

  expect(await site.quickMust('show', 'SHORT.jpg')).toMatch(/^short-/);
  const name = (await site.list('--search', 'short')).map((row) => row.name)[0] ?? '';
  expect(await site.quickMust('resend', 'short')).toBe(
    `Queued "${name}" for endpoint ${(await site.list())[0]?.endpointUid}.\n`,
  );
  expect(await site.look('retry', 'rechnung')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/"Rechnung.* is already accepted/),
  });
  expect(await site.look('show', 'notes.txt')).toBeRefused(1, 'DOCUMENT_UNKNOWN', 'rejected');
  await rm(site.file('inbox', 'short.jpg'));
  expect(await site.look('erase', 'short.jpg', '--yes')).toBeRefused(
    2,
    'USAGE',
    '"short.jpg" is not a full name',
  );
  expect(await site.look('erase', 'rechnung')).toBeRefused(2, 'CONFIRMATION_NEEDED', '1 document (Rechnung');
});

test('`status` says in one line that nothing is wrong, and otherwise lists each problem, its time and what to do', async () => {
  const site = await prepare();
  await site.quickStart();
  await drop(site, 'a.jpg');
  await until(async () => (await site.look('status')).stdout.includes('1 accepted'));
  const calm = await site.must('status');
  expect(calm).toMatch(
    /^Running since \S+ \S+ [+-]\d\d:\d\d \(process \d+, version \S+\); 0 uploads are under way\.\n/,
  );
  expect(calm).toContain('\nNothing is wrong. Nothing is waiting to be sent.\n');
  expect(calm).toMatch(/ {2}Watched since .*; new files are noticed at once; .*last listed .*\.\n/);

  site.sandbox.misbehave({ kind: 'status', status: 403 });
  await drop(site, 'b.jpg');
  await rename(site.file('inbox'), site.file('unplugged'));
  await until(async () => (await site.look('status')).stdout.includes('[FOLDER_MISSING]'));
  const status = await site.quickMust('status');
  expect(status).not.toContain('Nothing is wrong');
  expect(status).toMatch(/\nNeeds a person:\n/);
  expect(status).toMatch(/^ {2}\S*inbox .* Since \S+ \S+ [+-]\d\d:\d\d\. .*\[FOLDER_MISSING\]$/m);
});

test('`status` falls back to the ledger if the agent is of another version, and fails if the ledger is gone, but not its journal', async () => {
  const site = await prepare();
  await drop(site, 'a.jpg');
  await site.quickOnce();
  const other = createServer((_, response) => response.end('{"pid":1,"folders":[]}'));
  other.listen(controlSocketPath(site.stateDir));
  await once(other, 'listening');
  cleanUp(async () => void other.close());
  const { status, stdout } = await site.look('status');
  expect(status).toBe(1);
  expect(stdout).toMatch(/^No usable answer from the agent: .*different version.*\[CONTROL_FAILED\]\n/);
  expect(stdout).toContain('1 accepted');
  const asJson = await site.look('status', '--json');
  expect(asJson.status).toBe(1);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    daemon: null,
    silent: { code: 'CONTROL_FAILED' },
  });
  await new Promise((resolve) => other.close(resolve));

  await rm(join(site.stateDir, 'ledger.db'));
  const gone = await site.look('status');
  expect(gone.status).toBe(1);
  expect(gone.stderr).toMatch(/ledger\.db is gone, but its journal is still there\. .*\[LEDGER_MISSING\]\n$/);
  expect((await site.quickOnce()).status).toBe(0);
  expect((await site.look('status')).status).toBe(0);
});

test('`status` names documents that wait for a removed endpoint, and so does a single run', async () => {
  const site = await prepare();
  await site.quickMust('pause', 'office');
  await drop(site, 'a.jpg');
  await site.quickOnce();
  await site.configure({
    endpoints: { depot: { uid: DEPOT } },
    folders: [{ path: site.file('other'), endpoint: 'depot' }],
  });
  expect(await site.quickMust('status')).toMatch(
    new RegExp(`\n {2}1 document waits .*#${OFFICE}.*never accepted .*\\[ENDPOINT_GONE\\]\n`),
  );
  const { status, stdout } = await site.quickOnce();
  expect(status).toBe(4);
  expect(stdout).toContain('1 document waits for an endpoint that is no longer in the config');

  // No document was ever taken in for it.
  const [waiting] = await site.list('--state', 'queued', 'held');
  expect(await site.quickMust('move', OFFICE, 'depot')).toBe('Moved 1 document to depot.\n');
  await site.quickOnce();
  expect(site.sandbox.received().map(({ endpointUid }) => endpointUid)).toEqual([DEPOT]);
  expect(await site.quickMust('status')).not.toContain('ENDPOINT_GONE');
  // It was paused, which its removal did not end.
  const [{ target } = { target: '' }] = (
    JSON.parse(await site.quickMust('status', '--json')) as {
      problems: { params: { target: string } }[];
    }
  ).problems.map(({ params }) => params);
  await site.quickMust('resume', target);
  expect(JSON.parse(await site.quickMust('status', '--json'))).toMatchObject({ problems: [] });
  expect(await site.list('--state', 'failed')).toMatchObject([
    { name: waiting?.name, reason: 'MOVED', needsPerson: false },
  ]);
  expect(JSON.parse(await site.quickMust('retry', '--all', '--json'))).toMatchObject({ queued: 0 });
  expect(await site.look('move', OFFICE, 'depot')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('[ENDPOINT_UNKNOWN]') as string,
  });
});

test('a possible receipt that will not be sent is shown in every view with its problem, and can be dismissed permanently', async () => {
  const site = await prepare();
  const settle = { long: '300ms', patience: '300ms' };
  await site.configure({ folders: [site.folder('inbox', { maxFileSize: '50kB', pages: 'whole', settle })] });
  site.sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'refused' });
  const put = (name: string, bytes: string | Uint8Array) => writeFile(site.file('inbox', name), bytes);
  const small = { width: 120, height: 160 };
  await put('good.jpg', await drawReceipt({ type: 'jpeg', seed: 'good', ...small }));
  await put('refused.jpg', await drawReceipt({ type: 'jpeg', seed: 'refused', ...small }));
  await put('large.jpg', Buffer.alloc(60_000, 1));
  await put('manual.pdf', await drawReceipt({ type: 'pdf', seed: 'pdf', ...small }));
  await put('broken.jpg', 'bread and butter');
  await put('notes.txt', 'bread and butter');
  await put('backup.zip', Buffer.alloc(60_000, 2));
  const needing = async (): Promise<string[]> =>
    (await site.list('--needs-person')).map(({ path }) => path.split('/').at(-1) ?? '').toSorted();
  const agent = await site.quickStart();
  const all = ['broken.jpg', 'large.jpg', 'manual.pdf', 'refused.jpg'];
  await until(async () => (await needing()).length === all.length);
  expect(await needing()).toEqual(all);
  const status = await site.quickMust('status');
  expect(status).toContain('Needs a person:');
  expect(status).toMatch(/^ {2}4 scans .*(?:: 1\b.*){4}\[PERSON_NEEDED\]$/m);
  expect(status).not.toContain('Nothing is wrong');
  const list = await site.quickMust('list', '--needs-person');
  expect(list).toContain('Too large: 60 kB; the limit of this folder is 50 kB (`maxFileSize`).');
  expect(list).toContain('PDFs are not sent from this folder.');

  expect(await site.must('dismiss', site.file('inbox', 'manual.pdf'), 'broken.jpg')).toBe(
    'Dismissed 2 documents and files.\n',
  );
  expect(await needing()).toEqual(['large.jpg', 'refused.jpg']);
  expect(await site.quickMust('dismiss', '--all', '--state', 'failed')).toBe(
    'Dismissed 1 document or file.\n',
  );
  expect(await site.quickMust('dismiss', '--all')).toBe('Dismissed 1 document or file.\n');
  expect(await site.quickMust('status')).toContain('\nNothing is wrong. ');
  expect(await site.quickMust('list', '--dismissed')).toMatch(/Dismissed by \S+ on \d{4}-/);

  expect(await site.quickMust('dismiss', 'large.jpg', '--undo')).toBe(
    '1 document or file needs a person again.\n',
  );
  expect(await needing()).toEqual(['large.jpg']);
  await site.quickMust('dismiss', '--all');
  // A file with new bytes is a new case.
  await writeFile(site.file('inbox', 'large.jpg'), Buffer.alloc(70_000, 3));
  await until(async () => (await needing()).length === 1);
  expect(await site.quickMust('status')).toMatch(/: 1\).*\[PERSON_NEEDED\]/);

  // Something that is unknown, needs nobody or is not named is refused.
  const unknown = await site.look('dismiss', 'notes.txt');
  expectNoTrace(unknown);
  expect(unknown).toBeRefused(1, 'DOCUMENT_UNKNOWN', 'notes.txt');
  const [good] = await site.list('--state', 'accepted');
  const accepted = await site.look('dismiss', good?.name ?? '');
  expect(accepted).toBeRefused(1, 'DOCUMENT_STATE', 'does not need a person');
  expect(await site.look('dismiss')).toBeRefused(2, 'USAGE', '--all');
  expect(await site.look('dismiss', 'large.jpg', '--all')).toBeRefused(2, 'USAGE', '--all');
  await agent.stop();
  expect(await site.quickMust('ledger', 'verify')).toBeTypeOf('string');
});
