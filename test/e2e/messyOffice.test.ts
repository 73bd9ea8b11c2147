/**
 * Runs every reading command and opens every page of the console, over the messy office and a real agent at work in it. Nothing may end in a
 * defect, and no internal text of the program may be visible.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Request, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { LIST_STATES } from '../../src/core/ports/ledgerReports.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { hasChromium, startBrowser } from '../console/app/support/browser.ts';
import { closeLook } from '../console/app/support/closeLook.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { chosenOf, isEveryCase } from '../support/everyCase.ts';
import { MAX_FILE_SIZE } from '../support/messyOffice/contents.ts';
import { layOut } from '../support/messyOffice/layOut.ts';
import { messyOffice, UIDS } from '../support/messyOffice/plan.ts';
import { recordOffice } from '../support/messyOffice/record.ts';
import { Terminal, terminalIsHere } from '../support/terminal.ts';
import { MAIN, prepare, until, type Row, type Running, type Site } from './support/agent.ts';
import { commandsOfProgram } from './support/commandLine.ts';
import { runInProcess } from './support/inProcess.ts';

const SIZE = 120;
const LIMIT_MS = 600_000;
/** A close look takes seconds, so it is for each twelfth page in English, and for another twelfth in German, in which each third page is read. */
const LOOKS = 12;
const GERMAN = 3;

function isChosen(at: number, of: number): boolean {
  return isEveryCase || at % of === 0;
}

/** Internal texts of programs, which no name in the office contains. */
const SLIPS = /\b(?:defect|NaN|Invalid|undefined)\b|\[object|^\s+at .+:\d+:\d+\)?$/m;

function slipsIn(where: string, text: string): string[] {
  const found = SLIPS.exec(text);
  if (found === null) return [];
  return [`${where}: …${text.slice(Math.max(0, found.index - 100), found.index + 100)}…`];
}

/* ---- The command line ------------------------------------------------------------------------- */

/** Commands that change something, or that concern this machine instead of ledger and agent. */
const OTHERS = new Set(
  `setup, init, login, logout, run, send, reload, retry, resend, move, dismiss, pause, resume, erase, backup, restore, sandbox
endpoint create, logs, set, folder list, folder add, folder replace, folder remove, console password, alerts test, fleet pause, fleet resume, fleet retire
service install, service uninstall, service start, service stop, service restart, service status, service logs
ledger prepare, ledger migrate, ledger archive`.split(/, |\n/),
);
/** Commands that only group others. */
const GROUPS = new Set(['endpoint', 'folder', 'service', 'fleet', 'results', 'ledger']);
/** Options whose effect does not depend on the ledger. */
const NOT_TRIED = new Set(['--config', '--output', '--offline', '--every']);

/** Formats, one of which each filter is tried with, besides the list for people. */
const FORMS = [
  ['list', '--json'],
  ['export', '--format', 'csv'],
  ['export', '--format', 'json'],
];

interface Line {
  readonly args: readonly string[];
  /** Default: 0. */
  readonly statuses?: readonly number[];
}

/** Lines that try every reading command with each of its options. */
async function linesOf(site: Site, rows: readonly Row[]): Promise<Line[]> {
  const inbox = site.file('office', 'front desk');
  const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
  const filters = [
    ...LIST_STATES.map((state) => ['--state', state]),
    ['--state', 'failed', 'unconfirmed', 'lost'],
    ...['office', 'warehouse', 'agency'].map((alias) => ['--endpoint', alias]),
    ['--folder', inbox],
    ['--folder', site.file('office', 'former')],
    ...['muller', '<script>', '領収', '\n', 'nothing such'].map((words) => ['--search', words]),
    ['--since', day],
    ['--until', day],
    ['--limit', '7'],
    ['--where', 'total>=100', 'merchant=hotel'],
    ['--endpoint', 'office', '--state', 'rejected', '--search', 'pdf', '--since', day, '--limit', '3'],
  ];
  const oneOfEach = LIST_STATES.flatMap(
    (state) => rows.find((row) => row.state === state && row.name !== null) ?? [],
  );
  const results = JSON.parse((await site.look('results', 'list', '--json')).stdout) as { id: number }[];
  // An option that only few filters have needs all of them itself.
  const isRare = (filter: readonly string[]): boolean =>
    filters.filter(([option]) => option === filter[0]).length < FORMS.length;
  return [
    { args: ['check'], statuses: [0, 1, 2] },
    { args: ['check', '--json'], statuses: [0, 1, 2] },
    { args: ['whoami'] },
    { args: ['whoami', '--json'] },
    { args: ['whoami', '--account', 'agency'], statuses: [1] },
    { args: ['endpoint', 'list'] },
    { args: ['endpoint', 'list', '--json'] },
    { args: ['status'] },
    { args: ['status', '--json'] },
    { args: ['status', '--running'] },
    { args: ['console', '--no-open'] },
    { args: ['alerts'] },
    { args: ['alerts', '--json'] },
    ...filters.flatMap((filter, n) => [
      { args: ['list', ...filter] },
      ...FORMS.filter((_, at) => isRare(filter) || isChosen(n + at, FORMS.length)).map((form) => ({
        args: [...form, ...filter],
      })),
    ]),
    { args: ['list'] },
    ...['--needs-person', '--dismissed'].flatMap((only) => [
      { args: ['list', only] },
      { args: ['list', only, '--state', 'rejected', '--json'] },
    ]),
    ...oneOfEach.flatMap(({ name }) => [
      { args: ['show', '--', String(name)] },
      { args: ['show', '--json', '--', String(name)] },
    ]),
    { args: ['fleet', 'status'] },
    { args: ['fleet', 'status', '--json'] },
    { args: ['results', 'list'] },
    { args: ['results', 'list', '--json'] },
    { args: ['results', 'list', '--unmatched'] },
    ...results
      .slice(0, 3)
      .flatMap(({ id }) => [
        { args: ['results', 'show', String(id)] },
        { args: ['results', 'show', String(id), '--json'] },
      ]),
    { args: ['results', 'url', '--endpoint', 'office', '--base', 'https://receipts.example.com'] },
    { args: ['export', '--format', 'csv', '--excel'] },
    { args: ['export', '--format', 'csv', '--separator', 'tab'] },
    { args: ['export', '--format', 'csv', '--all-columns'] },
    // The agent never takes in some files of the office; waiting for them takes a quarter of a minute.
    { args: ['audit', '--wait', '0s'], statuses: [3, 4] },
    { args: ['audit', '--json', '--wait', '0s'], statuses: [3, 4] },
    { args: ['audit', '--day', day, '--wait', '0s'], statuses: [0, 3, 4] },
    { args: ['audit', '--folder', inbox, '--wait', '0s'], statuses: [0, 3, 4] },
    { args: ['ledger', 'head'] },
    { args: ['ledger', 'head', '--json'] },
    { args: ['ledger', 'verify'] },
    { args: ['ledger', 'verify', '--json', '--head', await headOf(site)] },
    { args: ['doctor', '--list'], statuses: [0, 1] },
    { args: ['doctor', '--list', '--with-names'], statuses: [0, 1] },
    { args: ['completion', 'bash'] },
    { args: ['complete', '--', '=', 'show'] },
  ];
}

async function headOf(site: Site): Promise<string> {
  const { stdout } = await site.look('ledger', 'head', '--json');
  const { seq, hash } = JSON.parse(stdout) as { seq: number; hash: string };
  return `${seq}:${hash}`;
}

/** Reading commands and their options that no line tries. */
async function untried(lines: readonly Line[]): Promise<string[]> {
  const commands = await commandsOfProgram();
  expect([...OTHERS, ...GROUPS].filter((name) => !commands.has(name))).toEqual([]);
  const lacking: string[] = [];
  for (const [name, command] of commands) {
    if (OTHERS.has(name) || GROUPS.has(name) || name === 'top') continue;
    const words = name.split(' ');
    const its = lines.filter(({ args }) => words.every((word, n) => args[n] === word));
    if (its.length === 0) lacking.push(name);
    for (const { long } of command.options) {
      if (typeof long !== 'string' || NOT_TRIED.has(long)) continue;
      if (!its.some(({ args }) => args.includes(long))) lacking.push(`${name} ${long}`);
    }
  }
  return lacking;
}

test(
  'every reading command and every page of the console shows the messy office without internal texts',
  async () => {
    const { site, agent } = await officeAtWork();
    const slips = await slipsOfCommands(site);
    if (hasChromium) slips.push(...(await slipsOfConsole(site)));
    slips.push(...slipsIn('the log', agent.stderr));
    expect(slips.join('\n\n')).toBe('');
    expect(agent.alive).toBe(true);
  },
  LIMIT_MS,
);

/** The service refuses everything for `warehouse`, the account `agency` has a wrong secret, and some requests are never answered. */
async function officeAtWork(): Promise<{ site: Site; agent: Running }> {
  const site = await prepare({}, { owners: { [UIDS.warehouse]: 'somebody else' } });
  const office = messyOffice({
    size: SIZE,
    baseUrl: site.sandbox.url,
    root: site.file('office'),
    until: Date.now(),
  });
  const { folders } = office;
  await site.configure({
    accounts: { agency: {} },
    endpoints: {
      office: { uid: UIDS.office, rate: '6/min' },
      warehouse: { uid: UIDS.warehouse },
      agency: { uid: UIDS.agency, account: 'agency' },
    },
    results: { columns: { total: '/total', merchant: '/receipt/merchant' } },
    folders: Object.entries(folders).map(([name, path]) => ({
      path,
      endpoint: name === 'agency' ? 'agency' : name.startsWith('share') ? 'warehouse' : 'office',
      recursive: true,
      maxFileSize: `${MAX_FILE_SIZE}B`,
      existing: 'skip',
    })),
  });
  site.env = { ...site.env, RECEIPTD_CLIENT_ID_AGENCY: 'agency', RECEIPTD_CLIENT_SECRET_AGENCY: 'wrong' };
  await mkdir(site.stateDir, { recursive: true, mode: 0o700 });
  const ledger = await openSqliteLedger({ path: join(site.stateDir, 'ledger.db'), clock: systemClock });
  await recordOffice(ledger, office, layOut);
  await ledger.close();
  // This folder was removed.
  await rm(folders.former, { recursive: true, force: true });
  await addInvalidName(folders['front desk']);
  site.sandbox.misbehave({
    kind: 'stall',
    route: 'upload',
    times: 2,
    delayMs: 0,
    at: 'beforeAnswer',
    store: false,
  });
  const agent = await site.start();
  await until(async () => (await site.list('--state', 'uploading')).length > 0, 'a request under way');
  return { site, agent };
}

/** Writes a file whose name is invalid UTF-8, and one whose name is the replacement shown for it. */
async function addInvalidName(folder: string): Promise<void> {
  const name = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.jpg')]);
  await writeFile(name, 'text');
  await writeFile(`${folder}/caf\ufffd.jpg`, 'text');
}

async function slipsOfCommands(site: Site): Promise<string[]> {
  const lines = await linesOf(site, await site.list());
  expect(await untried(lines)).toEqual([]);
  const slips: string[] = [];
  for (const { args, statuses = [0] } of lines) {
    const where = `receiptd ${args.join(' ')}`;
    const ended = await tell(site, args).catch((error: unknown) => error as Error);
    if (ended instanceof Error) {
      slips.push(`${where}: a defect: ${ended.stack}`);
      continue;
    }
    const { status, stdout, stderr } = ended;
    if (!statuses.includes(Number(status)))
      slips.push(`${where}: ended with ${status}: ${stderr.slice(-500)}`);
    slips.push(...slipsIn(where, stdout), ...slipsIn(where, stderr));
    if (args.includes('--json') && status === 0 && !isJson(stdout)) slips.push(`${where}: no JSON`);
  }
  if (terminalIsHere) slips.push(...slipsIn('receiptd top', await topOnce(site)));
  return slips;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Like `Site.look`, but for names that begin with a dash: appends nothing. */
function tell(site: Site, args: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env;
  return runInProcess(args, {
    cwd: site.dir,
    env: { PATH, HOME, ...site.env, RECEIPTD_CONFIG: site.config },
  });
}

async function topOnce(site: Site): Promise<string> {
  const { PATH = '' } = process.env;
  const env = { PATH, TERM: 'xterm', ...site.env };
  const terminal = new Terminal([process.execPath, MAIN, 'top', '--config', site.config], {
    cwd: site.dir,
    env,
  });
  cleanUp(() => terminal.close());
  await until(() => /backlog/i.test(terminal.raw), '`top` to be drawn');
  return terminal.raw;
}

/* ---- The console ------------------------------------------------------------------------------ */

/** Addresses that people type or bookmarked, in addition to links. */
const PLACES = [
  '#/documents/999999',
  '#/documents/none',
  '#/folders/edit?path=%2Fnowhere',
  '#/endpoints/edit?alias=nobody',
  '#/fleet',
  '#/nowhere',
  '#/nowhere/at/all',
  '#/log?level=error',
  '#/documents?search=%3Cscript%3E',
  '#/documents?order=oldest',
  '#/documents?cursor=none',
  '#/results?unmatched=1',
  // The lists of all states on the command line show each state as well.
  ...chosenOf(LIST_STATES, (state) => state === 'failed').map((state) => `#/documents?state=${state}`),
];
/** The pages that the program knows. A link opens a new one, or the list above names it. */
const PAGES = [
  ...readFileSync(new URL('../../src/console/app/App.tsx', import.meta.url), 'utf8').matchAll(
    /case '([a-z]*)':/g,
  ),
].map(([, page]) => page);

/** As a user may have saved it in the browser. */
const HOSTILE_FILTER = JSON.stringify([
  {
    name: '<img src=x onerror=alert(1)>',
    place: '#/documents?search=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E',
  },
  { name: 'javascript', place: 'javascript:alert(1)' },
]);

/** The page of a place, without the parameters. */
function routeOf(place: string): string {
  const [path = ''] = place.split('?');
  return path.replace(/\/\d+$/, '/1');
}

async function slipsOfConsole(site: Site): Promise<string[]> {
  const link = async () => (await site.quickMust('console', '--no-open')).trim();
  const first = await link();
  const links = [first];
  const browser = await startBrowser({
    url: new URL(first).origin,
    link: async () => links.pop() ?? link(),
  });
  cleanUp(() => browser.close());
  const page = await browser.open();
  const slips: string[] = [];
  const watched = watch(page, slips);
  await page.evaluate(`localStorage.setItem('receiptd.filters', ${JSON.stringify(HOSTILE_FILTER)})`);
  const shown = await documentsShown(site);
  const waiting = [...PLACES, ...shown.map((id) => `#/documents/${id}`), '#/'];
  const seen = new Set<string>();
  const looked = new Map<string, string>();
  const isNext = inTurn();
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const kind = kindOf(place, shown);
    if (kind === null || seen.has(kind)) continue;
    seen.add(kind);
    if (!isNext(place)) continue;
    watched.at = place;
    await page.goto(new URL(place, page.url()).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await watched.isQuiet();
    slips.push(...slipsIn(place, await page.content()));
    const route = routeOf(place);
    if (!looked.has(route)) {
      looked.set(route, place);
      if (isChosen(looked.size, LOOKS))
        for (const fault of await closeLook(page, { narrow: false })) slips.push(`${place}: ${fault}`);
    }
    for (const found of await linksOf(page)) waiting.push(found);
  }
  const pages = new Set([...looked.keys()].map((place) => /^#\/([a-z]*)/.exec(place)?.[1]));
  expect(PAGES.filter((each) => !pages.has(each))).toEqual([]);
  const german = await browser.open('#/', { locale: 'de-DE' });
  const quiet = watch(german, slips);
  for (const [at, place] of [...looked.values()].entries()) {
    if (!isChosen(at, GERMAN)) continue;
    quiet.at = `${place} in German`;
    await german.goto(new URL(place, page.url()).href);
    await german.getByRole('heading', { level: 1 }).waitFor();
    await quiet.isQuiet();
    slips.push(...slipsIn(quiet.at, await german.content()));
    if (isChosen(at + GERMAN, LOOKS))
      for (const fault of await closeLook(german, { narrow: true })) slips.push(`${quiet.at}: ${fault}`);
  }
  browser.expectNoTrouble();
  return slips;
}

/** One document of each state. */
async function documentsShown(site: Site): Promise<number[]> {
  const { stdout } = await site.look('list', '--json');
  const rows = JSON.parse(stdout) as { documentId: number | null; state: string }[];
  return LIST_STATES.flatMap((state) => rows.find((row) => row.state === state)?.documentId ?? []);
}

/** Places of one kind look alike, so one is enough. Null: one of very many. */
function kindOf(place: string, shown: readonly number[]): string | null {
  const [path = '', query = ''] = place.split('?');
  const [, id] = /^#\/documents\/(\d+)$/.exec(path) ?? [];
  if (id !== undefined && Number(id) < 100_000 && !shown.includes(Number(id))) return null;
  // For filtered lists, the first page is enough, and for the whole list the further pages of one order.
  const values = new URLSearchParams(query);
  const keys = new Set(values.keys());
  keys.delete('order');
  if (keys.delete('cursor') && (keys.size > 0 || (values.get('order') === 'oldest' && !isEveryCase)))
    return null;
  return `${path}?${query}`;
}

/**
 * Of places that differ only in the values of their filters, or in the list that a document was opened from, the first one. Filters are
 * tried alone and each in a pair with another one, not in all combinations.
 */
function inTurn(): (place: string) => boolean {
  const seen = new Set<string>();
  const paired = new Set<string>();
  return (place) => {
    const [path = '', query] = place.split('?');
    if (query === undefined || isEveryCase) return true;
    const keys = new Set(new URLSearchParams(query).keys());
    // A page looks the same in either order.
    if (keys.size > 1) keys.delete('order');
    const isDocument = /\/\d+$/.test(path);
    const alike = isDocument ? 'a document in a list' : `${path}?${[...keys].toSorted().join('&')}`;
    if (seen.has(alike)) return false;
    seen.add(alike);
    keys.delete('until');
    if (isDocument || keys.size <= 1) return true;
    const isNew = [...keys].some((key) => !paired.has(`${path}?${key}`));
    for (const key of keys) paired.add(`${path}?${key}`);
    return isNew;
  };
}

async function linksOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href^="#/"]')].map((each) => each.getAttribute('href'))`,
  );
}

interface Watched {
  at: string;
  /** Resolves once all requests of the page are answered, except its stream. */
  isQuiet(): Promise<void>;
}

function watch(page: Page, slips: string[]): Watched {
  const open = new Set<Request>();
  const answers: Promise<void>[] = [];
  const watched: Watched = {
    at: '',
    isQuiet: async () => {
      await until(async () => {
        if (open.size > 0) return false;
        // The page draws the answers, and may send more requests.
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
        return open.size === 0;
      }, `${watched.at} to be quiet`);
      await Promise.all(answers.splice(0));
    },
  };
  page.on('request', (request) => {
    if (!/\/v1\/(events|log)/.test(request.url())) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400) answers.push(judge(`${watched.at}: ${status} of ${response.url()}`, response, slips));
  });
  page.on('pageerror', (error) => slips.push(`${watched.at}: thrown: ${error.stack}`));
  page.on('console', (message) => {
    // Refusals and answers that are no image are judged separately.
    if (message.text().startsWith('Failed to load resource: the server responded with')) return;
    if (message.type() === 'error' || message.type() === 'warning')
      slips.push(`${watched.at}: the browser's console: ${message.text()} ${message.location().url}`);
  });
  return watched;
}

/** A refusal must have a code and a reason. */
async function judge(where: string, response: Response, slips: string[]): Promise<void> {
  const body: unknown = await response.json().catch(() => null);
  const { success } = REFUSAL.safeParse(body);
  // The page requests a picture again if it is not drawn yet.
  const isBroken = response.status() >= 500 && !/\/(?:thumbnail|preview)\?/.test(response.url());
  if (isBroken || !success) slips.push(`${where}: ${JSON.stringify(body)}`);
}

const REFUSAL = z.object({ code: z.string().regex(/^[A-Z_]+$/), message: z.string().min(1) });
