import { createHash } from 'node:crypto';
import { parseDocument } from 'yaml';
import { configSchema } from '../../../../src/config/schema.ts';
import type { SETUP } from '../../../../src/control/protocol/setup.ts';
import type { Operations, Response } from '../../../../src/control/protocol/protocol.ts';
import type { DocumentDetailJson } from '../../../../src/control/protocol/documents.ts';
import type { OverviewResponse } from '../../../../src/control/protocol/overview.ts';
import type { ResultDetailJson, ResultJson } from '../../../../src/control/protocol/results.ts';
import { toHoldJson } from '../../../../src/control/protocol/holdJson.ts';
import { noteJson } from '../../../../src/control/protocol/noteJson.ts';
import { troubles } from '../../../../src/control/queries/troubles.ts';
import type { Hold } from '../../../../src/core/ports/hold.ts';
import { InvalidKeys } from '../../../../src/core/domain/invalidKeys.ts';
import { ReceiptdError } from '../../../../src/core/domain/errors.ts';
import { FILE_ONLY } from '../../../../src/wiring/consoleKeys.ts';
import { counts, facets, isMeant, page } from './stubList.ts';
import { makeResults } from './stubResults.ts';
import { BASE_URL, CONFIG, UIDS, detailOf, makeHistory, makeRow, makeRows, type Row } from './stubData.ts';

const ROWS = 1200;

interface FileShape {
  readonly endpoints: Record<
    string,
    { uid: string; concurrency?: number; rate?: string; perDay?: number; perMonth?: number }
  >;
  readonly folders: { path: string; endpoint?: string; watch?: string }[];
}

/** What a test changes of the agent behind the page. */
export class StubAgent {
  readonly startedAt = Date.now() - 3 * 86_400_000;
  /** Of each kind one or a few: a list that fills a page costs the browser half a second. */
  rows: Row[] = makeRows(ROWS, Date.now(), 50).filter(
    ({ state }, index) => state !== 'accepted' || index < 10,
  );
  results = makeResults(this.rows);
  text = CONFIG;
  former = CONFIG;
  problem: string | null = null;
  restartNeeded: string[] = [];
  /** What a trial of a change says of originals from before. */
  originals: NonNullable<Response<'changeConfig'>['originals']> = [];
  /** The same of what it would do at once. */
  consequences: NonNullable<Response<'changeConfig'>['consequences']> = [];
  undo: Response<'config'>['undo'] = null;
  /** What comes of tests of alerts. */
  tested: Response<'testAlerts'>['results'] = [
    { channel: 'webhook', problem: 'The webhook at hooks.example.com answered with HTTP 500.' },
    { channel: 'email', problem: null },
  ];
  mailPassword: Response<'mailPassword'>['where'] = 'notNeeded';
  /** Of every document; null: as its state has it. */
  attempts: DocumentDetailJson['attempts'] | null = null;
  /** Of answers in the history. */
  slowness = 1;
  /** As the browser of the tests, in winter. */
  zone = { name: 'Europe/Berlin', offsetMinutes: 60 };
  incidents: OverviewResponse['status']['incidents'] = [];
  /** Of the configuration. */
  columns: OverviewResponse['columns'] = [];
  notes: OverviewResponse['status']['notes'] = [
    noteJson({ kind: 'limited', endpoint: 'office', rate: '120/min', leftMs: 1_860_000 }),
  ];
  paused = new Set<string>();
  held = 0;
  asked: { operation: string; request: unknown }[] = [];
  /** Asked for: what, of which type, which page. */
  pictures: string[] = [];
  /** As where what draws them is not installed. */
  hasNoPictures = false;

  /** As many documents as take several pages, and several requests to search. */
  fill(): void {
    this.rows = makeRows(ROWS, Date.now());
    this.results = makeResults(this.rows);
  }

  /** A scan comes in. */
  add(): Row {
    const row = makeRow(1, this.rows.length + 1, Date.now());
    this.rows = [row, ...this.rows];
    return row;
  }

  get file(): FileShape {
    return parseDocument(this.text).toJS() as FileShape;
  }

  get revision(): string {
    return createHash('sha256').update(this.text).digest('hex').slice(0, 16);
  }

  overview(): OverviewResponse {
    const now = new Date();
    const { endpoints, folders } = this.file;
    const since = new Date(now.getTime() - 40 * 60_000).toISOString();
    const waiting =
      this.rows.filter(({ state }) => state === 'queued' || state === 'uploading').length + this.held;
    const holds: Hold[] = [...this.paused].map((target) => ({
      scope: target.startsWith('/') ? 'folder' : 'endpoint',
      key: target.startsWith('/') ? target : `${BASE_URL}#${endpoints[target]?.uid}`,
      reason: 'PAUSED',
      message: 'Paused by admin.',
      since: Date.parse(since),
      until: null,
      demandedUntil: null,
    }));
    if (this.held > 0) {
      const message = 'The service answered HTTP 503.';
      const hold = {
        reason: 'HTTP_503',
        message,
        since: Date.parse(since),
        until: null,
        demandedUntil: null,
      };
      holds.push({ scope: 'service', key: BASE_URL, ...hold });
    }
    const status: OverviewResponse['status'] = {
      pid: 4711,
      startedAt: new Date(this.startedAt).toISOString(),
      version: '0.2.0',
      folders: folders.map(({ path, endpoint, watch }) => ({
        path,
        endpoint: endpoint ?? 'office',
        state: this.paused.has(path) ? 'paused' : path.startsWith('/mnt') ? 'unreachable' : 'watching',
        message: path.startsWith('/mnt') ? `${path} can't be reached (ETIMEDOUT).` : null,
        since,
        mode: watch === 'poll' ? 'polled' : 'events',
        fileSystem: path.startsWith('/mnt') ? 'nfs' : 'ext4',
        settling: path.endsWith('branch') ? 1 : 0,
        lastListing: since,
      })),
      inFlight: 1,
      limitedBy: [],
      incidents: this.incidents,
      notes: this.notes,
      spool: { mode: 'auto', used: 48_211_000, limit: 5_000_000_000, images: 31 },
    };
    const known = Object.entries(endpoints).map(([alias, { uid }]) => ({
      alias,
      key: { baseUrl: BASE_URL, uid },
    }));
    // Of folders and files that are not sent other tests tell.
    const counted = counts(this.rows).filter(
      ({ state }) => !['rejected', 'incomplete', 'unreadable', 'unconfirmed', 'lost'].includes(state),
    );
    const looked = {
      now: now.getTime(),
      daemon: { ...status, folders: [] },
      silent: null,
      counts: counted,
      holds,
    };
    return {
      now: now.toISOString(),
      zone: this.zone,
      status,
      shared: false,
      troubles: troubles(known, looked),
      counts: counts(this.rows),
      holds: holds.map(toHoldJson),
      endpoints: Object.entries(endpoints).map(([alias, { uid, concurrency, rate, perDay, perMonth }]) => ({
        alias,
        account: null,
        endpoint: { baseUrl: BASE_URL, uid },
        paused: this.paused.has(alias),
        concurrency: concurrency ?? 4,
        rate: rate ?? 'unlimited',
        perDay: perDay ?? null,
        perMonth: perMonth ?? null,
      })),
      columns: this.columns,
      backlog: {
        waiting,
        held: this.held,
        oldest: waiting === 0 ? null : since,
        perMinute: 31.4,
        emptyInMs: waiting === 0 ? null : 4_980_000,
      },
    };
  }

  config(): Response<'config'> {
    const values = parseDocument(this.text).toJS() as Response<'config'>['values'];
    const folders = values['folders'] as readonly { path: string }[] | undefined;
    return {
      file: '/etc/receiptd/receiptd.yaml',
      revision: this.revision,
      writable: true,
      text: this.text,
      values,
      folderPaths: (folders ?? []).map(({ path }) => path.replace(/^~/, '/root')),
      problem: this.problem,
      restartNeeded: this.restartNeeded,
      undo: this.undo,
      fileOnly: [...FILE_ONLY],
    };
  }

  operations(): Omit<Operations, 'openConsole' | keyof typeof SETUP> {
    const nothing = async () => ({});
    const unused = async (): Promise<never> => {
      throw new ReceiptdError('USAGE', 'The console does not ask for this.');
    };
    return {
      status: async () => this.overview().status,
      overview: async () => this.overview(),
      history: async ({ minutes = 60 }) => makeHistory(minutes, Date.now(), this.slowness),
      documents: async (request) => page(this.rows, request),
      neighbours: async ({ id, order, ...filter }) => {
        const rows = order === 'oldest' ? this.rows.toReversed() : this.rows;
        const at = rows.findIndex(({ documentId }) => documentId === id);
        const isIt = (row: Row) => row.sightingId === null && row.documentId !== id && isMeant(row, filter);
        return {
          previous: rows.slice(0, at).findLast(isIt)?.documentId ?? null,
          next: rows.slice(at).find(isIt)?.documentId ?? null,
        };
      },
      facets: async (request) => facets(this.rows, request),
      countDocuments: async (request) => ({
        count: this.rows.filter((row) => isMeant(row, request)).length,
        next: null,
      }),
      document: async ({ id, name }) => {
        const row = this.rows.find((each) =>
          id === undefined ? each.name === name : each.documentId === id,
        );
        if (row === undefined) {
          throw new ReceiptdError('DOCUMENT_UNKNOWN', `There is no document ${id ?? name}.`, {
            hint: 'Look for it in the list.',
          });
        }
        const results = this.results.filter(({ document }) => document?.id === row.documentId);
        const detail = detailOf(row);
        const attempts = this.attempts ?? detail.attempts;
        return { documents: [{ ...detail, attempts, results: [...results] }] };
      },
      ledgerHead: unused,
      fleet: unused,
      pauseAgent: unused,
      retireAgent: unused,
      resumeAgent: unused,
      results: async ({ unmatched = false, before = Infinity, limit = 50 }) => {
        const all = this.results.filter(({ document }) => !unmatched || document === null);
        const wanted = all.filter(({ id }) => id < before);
        const page = wanted.slice(0, limit).map(withoutPayload);
        return {
          results: page,
          next: wanted.length > limit ? (page.at(-1)?.id ?? null) : null,
          total: all.length,
        };
      },
      result: async ({ id }) => {
        const result = this.results.find((each) => each.id === id);
        if (result === undefined) throw new ReceiptdError('USAGE', `There is no result ${id}.`);
        return { result };
      },
      resultsPath: unused,
      send: unused,
      alerts: async () => ({
        channels: this.tested.map(({ channel }) => channel),
        quietUntil: null,
        open: [],
      }),
      testAlerts: async ({ channel }) => ({
        results: this.tested.filter((each) => channel === undefined || each.channel === channel),
      }),
      mailPassword: async () => ({ where: this.mailPassword }),
      setMailPassword: async () => {
        this.mailPassword = 'stored';
        return { store: 'file' };
      },
      knownEndpoints: async () => ({
        endpoints: [
          { endpoint: { baseUrl: BASE_URL, uid: UIDS.office }, name: null, createdAt: null },
          {
            endpoint: { baseUrl: BASE_URL, uid: UIDS.branch },
            name: 'Branch Köln',
            createdAt: '2026-03-02T09:12:00.000Z',
          },
        ],
      }),
      retry: async ({ names = [] }) => {
        const isMeant = ({ name, state }: Row) => names.includes(name ?? '') && state !== 'accepted';
        const queued = this.rows.filter(isMeant).length;
        this.rows = this.rows.map((row) =>
          isMeant(row) ? { ...row, state: 'queued', message: null, reason: null } : row,
        );
        return { queued, names, next: null };
      },
      seenCounts: async ({ since, until }) => {
        const seen = this.rows.filter((row) => isMeant(row, { since, until }));
        return { counts: counts(seen).map(({ folder, state, count }) => ({ folder, state, count })) };
      },
      compareFolder: async ({ folder }) => ({
        at: new Date().toISOString(),
        listed: 12,
        known: folder.endsWith('branch') ? 10 : 12,
        excluded: 0,
        unaccounted: folder.endsWith('branch')
          ? [
              { path: 'late.jpg', problem: 'unknown', state: null, name: null },
              {
                path: '<img src=x onerror=alert(1)>.jpg',
                problem: 'missing',
                state: 'queued',
                name: 'was here',
              },
            ]
          : [],
        unaccountedCount: folder.endsWith('branch') ? 2 : 0,
        notLookedAt: [],
      }),
      actOnMany: async ({ act, documents = [], sightings = [], filter }) => {
        const fits = ({ state, needsPerson, dismissedAt, sightingId }: Row) =>
          ({
            retry: ['failed', 'unconfirmed', 'lost'].includes(state),
            resend: state === 'accepted' && sightingId === null,
            dismiss: needsPerson,
            undismiss: dismissedAt !== null,
          })[act];
        const isChosen = (row: Row) =>
          filter === undefined
            ? row.sightingId === null
              ? documents.includes(row.documentId ?? -1)
              : sightings.includes(row.sightingId)
            : isMeant(row, filter);
        const meant = this.rows.filter((row) => fits(row) && isChosen(row));
        const dismissal = { dismissedBy: 'anna', dismissedAt: new Date().toISOString() };
        const after: Readonly<Record<typeof act, Partial<Row>>> = {
          retry: { state: 'queued', needsPerson: false },
          resend: { state: 'queued' },
          dismiss: { needsPerson: false, ...dismissal },
          undismiss: { needsPerson: true, dismissedBy: null, dismissedAt: null },
        };
        this.rows = this.rows.map((row) => (meant.includes(row) ? { ...row, ...after[act] } : row));
        const done = {
          documents: meant.filter((row) => row.sightingId === null).flatMap((row) => row.documentId ?? []),
          sightings: meant.flatMap((row) => row.sightingId ?? []),
        };
        return { count: meant.length, done, failed: 0, next: null };
      },
      dismiss: async ({ targets = [], undo = false }) => {
        const isMeant = ({ name, path, needsPerson, dismissedAt }: Row) =>
          targets.includes(name ?? path) && (undo ? dismissedAt !== null : needsPerson);
        const dismissed = this.rows.filter(isMeant).length;
        const now = {
          needsPerson: undo,
          dismissedBy: undo ? null : 'anna',
          dismissedAt: undo ? null : new Date().toISOString(),
        };
        this.rows = this.rows.map((row) => (isMeant(row) ? { ...row, ...now } : row));
        return { dismissed, next: null };
      },
      tryHeld: async () => {
        this.held = 0;
        return {};
      },
      resend: async ({ name, endpoint }) => ({
        name,
        endpointUid: endpoint === 'branch' ? UIDS.branch : UIDS.office,
        outcome: endpoint === 'branch' ? 'duplicate' : 'queued',
      }),
      pause: async ({ target = '' }) => {
        this.paused.add(target);
        return { targets: [target] };
      },
      resume: async ({ target = '' }) => {
        this.paused.delete(target);
        return { targets: [target] };
      },
      recordEndpoint: nothing,
      erase: unused,
      backup: unused,
      config: async () => this.config(),
      undoConfig: async () => {
        this.text = this.former;
        this.undo = null;
        return this.config();
      },
      reload: async () => this.config(),
      changeConfig: async ({ revision, edits, dryRun }) => {
        if (dryRun) return { ...this.config(), originals: this.originals, consequences: this.consequences };
        if (revision !== this.revision)
          throw new ReceiptdError('USAGE', 'The file is another by now.', { hint: 'Read it again.' });
        const document = parseDocument(this.text);
        for (const edit of edits) {
          if (edit.kind === 'remove') document.deleteIn(edit.path);
          else if (edit.kind === 'set') document.setIn(edit.path, document.createNode(edit.value));
          else document.addIn(edit.path, document.createNode(edit.value));
        }
        const checked = configSchema.safeParse(document.toJS());
        const issue = checked.error?.issues[0];
        if (issue !== undefined) {
          const key = issue.path.join('.');
          throw new InvalidKeys('CONFIG_INVALID', `${key}: expected ${issue.message}`, [key]);
        }
        this.former = this.text;
        this.text = document.toString();
        this.undo = {
          at: new Date().toISOString(),
          by: 'console',
          keys: edits.map(({ path }) => path.join('.')),
        };
        return this.config();
      },
      testFolder: async ({ path, settings }) => {
        const isMissing = path.includes('missing');
        return {
          path,
          findings: isMissing
            ? [{ level: 'fail', kind: 'FOLDER_MISSING', message: `${path} does not exist.` }]
            : [
                { level: 'ok', kind: 'readable', count: 1234, message: 'It can be read.' },
                {
                  level: 'warn',
                  kind: 'subfolders',
                  count: 2,
                  message: '2 folders in it are not watched.',
                },
              ],
          fileSystem: isMissing ? null : 'nfs',
          mode: isMissing ? null : 'polled',
          files: isMissing ? null : 1234,
          samples: isMissing
            ? []
            : [
                {
                  file: 'scan_00017.jpg',
                  name: `${typeof settings?.['name'] === 'string' ? settings['name'] : 'scan_00017'}-90d3a1b2c4e5`,
                  would: 'send',
                  why: null,
                },
                { file: 'readme.txt', would: 'reject', name: null, why: 'This is a text file, no image.' },
              ],
        };
      },
      createEndpoint: async ({ name, alias }) => {
        const document = parseDocument(this.text);
        if (document.hasIn(['endpoints', alias]))
          throw new ReceiptdError('USAGE', `There is an endpoint "${alias}" already.`, {
            hint: 'Choose another name.',
          });
        const uid = '0c9d1f70-1111-4222-8333-944455556666';
        document.setIn(['endpoints', alias], document.createNode({ uid }));
        this.text = document.toString();
        return { uid, name, config: this.config() };
      },
    };
  }
}

function withoutPayload(result: ResultDetailJson): ResultJson {
  const row: Partial<ResultDetailJson> = { ...result };
  delete row.payload;
  return row as ResultJson;
}
