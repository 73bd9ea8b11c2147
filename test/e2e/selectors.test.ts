/**
 * Each command that takes a document, a file or a filter changes exactly the rows that it names, and no other: the list before and after it
 * is compared, row by row, over a ledger whose names are as alike as names can be. What a selector means is worked out here again.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { EndpointKey } from '../../src/core/domain/document.ts';
import { escapeUnsafe } from '../../src/core/domain/escape.ts';
import { fold } from '../../src/core/domain/search.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { openSqliteReports } from '../../src/ledger/sqlite/openReports.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { ACCEPTED, admission, FAILED, hashOf, later, note, seen, send } from '../contract/ledger/support.ts';
import { DEPOT, OFFICE, prepare, type Site } from './support/agent.ts';

/** Alike by case, accents, normal form, prefix, directory and what a terminal shows. */
const NAMES = [
  'scan.jpg',
  'SCAN.jpg',
  'scan.jpg.jpg',
  'sub/scan.jpg',
  'u\u0308.jpg',
  '\u00fc.jpg',
  'a\nb.jpg',
  'c\\d.jpg',
];
const FATES = ['accepted', 'failed', 'unconfirmed', 'lost', 'queued', 'both', 'rejected', 'skipped'] as const;
type Fate = (typeof FATES)[number];

interface Listed {
  readonly name: string | null;
  readonly path: string;
  readonly state: string;
  readonly endpointUid: string | null;
  readonly sha256: string | null;
  readonly createdAt: string;
  readonly needsPerson: boolean;
  readonly dismissedAt: string | null;
}

async function listed(site: Site): Promise<Listed[]> {
  return JSON.parse(await site.quickMust('list', '--json')) as Listed[];
}

/** Two folders with the same file names, which met with different fates; of some, a second endpoint has the image too. */
async function office(): Promise<Site> {
  const site = await prepare();
  const folders = [site.file('in'), site.file('in2')];
  await site.configure({
    folders: folders.map((path) => ({ path, endpoint: 'office', recursive: true })),
    results: { columns: { total: '/total' } },
  });
  await mkdir(site.stateDir, { recursive: true, mode: 0o700 });
  const ledger = await openSqliteLedger({ path: join(site.stateDir, 'ledger.db'), clock: systemClock });
  const key = (uid: string): EndpointKey => ({ baseUrl: site.sandbox.url, uid });
  let at = Date.now() - 100 * 86_400_000;
  const end = (fate: Fate) =>
    ({
      failed: { outcome: 'refused', httpStatus: 422, transition: FAILED },
      unconfirmed: {
        outcome: 'unknown',
        httpStatus: null,
        transition: { state: 'unconfirmed', reason: 'HTTP_409', message: 'It may have it.' },
      },
      queued: { outcome: 'trouble', httpStatus: 503, transition: later(Date.now() + 86_400_000) },
    })[fate as string] ?? { transition: ACCEPTED };
  const fates = folders.flatMap((folder, second) =>
    NAMES.map((path, index) => ({
      folder,
      path,
      fate: FATES[(index + 3 * second) % FATES.length] ?? 'failed',
    })),
  );
  for (const [index, { folder, path, fate }] of fates.entries()) {
    at += 86_400_000;
    const file = seen(path, index, folder);
    if (fate === 'rejected' || fate === 'skipped') {
      await ledger.note(file, { ...note(fate), reason: 'TOO_LARGE', at });
      continue;
    }
    const content = `${folder} ${path}`;
    const naming = [`${path.replaceAll(/[/\n]/g, '-')}${index % 3 === 0 ? '' : `-${index}`}`];
    const { document } = await ledger.admit(
      admission(path, content, { endpoint: key(OFFICE), file, at, naming, sha256: hashOf(content) }),
    );
    if (fate === 'lost') await ledger.markLost(document.id, 'Gone.', at);
    else await send(ledger, document.id, { from: at, at: at + 1, ...end(fate) } as never);
    if (fate === 'both') {
      const other = await ledger.admitElsewhere(document.id, key(DEPOT), at);
      await send(ledger, other.document.id, { from: at, at: at + 1, ...end('failed') } as never);
    }
  }
  const result = {
    ...key(OFFICE),
    at,
    name: 'scan.jpg',
    status: 'DONE',
    payload: Buffer.from('{"total":7}'),
  };
  await ledger.recordResult(result);
  await ledger.close();
  // What a command needs to send again, or must not erase as long as it is there.
  for (const { folder, path } of fates.slice(0, NAMES.length)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `${folder} ${path}`);
  }
  return site;
}

const UNDECIDED = ['failed', 'unconfirmed', 'lost'];

/** What `dismiss` means: the name, the path, or the file name if one alone has it. Null: refused. */
function toDismiss(rows: readonly Listed[], text: string, undo: boolean, dir: string): Listed[] | null {
  const candidates = rows.filter((row) => (undo ? row.dismissedAt !== null : row.needsPerson));
  for (const written of [text, unescapedText(text)]) {
    const exact = candidates.filter(({ name, path }) => name === written || path === resolve(dir, written));
    if (exact.length > 0) return exact;
    const files = candidates.filter(({ path }) => basename(path) === written);
    if (files.length > 0) return files.length === 1 ? files : null;
  }
  return null;
}

/** What every other command means: the documents of one name, by the likeliest reading that matches at all. Null: refused. */
function documentsOf(rows: readonly Listed[], text: string): Listed[] | null {
  const named = (written: string) => rows.filter(({ name, sha256 }) => name === written && sha256 !== null);
  for (const written of [text, unescapedText(text)]) {
    if (named(written).length > 0) return named(written);
    const meant = fold(written);
    const readings: ((row: Listed) => boolean)[] = [
      ({ name }) => name !== null && fold(name) === meant,
      ({ path }) => fold(path) === meant,
      ({ path }) => fold(path).endsWith(`/${meant}`),
      ({ name, sha256 }) =>
        (name !== null && fold(name).startsWith(meant)) ||
        (meant.length >= 6 && sha256 !== null && sha256.startsWith(meant)),
    ];
    for (const reads of readings) {
      const found = rows.filter(reads);
      if (found.length === 0) continue;
      const names = new Set(found.flatMap(({ name }) => name ?? []));
      return names.size === 1 ? named([...names][0] ?? '') : null;
    }
  }
  return null;
}

const unescapedText = (text: string) => text.replaceAll('\\n', '\n');

interface Command {
  readonly args: (selector: string) => string[];
  /** The rows that change; null if the command refuses. */
  readonly changes: (rows: readonly Listed[], selector: string, dir: string) => readonly Listed[] | null;
  readonly become: (row: Listed) => boolean;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  dismiss: {
    args: (selector) => ['dismiss', selector],
    changes: (rows, selector, dir) => toDismiss(rows, selector, false, dir),
    become: ({ needsPerson, dismissedAt }) => !needsPerson && dismissedAt !== null,
  },
  undismiss: {
    args: (selector) => ['dismiss', '--undo', selector],
    changes: (rows, selector, dir) => toDismiss(rows, selector, true, dir),
    become: ({ needsPerson, dismissedAt }) => needsPerson && dismissedAt === null,
  },
  show: {
    args: (selector) => ['show', '--json', selector],
    changes: (rows, selector) => (documentsOf(rows, selector) === null ? null : []),
    become: () => true,
  },
  resend: {
    args: (selector) => ['resend', selector],
    changes: (rows, selector) => {
      const [first] = documentsOf(rows, selector) ?? [];
      // The bytes are in the first folder only.
      return first?.state === 'accepted' && /\/in(?:\/sub)?$/.test(dirname(first.path)) ? [first] : null;
    },
    become: ({ state }) => state === 'queued',
  },
  retry: {
    args: (selector) => ['retry', selector],
    changes: (rows, selector) => {
      const found = documentsOf(rows, selector);
      if (found === null || found.every(({ state }) => state === 'accepted')) return null;
      return found.filter(({ state }) => UNDECIDED.includes(state) || state === 'queued');
    },
    become: ({ state }) => state === 'queued',
  },
  erase: {
    args: (selector) => ['erase', '--yes', selector],
    changes: (rows, selector) => {
      const found = rows.filter(({ name, sha256 }) => name === selector && sha256 !== null);
      if (found.length === 0) return null;
      // Skipped while its file is there: exit status 1, and nothing changes.
      return found.filter(({ path, state }) => !/\/in(?:\/sub)?$/.test(dirname(path)) && state !== 'queued');
    },
    become: ({ path }) => !path.includes('.jpg'),
  },
};

const rowKey = ({ name, endpointUid, sha256, path }: Listed) =>
  name === null ? path : `${endpointUid} ${sha256} ${name}`;

function selectorsOf(rows: readonly Listed[]): string[] {
  // What several files share comes before what one alone has, which would decide about them.
  const ways: ((row: Listed) => string | null)[] = [
    ({ path }) => basename(path),
    ({ path }) => basename(path).toUpperCase(),
    ({ name }) => name?.slice(0, -1) ?? null,
    ({ sha256 }) => sha256?.slice(0, 8) ?? null,
    ({ name }) => name?.normalize('NFD') ?? null,
    ({ path }) => (escapeUnsafe(path) === path ? null : escapeUnsafe(path)),
    ({ name }) => name,
    ({ path }) => path,
    ({ name }) => name,
  ];
  const odd = ['scan', 'no such', '/in/scan.jpg', 'in2/scan.jpg', 'sub/scan.jpg'];
  // Every way for a fifth of the rows, and each row by some of the ways.
  const some = ways.flatMap((way, turn) =>
    rows.flatMap((row, index) => ((index + turn) % 5 === 0 ? (way(row) ?? []) : [])),
  );
  return [...new Set([...odd, ...some])];
}

it.each(Object.keys(COMMANDS))(
  '%s changes exactly what it names, by every way to name it, and nothing when it refuses',
  async (which) => {
    const { args, changes, become } = COMMANDS[which] as Command;
    const site = await office();
    if (which === 'undismiss') await site.quickMust('dismiss', '--all');
    const reports = await openSqliteReports({ path: join(site.stateDir, 'ledger.db') });
    cleanUp(() => reports.close());
    const all = async (): Promise<Listed[]> => {
      const found: Listed[] = [];
      for await (const row of reports.list({})) found.push(row);
      return found;
    };
    let rows = await all();
    expect(await listed(site)).toMatchObject(JSON.parse(JSON.stringify(rows)) as object[]);
    let changed = 0;
    for (const selector of selectorsOf(rows)) {
      const meant = changes(rows, selector, site.dir);
      const { status, stderr } = await site.look(...args(selector));
      const now = await all();
      const said = { which, selector, status, stderr };
      expect({ ...said, isRefused: status !== 0 || meant !== null }).toEqual({ ...said, isRefused: true });
      const keys = new Set((meant ?? []).map(rowKey));
      const others = (each: readonly Listed[]) => each.filter((row) => !keys.has(rowKey(row)));
      expect({ ...said, rows: others(now) }).toEqual({ ...said, rows: others(rows) });
      for (const row of now.filter((each) => keys.has(rowKey(each))))
        expect({ ...said, row, isDone: become(row) }).toEqual({ ...said, row, isDone: true });
      expect(now.length).toBe(rows.length);
      changed += keys.size;
      rows = now;
    }
    expect(changed).toBeGreaterThanOrEqual({ show: 0, resend: 2 }[which] ?? 4);
    await site.quickMust('ledger', 'verify');
  },
);

const dayOf = (at: number) => new Date(at).toLocaleDateString('sv');
const daysAgo = (days: number) => dayOf(Date.now() - days * 86_400_000);

it('list and export show exactly what their filters say', async () => {
  const site = await office();
  await site.quickMust('dismiss', '--all', '--state', 'failed');
  const rows = await listed(site);
  const since = daysAgo(89);
  const filters: [option: string, values: string[], isMeant: (row: Listed) => boolean][] = [
    ['--state', ['lost', 'failed'], ({ state }) => ['lost', 'failed'].includes(state)],
    ['--endpoint', ['depot'], ({ endpointUid }) => endpointUid === DEPOT],
    ['--folder', [site.file('in2')], ({ path }) => path.startsWith(site.file('in2/'))],
    ['--search', ['sub'], ({ path }) => path.includes('sub')],
    ['--since', [since], ({ createdAt }) => dayOf(Date.parse(createdAt)) >= since],
    ['--until', [since], ({ createdAt }) => dayOf(Date.parse(createdAt)) <= since],
    ['--since', [since.slice(0, 7)], ({ createdAt }) => dayOf(Date.parse(createdAt)) >= since.slice(0, 7)],
    ['--where', ['total>=7'], ({ name }) => name === 'scan.jpg'],
    ['--limit', ['1'], ({ path }) => path === rows[0]?.path],
    ['--needs-person', [], ({ needsPerson }) => needsPerson],
    ['--dismissed', [], ({ dismissedAt }) => dismissedAt !== null],
  ];
  for (const [option, values, isMeant] of filters) {
    const meant = rows.filter(isMeant);
    expect([option, meant.length > 0, meant.length < rows.length]).toEqual([option, true, true]);
    for (const form of [
      ['list', '--json'],
      ['export', '--format', 'json'],
    ]) {
      if (form[0] === 'export' && values.length === 0) continue;
      expect([form, option, JSON.parse(await site.quickMust(...form, option, ...values))]).toEqual([
        form,
        option,
        meant,
      ]);
    }
  }
  expect(await site.quickMust('export', '--excel')).toMatch(/^\ufeff/);
  expect(await site.quickMust('export', '--separator', 'tab')).toMatch(/^\w+\t/);
  const head = async (...args: string[]) =>
    (await site.quickMust('export', ...args)).split('\r\n')[0]?.split(',');
  expect(await head()).toHaveLength(7);
  expect(await head('--all-columns')).toEqual(
    expect.arrayContaining(['sha256', 'sentAt', 'acceptedAt', 'total']),
  );
});

it('dismiss --all and its filters change exactly what the same filters list', async () => {
  const site = await office();
  const filters = [
    ['--since', daysAgo(89)],
    ['--state', 'lost'],
    ['--where', 'total>=7'],
    ['--endpoint', 'depot'],
    ['--folder', site.file('in2'), '--state', 'failed', 'rejected'],
    ['--search', 'sub'],
    ['--folder', site.file('in')],
    [],
  ];
  for (const filter of filters) {
    const before = await listed(site);
    const meant = new Set((await site.list('--needs-person', ...filter)).map((row) => rowKey(row as never)));
    await site.quickMust('dismiss', '--all', ...filter);
    const now = await listed(site);
    for (const [index, row] of now.entries()) {
      const isDismissed = !row.needsPerson && row.dismissedAt !== null;
      expect(meant.has(rowKey(row)) ? isDismissed : row).toEqual(
        meant.has(rowKey(row)) ? true : before[index],
      );
    }
  }
  expect((await listed(site)).filter(({ needsPerson }) => needsPerson)).toEqual([]);
});
