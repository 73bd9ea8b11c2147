/**
 * What programs read from receiptd: every field of every `--json`, every operation, metric and journal entry, with its values in an office whose
 * history is known. test/inventory/answers.txt has them; a line that is gone there is a capability that is gone.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operatorName } from '../../src/cli/operator.ts';
import { drawReceipt } from '../support/images.ts';
import { freePort } from '../support/ports.ts';
import { DEPOT, prepare, until, type Site } from './support/agent.ts';

/** Differ from run to run, or with the machine. */
const VARYING =
  /(?:pid|\w*Ms|\w*Ns|\w*[bB]ytes|version|receiptd|fileSystem|salt|hash|inode|mark|[sS]eq|entries(?:\[\]\[\])?|identity|due|seconds(?:_count)?|perMinute|previous|by|By|zone\.\w+|buckets\[\]\.\w+|parts\[\]\.size|level)$/;

/** Numbers of entries, and hashes of names. */
const NUMBERED =
  /(?:\b|[a-z])(?:[iI]d|document|attempt|file|folder|endpoint|supersedes|again|(?:documents|files|attempts|results|stays)(?:\[\])+)$/;

/** Depend on the machine, whatever their type; what was found does not. */
const FACT = /\bfact\.(?!is$)/;

class Answers {
  readonly #lines: string[] = [];
  readonly #words: readonly (readonly [RegExp | string, string])[];

  constructor(site: Site) {
    this.#words = [
      [site.dir, '~'],
      // As the reason of a pause.
      [new RegExp(`^${operatorName()}$`, 'g'), 'PERSON'],
      [new RegExp(`\\b${hostname()}\\b`, 'g'), 'HOST'],
      [/https?:\/\/127\.0\.0\.1:\d+/g, 'URL'],
      [/127\.0\.0\.1:\d+/g, 'ADDRESS'],
      [/\d{8}T\d{6}Z|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/g, 'TIME'],
      [/[0-9a-f]{64}/g, 'SHA256'],
      [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
      [/[\w-]{43}/g, 'SECRET'],
      [/^[^]*\s\S[^]*$/g, 'TEXT'],
    ];
  }

  /** One line a field, with its values in any number of rows. */
  add(title: string, answer: unknown): void {
    const fields = new Map<string, Set<string>>();
    const walk = (value: unknown, path: string): void => {
      if (Array.isArray(value) && value.length > 0) for (const each of value) walk(each, `${path}[]`);
      else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
        for (const [key, its] of Object.entries(value)) walk(its, path === '' ? key : `${path}.${key}`);
      else fields.set(path, (fields.get(path) ?? new Set()).add(this.#word(path, value)));
    };
    walk(answer, '');
    this.#lines.push('', title);
    // Which row comes first may differ.
    for (const [path, values] of [...fields].toSorted())
      this.#lines.push(`  ${path}: ${[...values].toSorted().join(' | ')}`);
  }

  #word(path: string, value: unknown): string {
    if (FACT.test(path)) return 'VARYING';
    if (VARYING.test(path) && typeof value !== 'object' && typeof value !== 'boolean') return 'VARYING';
    if (typeof value === 'number' && NUMBERED.test(path)) return 'NUMBER';
    if (typeof value !== 'string') return JSON.stringify(value);
    return this.#words.reduce((its, [from, to]) => its.replaceAll(from as string, to), value);
  }

  get text(): string {
    return `${this.#lines.join('\n').trim()}\n`;
  }
}

test('every field, operation, metric and entry of the journal has its value in an office whose history is known', async () => {
  const site = await prepare();
  const [monitoring, results] = [await freePort(), await freePort()];
  const answers = new Answers(site);
  const ask = async (...args: string[]) => {
    const { stdout, stderr, status } = await site.look(...args);
    const shown = args.map((each) => (/^(?:\/|http|\d+$)/.test(each) ? '…' : each));
    const title = `${shown.join(' ')} (${args[0] === 'check' ? 'any' : status})`;
    if (stdout === '') throw new Error(`${title}: ${stderr}`);
    answers.add(title, JSON.parse(stdout));
    return JSON.parse(stdout) as never;
  };
  const keys = (uid: string) => ({
    endpoints: { office: { uid }, depot: { uid: DEPOT } },
    folders: [
      { path: site.file('inbox'), endpoint: 'office', afterUpload: 'archive', afterUploadOn: ['DONE'] },
      { path: site.file('depot'), endpoint: 'depot' },
    ],
    monitoring: { listen: `127.0.0.1:${monitoring}` },
    results: { listen: `127.0.0.1:${results}`, columns: { total: '/analysis/total/amount' } },
    alerts: { webhook: { url: 'http://127.0.0.1:9/' } },
  });
  await site.configure(keys(DEPOT));
  const { uid } = (await ask(
    'endpoint',
    'create',
    'Ours',
    '--results',
    `http://127.0.0.1:${results}`,
    '--json',
  )) as { uid: string };
  await site.configure(keys(uid));
  const drop = async (path: string) =>
    writeFile(site.file(path), await drawReceipt({ type: 'jpeg', seed: path }));
  const reached = (path: string, state: string) =>
    until(
      async () => (await site.list()).some((row) => row.path === site.file(path) && row.state === state),
      `${path} to be ${state}`,
    );
  site.sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'refused', times: 1 });
  const agent = await site.quickStart();
  await until(async () => {
    const { folders } = (await post(site, 'status', {})) as { folders: { lastListing: string | null }[] };
    return folders.every(({ lastListing }) => lastListing !== null);
  }, 'both folders to be listed: earlier files are the backlog');
  await ask('pause', 'depot', '--json');
  await drop('inbox/first.jpg');
  await reached('inbox/first.jpg', 'accepted');
  // One by one, so that each is what it should be.
  await writeFile(site.file('inbox/copy.jpg'), await readFile(site.file('inbox/first.jpg')));
  await reached('inbox/copy.jpg', 'duplicate');
  await writeFile(site.file('inbox/letter.jpg'), 'Dear office, this is no image at all.');
  await reached('inbox/letter.jpg', 'rejected');
  await drop('inbox/refused.jpg');
  await reached('inbox/refused.jpg', 'failed');
  await drop('depot/held.jpg');
  await reached('depot/held.jpg', 'held');
  const name = (await site.list('--state', 'accepted'))[0]?.name ?? '';
  const refused = (await site.list('--state', 'failed'))[0]?.name ?? '';
  expect(await site.sandbox.postResult({ endpointUid: uid, name, status: 'DONE' })).toEqual([204]);
  await until(
    async () => (await site.list()).filter(({ archivedTo }) => archivedTo !== null).length === 2,
    'both originals to be archived',
  );

  for (const line of [
    'status',
    'list',
    'alerts',
    'alerts test',
    'endpoint list',
    'whoami',
    'check',
    'fleet status',
    'ledger head',
    'ledger verify',
    'audit --wait 0s',
  ])
    await ask(...line.split(' '), '--json');
  await ask('show', name, '--json');
  await ask('show', refused, '--json');
  const [result] = (await ask('results', 'list', '--json')) as { id: number }[];
  await ask('results', 'show', String(result?.id), '--json');
  await ask('export', '--format', 'json');

  for (const path of ['/metrics', '/readyz', '/healthz']) {
    const text = await (await fetch(`http://127.0.0.1:${monitoring}${path}`)).text();
    const own = [...text.matchAll(/^(receiptd_\w+?)(_bucket|_sum)?(\{.*\})? (\S+)$/gm)].filter(
      ([, , suffix]) => suffix === undefined,
    );
    answers.add(
      path,
      path === '/metrics'
        ? own.map(([, its, , labels = '', value]) => ({
            [`${its}${labels.replaceAll(site.dir, '~')}`]: Number(value),
          }))
        : JSON.parse(text),
    );
  }

  const row = (await site.list()).find((each) => each.name === name)!;
  const operations: Record<string, object> = {
    status: {},
    overview: {},
    fleet: {},
    documents: { limit: 5 },
    neighbours: { id: row['documentId'] },
    countDocuments: {},
    document: { name },
    history: {},
    ledgerHead: {},
    knownEndpoints: {},
    facets: { zone: 'UTC', by: 'day' },
    results: {},
    result: { id: result?.id },
    resultsPath: {},
    tryHeld: {},
    seenCounts: { since: '2020-01-01', until: '2099-01-01' },
    compareFolder: { folder: site.file('inbox') },
    config: {},
    alerts: {},
    testAlerts: {},
    reload: {},
    mailPassword: {},
  };
  for (const [operation, asked] of Object.entries(operations))
    answers.add(`/v1/${operation}`, await post(site, operation, asked));

  await ask('retry', refused, '--json');
  await reached('inbox/refused.jpg', 'accepted');
  await ask('resend', refused, '--json');
  await ask('resume', 'depot', '--json');
  await reached('depot/held.jpg', 'accepted');
  await ask('dismiss', site.file('inbox/letter.jpg'), '--json');
  await ask('dismiss', site.file('inbox/letter.jpg'), '--undo', '--json');
  await ask('dismiss', site.file('inbox/letter.jpg'), '--json');
  await drop('single.jpg');
  await ask('send', '--endpoint', 'depot', site.file('single.jpg'), '--json');
  await until(async () => (await site.list('--search', refused))[0]?.attempts === 3, 'the second copy');
  await ask('erase', refused, '--yes', '--json');
  await ask('erase', refused, '--with-originals', '--yes', '--json');
  await ask('backup', site.file('b.tar'), '--json');
  await ask('list', '--json');
  const journal = (await readFile(join(site.stateDir, 'ledger.journal'), 'utf8')).trim().split('\n');
  const entries = journal.map((line) => {
    const [entry = '', , personal = ''] = line.split('\t');
    // `part` depends on what was written at once.
    return {
      ...(JSON.parse(entry) as { kind: string }),
      part: 'VARYING',
      ...(personal.trim() !== '' && { personal: JSON.parse(personal) as object }),
    };
  });
  for (const kind of [...new Set(entries.map((entry) => entry.kind))].toSorted())
    answers.add(
      `journal ${kind}`,
      entries.filter((entry) => entry.kind === kind),
    );
  await agent.stop();
  await ask('restore', site.file('b.tar'), '--replace', '--older', '--yes', '--json');
  await expect(
    answers.text,
    'if the change is meant: npx vitest run test/e2e/answers.test.ts -u',
  ).toMatchFileSnapshot('../inventory/answers.txt');
});

/** As any client does. */
function post(site: Site, operation: string, asked: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath: join(site.stateDir, 'control.sock'), path: `/v1/${operation}`, method: 'POST' },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ answered: response.statusCode, ...(JSON.parse(text) as object) }));
      },
    );
    sent.once('error', reject).end(JSON.stringify(asked));
  });
}
