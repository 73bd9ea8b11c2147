import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { drawReceipt } from '../support/images.ts';
import { canMount, withReadOnly } from '../support/ownMount.ts';
import { MAIN, prepare, Site, temporaryDirectory, until } from './support/agent.ts';
import { makeTables, SCHEMA_VERSION } from '../../src/ledger/sqlite/tables.ts';
import { runInProcess } from './support/inProcess.ts';

const HEAD = z.object({ ledger: z.uuid(), seq: z.int(), hash: z.string(), at: z.iso.datetime() });
const FACT = z.looseObject({ is: z.string() });
const SHOWN = z.object({ message: z.string(), fact: FACT });
const VERIFIED = z.object({
  verdict: z.enum(['sound', 'findings']),
  journal: z.object({
    entries: z.number(),
    findings: z.array(z.object({ line: z.number().nullable(), fact: FACT })),
    remarks: z.array(SHOWN),
  }),
  ledger: z.object({ documents: z.number(), findings: z.array(SHOWN) }),
});

async function drop(site: Site, ...names: string[]): Promise<void> {
  for (const name of names) {
    await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  }
}

const journalOf = (site: Site) => site.file('state', 'ledger.journal');
const headOf = async (site: Site) =>
  HEAD.parse(JSON.parse((await site.look('ledger', 'head', '--json')).stdout));

async function verify(site: Site, ...args: string[]) {
  const { status, stdout, stderr } = await site.look('ledger', 'verify', '--json', ...args);
  expect(stderr).toBe('');
  return { status, ...VERIFIED.parse(JSON.parse(stdout)) };
}

async function edit(site: Site, change: (lines: string[]) => string[]): Promise<void> {
  const lines = (await readFile(journalOf(site), 'utf8')).split('\n').slice(0, -1);
  await writeFile(
    journalOf(site),
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

describe('receiptd ledger verify', () => {
  test('finds the ledger of an agent intact, during and after a run, and against a kept head', async () => {
    const site = await prepare();
    const agent = await site.quickStart();
    await drop(site, 'a.jpg', 'b.jpg');
    await until(() => site.sandbox.received().length === 2);
    const head = await headOf(site);
    await writeFile(site.file('head.json'), JSON.stringify(head));
    expect(await verify(site, '--head', site.file('head.json'))).toMatchObject({
      status: 0,
      verdict: 'sound',
    });
    await drop(site, 'c.jpg');
    await until(async () => (await site.list('--state', 'accepted')).length === 3);
    expect(await verify(site, '--head', site.file('head.json'))).toMatchObject({
      status: 0,
      verdict: 'sound',
    });
    await agent.stop();
    const after = await verify(site, '--head', `${head.seq}:${head.hash}`);
    expect(after).toMatchObject({ status: 0, ledger: { documents: 3, findings: [] } });
    const text = await site.quickMust('ledger', 'verify');
    expect(text).toContain('Everything is as receiptd wrote it.');
    expect(text).toContain('No head was given');
  });

  test('finds an edited entry, a changed database, a truncated end and a damaged ledger', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg', 'b.jpg', 'c.jpg');
    await site.quickOnce();
    const ledgerFile = site.file('state', 'ledger.db');
    const { seq, hash } = await headOf(site);
    const sound = [await readFile(journalOf(site)), await readFile(ledgerFile)] as const;
    const [last = '', digest] = (sound[0].toString().trimEnd().split('\n').at(-1) ?? '').split('\t');
    expect([digest, JSON.parse(last)]).toMatchObject([hash, { seq }]);
    expect(await site.quickMust('ledger', 'head')).toContain(`Hash   ${hash}`);
    const repair = async () => {
      await writeFile(journalOf(site), sound[0]);
      await writeFile(ledgerFile, sound[1]);
    };

    await writeFile(site.file('other.json'), '{"seq": 1}');
    for (const [head, says] of [
      ['17', "can't be read"],
      [site.file('other.json'), 'is not a journal head'],
    ] as const)
      expect(await site.look('ledger', 'verify', '--head', head)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(says) as string,
      });

    let line = 0;
    await edit(site, (lines) => {
      line = lines.findIndex((each) => each.includes('"kind":"admitted"')) + 1;
      return lines.with(line - 1, (lines[line - 1] ?? '').replace('"size":', '"size":1'));
    });
    const edited = await verify(site);
    expect(edited.status).toBe(3);
    expect(edited.journal.findings[0]).toMatchObject({
      line,
      fact: { is: 'journalFlaw', flaw: { is: 'entryChanged' } },
    });
    expect((await site.look('ledger', 'verify')).stdout).toContain(
      `journal, line ${line}: The entry was changed`,
    );

    await repair();
    await edit(site, (lines) => lines.slice(0, -1));
    const cut = await verify(site, '--head', `${seq}:${hash}`);
    expect(cut.status).toBe(3);
    expect(cut.journal.findings.at(-1)?.fact.is).toBe('keptCutOff');

    await repair();
    const db = new DatabaseSync(ledgerFile);
    db.exec("UPDATE documents SET state = 'failed', reason = 'x' WHERE path = 'b.jpg'");
    db.close();
    const { status, journal, ledger } = await verify(site);
    expect([status, journal.findings.length, ledger.findings.length > 0]).toEqual([3, 0, true]);

    await repair();
    const bytes = Buffer.from(sound[1]);
    // Every page but the first, which names the tables.
    for (let page = 4096; page < bytes.length; page += 4096) bytes.fill(0xff, page, page + 64);
    await writeFile(ledgerFile, bytes);
    const damaged = await site.look('ledger', 'verify');
    expect(damaged.status).toBe(3);
    expect(damaged.stdout).toMatch(/^Journal: \d+ entries/);
    expect(damaged.stdout).toContain("Ledger:  can't be compared with the journal.");
    expect(damaged.stdout).toMatch(/^1 finding:\n {2}ledger: The ledger \S+ledger\.db is damaged: .+\.$/m);
    expect(damaged.stdout).not.toMatch(/\.verify-|backup|\*\*\*/);
  });

  test.skipIf(!canMount())('verifies a read-only copy, with and without its log', async () => {
    const site = await prepare();
    const agent = await site.quickStart();
    await drop(site, 'a.jpg');
    await until(async () => (await site.list('--state', 'accepted')).length === 1);
    const withLog = new Site(site.dir, site.sandbox, 'copy.yaml');
    await cp(site.stateDir, site.file('copy'), {
      recursive: true,
      filter: (path) => !path.endsWith('.sock'),
    });
    await withLog.configure({ stateDir: site.file('copy') });
    await agent.stop();
    const onReadOnly = ({ config, env }: Site, stateDir: string, ...args: string[]) => {
      const command = [process.execPath, MAIN, ...args, '--config', config];
      const { status, stdout, stderr } = spawnSync(...withReadOnly(stateDir, command), {
        env: { ...process.env, ...env },
      });
      return { status, text: `${stdout.toString()}${stderr.toString()}` };
    };
    for (const [of, stateDir] of [
      [withLog, site.file('copy')],
      [site, site.stateDir],
    ] as const) {
      const verified = onReadOnly(of, stateDir, 'ledger', 'verify');
      expect(verified.text).toContain('Ledger:  1 document, compared with the journal.');
      expect(verified.status).toBe(0);
      expect(existsSync(join(stateDir, 'ledger.db-wal'))).toBe(of === withLog);
    }
    expect(onReadOnly(withLog, site.file('copy'), 'list').text).toContain('a.jpg');
  });
});

/** Commands on a ledger that the agent has not upgraded yet, or that is of a newer version. */
describe('an older ledger', () => {
  describe('a ledger of the previous version', () => {
    /** Of version 1 is the format before, which is refused in its own words. */
    const version = 0;
    let ledger: string;
    let config: string;
    let place: string;
    beforeEach(async () => {
      place = await temporaryDirectory();
      for (const name of ['state', 'scans']) await mkdir(join(place, name), { mode: 0o700 });
      ledger = join(place, 'state/ledger.db');
      change((db) => {
        makeTables(db, '');
        db.exec(`PRAGMA user_version = ${version}`);
      });
      config = join(place, 'receiptd.yaml');
      await writeFile(
        config,
        `service: { baseUrl: 'http://127.0.0.1:9' }
endpoints: { office: { uid: 11111111-1111-4111-8111-111111111111 } }
folders: [{ path: ${place}/scans, endpoint: office }]
stateDir: ${place}/state
`,
      );
    });
    function change(how: (db: DatabaseSyncInstance) => void): void {
      const db = new DatabaseSync(ledger);
      how(db);
      db.close();
    }
    const receiptd = (...args: string[]) =>
      runInProcess([...args, '--config', config], {
        cwd: place,
        env: { RECEIPTD_CLIENT_ID: 'a', RECEIPTD_CLIENT_SECRET: 'b' },
      });

    it('is refused in one sentence by every command that reads it, and left unchanged', async () => {
      const before = await readFile(ledger);
      for (const words of 'status, list, endpoint list, ledger head, ledger verify, backup, audit'.split(
        ', ',
      )) {
        const { status, stdout, stderr } = await receiptd(...words.split(' '));
        expect({ words, status, stdout }).toEqual({ words, status: 1, stdout: '' });
        expect(stderr).toContain(`has version ${version}, from an older receiptd`);
        expect(stderr).toMatch(/Start the agent once.*\[LEDGER_OLDER\]\n$/);
      }
      expect((await readFile(ledger)).equals(before)).toBe(true);
    });

    it('is refused in other words, also by the agent, if it is of the format before', async () => {
      change((db) => db.exec('PRAGMA user_version = 1'));
      const before = await readFile(ledger);
      for (const words of ['status', 'backup', 'run --once']) {
        const { status, stderr } = await receiptd(...words.split(' '));
        expect({ words, status }).toEqual({ words, status: 1 });
        expect(stderr).toContain('from before the first release');
      }
      const { stdout } = await receiptd('check', '--offline');
      expect(stdout).toMatch(/^FAIL {2}ledger: .*LEDGER_OLDER/m);
      expect((await readFile(ledger)).equals(before)).toBe(true);
    });

    it('is a warning of `check`; a ledger of a newer version is a failure', async () => {
      const older = await receiptd('check', '--offline');
      expect(older).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^warn {2}ledger: .*LEDGER_OLDER/m),
      });
      change((db) => db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 5}`));
      const newer = await receiptd('check', '--offline');
      expect(newer).toMatchObject({
        status: 1,
        stdout: expect.stringMatching(/^FAIL {2}ledger: .*LEDGER_NEWER/m),
      });
    });
  });
});
