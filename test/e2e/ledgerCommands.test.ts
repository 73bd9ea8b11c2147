import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drawReceipt } from '../support/images.ts';
import { canMount, withReadOnly } from '../support/ownMount.ts';
import { MAIN, prepare, until, type Site } from './support/agent.ts';

const HEAD = z.object({ ledger: z.uuid(), seq: z.int(), hash: z.string(), at: z.iso.datetime() });
const VERIFIED = z.object({
  verdict: z.enum(['sound', 'findings']),
  journal: z.object({
    entries: z.number(),
    findings: z.array(z.object({ line: z.number().nullable(), what: z.string() })),
    remarks: z.array(z.string()),
  }),
  ledger: z.object({ documents: z.number(), findings: z.array(z.string()) }),
});

async function drop(site: Site, ...names: string[]): Promise<void> {
  for (const name of names) {
    await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  }
}

/** A site whose agent has sent three receipts and ended. */
async function siteOfThree(): Promise<Site> {
  const site = await prepare();
  await drop(site, 'a.jpg', 'b.jpg', 'c.jpg');
  await site.quickOnce();
  expect(site.sandbox.received()).toHaveLength(3);
  return site;
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
    const text = await site.must('ledger', 'verify');
    expect(text).toContain('Everything is as receiptd wrote it.');
    expect(text).toContain('No head was given');
  });

  test('reports an edited entry with its line', async () => {
    const site = await siteOfThree();
    let line = 0;
    await edit(site, (lines) => {
      line = lines.findIndex((each) => each.includes('"kind":"named"')) + 1;
      return lines.with(line - 1, (lines[line - 1] ?? '').replace('"size":', '"size":1'));
    });
    const { status, journal } = await verify(site);
    expect(status).toBe(3);
    expect(journal.findings[0]).toMatchObject({ line, what: expect.stringContaining('was changed') });
    const { stdout } = await site.look('ledger', 'verify');
    expect(stdout).toContain(`journal, line ${line}: This line is not a valid entry`);
  });

  test('finds a change in the database that is not in the journal', async () => {
    const site = await siteOfThree();
    const db = new DatabaseSync(site.file('state', 'ledger.db'));
    db.exec("UPDATE documents SET state = 'failed', reason = 'x' WHERE id = 2");
    db.close();
    const { status, journal, ledger } = await verify(site);
    expect([status, journal.findings.length, ledger.findings.length > 0]).toEqual([3, 0, true]);
  });

  test('finds a truncated end by a kept head', async () => {
    const site = await siteOfThree();
    const { seq, hash } = await headOf(site);
    await edit(site, (lines) => lines.slice(0, -1));
    const { status, journal } = await verify(site, '--head', `${seq}:${hash}`);
    expect(status).toBe(3);
    expect(journal.findings.at(-1)?.what).toContain('was cut off');
  });

  test('describes a damaged ledger in one line each, and still verifies the journal', async () => {
    const site = await siteOfThree();
    const file = site.file('state', 'ledger.db');
    const bytes = await readFile(file);
    // Every page but the first, which names the tables.
    for (let page = 4096; page < bytes.length; page += 4096) bytes.fill(0xff, page, page + 64);
    await writeFile(file, bytes);
    const { status, stdout } = await site.look('ledger', 'verify');
    expect(status).toBe(3);
    expect(stdout).toMatch(/^Journal: \d+ entries/);
    expect(stdout).toContain("Ledger:  can't be compared with the journal.");
    expect(stdout).toMatch(/^1 finding:\n {2}ledger: The ledger \S+ledger\.db is damaged: .+\.$/m);
    expect(stdout).not.toMatch(/\.verify-|backup|\*\*\*/);
  });

  test('refuses a state directory that is missing or empty', async () => {
    const site = await prepare();
    const refused = { status: 1, stderr: expect.stringContaining('[LEDGER_MISSING]') };
    expect(await site.look('ledger', 'verify')).toMatchObject(refused);
    await mkdir(site.stateDir);
    expect(await site.look('ledger', 'verify')).toMatchObject(refused);
  });

  test.skipIf(!canMount())('verifies a read-only copy, with and without its log', async () => {
    const site = await prepare();
    const agent = await site.start();
    await drop(site, 'a.jpg');
    await until(async () => (await site.list('--state', 'accepted')).length === 1);
    await agent.kill();
    const onReadOnly = (...args: string[]) => {
      const command = [process.execPath, MAIN, ...args, '--config', site.config];
      const env = { ...process.env, ...site.env };
      const { status, stdout, stderr } = spawnSync(...withReadOnly(site.stateDir, command), { env });
      return { status, text: `${stdout.toString()}${stderr.toString()}` };
    };
    for (const recover of [async () => {}, async () => void (await site.quickOnce())]) {
      await recover();
      const verified = onReadOnly('ledger', 'verify');
      expect(verified.text).toContain('Ledger:  1 document, compared with the journal.');
      expect(verified.status).toBe(0);
      expect(onReadOnly('list').text).toContain('a.jpg');
    }
    expect(existsSync(site.file('state', 'ledger.db-wal'))).toBe(false);
  });

  test('refuses an invalid head', async () => {
    const site = await siteOfThree();
    await writeFile(site.file('other.json'), '{"seq": 1}');
    for (const [head, says] of [
      ['17', "can't be read"],
      [site.file('other.json'), 'is not a journal head'],
    ] as const) {
      const { status, stderr } = await site.look('ledger', 'verify', '--head', head);
      expect(status).toBe(2);
      expect(stderr).toContain(says);
    }
  });
});

describe('receiptd ledger head', () => {
  test('prints the head of the last line in the journal', async () => {
    const site = await siteOfThree();
    const head = await headOf(site);
    const last = (await readFile(journalOf(site), 'utf8')).trimEnd().split('\n').at(-1)?.split('\t');
    expect(last?.[1]).toBe(head.hash);
    expect(JSON.parse(last?.[0] ?? '')).toMatchObject({ seq: head.seq });
    expect(await site.must('ledger', 'head')).toContain(`Hash   ${head.hash}`);
  });

  test('reports a missing ledger', async () => {
    const site = await prepare();
    const { status, stderr } = await site.look('ledger', 'head');
    expect(status).toBe(1);
    expect(stderr).toContain('[LEDGER_MISSING]');
  });
});
