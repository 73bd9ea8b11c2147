/** The service posts results to the built agent. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { drawReceipt } from '../support/images.ts';
import { OFFICE, prepare, until, type ConfigKeys, type Site } from './support/agent.ts';
import { freePort } from '../support/ports.ts';

/** Sets up like an admin: the agent's address, an endpoint with it, and the endpoint in the configuration. */
async function withResults(options: Partial<SandboxOptions>, keys: (site: Site, port: number) => ConfigKeys) {
  const site = await prepare({}, options);
  const port = await freePort();
  await site.configure(keys(site, port));
  const base = `http://127.0.0.1:${port}`;
  const url = (await site.look('results', 'url', '--endpoint', 'office', '--base', `${base}/`)).stdout.trim();
  expect(url).toMatch(new RegExp(`^${base}/results/[\\w-]{43}/${OFFICE}$`));
  const created = await site.look('endpoint', 'create', 'Ours', '--results', base, '--json');
  const { uid } = JSON.parse(created.stdout) as { uid: string };
  await site.configure({ ...keys(site, port), endpoints: { office: { uid } } });
  return { site, uid, url };
}

const results = (port: number) => ({ listen: `127.0.0.1:${port}` });

test('a result sets the status, is passed to a program, releases the original, and survives a kill', async () => {
  const { site, uid, url } = await withResults(
    { results: { afterMs: 100, statuses: ['READ'] } },
    (at, port) => ({
      folders: [
        {
          path: at.file('inbox'),
          endpoint: 'office',
          afterUpload: 'archive',
          archiveTo: at.file('archive'),
          afterUploadOn: ['DONE'],
        },
      ],
      results: { ...results(port), command: ['/bin/sh', '-c', `cat >> ${at.file('booked')}`] },
    }),
  );
  const agent = await site.start();
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  const row = async () => (await site.list())[0];
  await until(async () => (await row())?.status === 'READ');
  const name = (await row())?.name ?? '';
  expect(await row()).toMatchObject({ state: 'accepted', archivedTo: null });
  expect(existsSync(site.file('inbox', 'a.jpg'))).toBe(true);

  const unknown = { endpointUid: uid, name: 'nobody', status: 'DONE' };
  expect(await site.sandbox.postResult({ ...unknown, times: 2 })).toEqual([204, 204]);
  expect(await site.sandbox.postResult({ endpointUid: uid, payload: '{"name":' })).toEqual([204]);
  const forged = await fetch(url.replace(/results\/..../, 'results/AAAA'), { method: 'POST', body: '{}' });
  expect([forged.status, await forged.text()]).toEqual([404, '']);
  expect((await site.look('status')).stdout).toContain('2 results from the service match no known document');

  // Killed just after its answer.
  expect(await site.sandbox.postResult({ endpointUid: uid, name, status: 'DONE' })).toEqual([204]);
  await agent.kill();
  expect(await row()).toMatchObject({ state: 'accepted', status: 'DONE' });
  const again = await site.quickStart();
  await until(() => !existsSync(site.file('inbox', 'a.jpg')), 'the original to be archived');
  const booked = async () =>
    existsSync(site.file('booked'))
      ? (await readFile(site.file('booked'), 'utf8'))
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { id: number }).id)
      : [];
  // At least once each.
  await until(async () => new Set(await booked()).size === 4, 'the program to be given all of them');

  const listed = JSON.parse((await site.look('results', 'list', '--json')).stdout) as {
    id: number;
    status: string | null;
  }[];
  expect(listed.map(({ status }) => status)).toEqual(['DONE', null, 'DONE', 'READ']);
  expect((await site.look('results', 'list', '--unmatched')).stdout).toContain('(unknown: nobody)');
  const shown = (await site.look('show', name)).stdout;
  expect(shown).toMatch(/result +.+ READ, [\d.]+ (?:kB|bytes), receiptd results show \d+\n/);
  expect(shown).toContain(`receiptd results show ${listed.at(-1)?.id}\n`);
  expect((await site.look('results', 'show', String(listed[0]?.id))).stdout).toContain('Bäckerei Sandkasten');
  expect(await site.look('results', 'show', '99')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('RESULT_UNKNOWN'),
  });
  await site.quickMust('ledger', 'verify');
  expect(await again.stop()).toMatchObject({ status: 0 });
  const secret = url.split('/').at(-2) ?? '';
  expect(agent.stderr + again.stderr).not.toContain(secret);
  for (const file of ['ledger.db', 'ledger.journal', 'logs/receiptd.log'])
    expect(await readFile(`${site.stateDir}/${file}`, 'latin1')).not.toContain(secret);
  expect(await readFile(`${site.stateDir}/ledger.journal`, 'utf8')).toContain('results/[redacted]');
  await writeFile(site.config, (await readFile(site.config, 'utf8')).replace(/listen: .*/, 'listen: off'));
  expect((await site.look('check', '--offline')).stdout).toContain('results.listen is off');
  expect(agent.stderr + again.stderr).not.toContain('Sandkasten');
});

test('a result settles an upload whose answer was lost, and the address can change while the agent runs', async () => {
  const { site, uid } = await withResults({ onRepeat: 'conflict' }, (_, port) => ({
    results: results(port),
  }));
  const agent = await site.quickStart();
  site.sandbox.misbehave({ kind: 'lostAnswer', times: 1 });
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  await until(async () => (await site.list('--state', 'unconfirmed')).length === 1);
  const [row] = await site.list();
  const text = await readFile(site.config, 'utf8');
  await writeFile(site.config, text.replace(/listen: .*/, 'listen: off'));
  const result = { endpointUid: uid, name: row?.name ?? '', status: 'DONE' };
  await until(async () => (await site.sandbox.postResult(result))?.[0] === 0, 'nobody to listen');
  await writeFile(site.config, text);
  await until(async () => (await site.sandbox.postResult(result))?.[0] === 204, 'somebody to listen');
  expect(await site.list()).toMatchObject([
    { state: 'accepted', status: 'DONE', answerLost: true, attempts: 2 },
  ]);
  expect(await agent.stop()).toMatchObject({ status: 0 });
});
