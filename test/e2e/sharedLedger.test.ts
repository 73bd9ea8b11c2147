/** A ledger in PostgreSQL: what is done with the files of a ledger is refused. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { prepare, type Site } from './support/agent.ts';

let away: number;
beforeAll(async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  away = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
});

function site(): Promise<Site> {
  return prepare({
    ledger: { kind: 'postgres', url: `postgres://receiptd@127.0.0.1:${away}/ledger`, agent: 'front' },
  });
}

test('backups, restoring, moving and verifying files are refused, and why', async () => {
  const here = await site();
  for (const [words, sentence] of [
    [
      ['ledger', 'backup'],
      /^error: There is no file to copy: the ledger is in PostgreSQL\. .*pg_dump\. \[BACKUP_FAILED\]$/,
    ],
    [
      ['ledger', 'restore', 'x.db'],
      /^error: .*x\.db can't be put in the place of the ledger: .* \[LEDGER_SHARED\]$/,
    ],
    [
      ['export-state', 'x'],
      /^error: There is no ledger here to move: .*`ledger\.agent`\. \[LEDGER_SHARED\]$/,
    ],
    [['export-state', '--final', 'x'], /\[LEDGER_SHARED\]$/],
  ] as const) {
    const { status, stdout, stderr } = await here.look(...words);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd()).toMatch(sentence);
  }
  expect(await readdir(here.stateDir).catch(() => [])).toEqual([]);
});

test('a ledger that is here is not forgotten', async () => {
  const here = await site();
  await mkdir(here.stateDir, { mode: 0o700 });
  await writeFile(here.file('state', 'ledger.db'), '');
  const { status, stderr } = await here.look('pause');
  expect(status).toBe(1);
  expect(stderr).toContain(
    'ledger.db is a ledger of its own, and the shared one does not know what it holds.',
  );
  expect(stderr).toContain('[LEDGER_EXISTS]');
});
