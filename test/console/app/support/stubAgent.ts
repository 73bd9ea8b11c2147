import { createHash } from 'node:crypto';
import { parseDocument } from 'yaml';
import type { Response } from '../../../../src/control/protocol/protocol.ts';
import type { DocumentDetailJson } from '../../../../src/control/protocol/documents.ts';
import type { OverviewResponse } from '../../../../src/control/protocol/overview.ts';
import { toHoldJson } from '../../../../src/control/protocol/holdJson.ts';
import { noteJson } from '../../../../src/control/protocol/noteJson.ts';
import { problemsOf } from '../../../../src/core/domain/problem.ts';
import { conditionOfJson } from '../../../../src/control/protocol/problem.ts';
import type { Hold } from '../../../../src/core/domain/hold.ts';
import { formFields } from '../../../../src/config/forms.ts';
import { counts } from './stubList.ts';
import { makeResults } from './stubResults.ts';
import { BASE_URL, CONFIG, makeRow, makeRows, type Row } from './stubData.ts';

const ROWS = 1200;

interface FileShape {
  readonly endpoints: Record<
    string,
    { uid: string; concurrency?: number; rate?: string; perDay?: number; perMonth?: number }
  >;
  readonly folders: { path: string; endpoint?: string; watch?: string }[];
}

/** Lets the agent write its configuration. */
export const ALLOWING = 'sudo chown receiptd: /etc/receiptd /etc/receiptd/receiptd.yaml';

/** State of the agent behind the page, which tests change. */
export class StubAgent {
  readonly startedAt = Date.now() - 3 * 86_400_000;
  /** One or a few rows of each kind, because a full page of rows costs the browser half a second. */
  rows: Row[] = makeRows(ROWS, Date.now(), 50).filter(
    ({ state }, index) => state !== 'accepted' || index < 10,
  );
  results = makeResults(this.rows);
  text = CONFIG;
  former = CONFIG;
  problem: string | null = null;
  restartNeeded: string[] = [];
  /** The answer of a dry run about earlier originals. */
  originals: NonNullable<Response<'changeConfig'>['originals']> = [];
  /** The answer of a dry run about immediate consequences. */
  consequences: NonNullable<Response<'changeConfig'>['consequences']> = [];
  undo: Response<'config'>['undo'] = null;
  /** Results of alert tests. */
  tested: Response<'testAlerts'>['results'] = [
    { channel: 'webhook', problem: 'The webhook at hooks.example.com answered with HTTP 500.' },
    { channel: 'email', problem: null },
  ];
  mailPassword: Response<'mailPassword'>['where'] = 'notNeeded';
  /** For every document; null: according to its state. */
  attempts: DocumentDetailJson['attempts'] | null = null;
  /** Of the answers in the history. */
  slowness = 1;
  /** The time zone of the test browser, in winter. */
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
  /** Requested pictures: kind, type, page. */
  pictures: string[] = [];
  isConfigWritable = true;
  /** As if the software that draws pictures was not installed. */
  hasNoPictures = false;

  /** Enough documents for several pages, and for several requests per search. */
  fill(): void {
    this.rows = makeRows(ROWS, Date.now());
    this.results = makeResults(this.rows);
  }

  /** A new scan arrives. */
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
      message: 'admin',
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
        fact: null,
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
    // Other tests cover folders and unsent files.
    const counted = counts(this.rows).filter(
      ({ state }) => !['rejected', 'incomplete', 'unreadable', 'unconfirmed', 'lost'].includes(state),
    );
    const incidents = this.incidents.map((each) => ({
      key: each.key,
      since: Date.parse(each.since),
      ...conditionOfJson(each),
    }));
    const facts = { now: now.getTime(), incidents, folders: [], holds, counts: counted, endpoints: known };
    const problems = problemsOf(facts);
    return {
      now: now.toISOString(),
      zone: this.zone,
      status,
      shared: false,
      problems,
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
      writable: this.isConfigWritable,
      grantCommand: this.isConfigWritable ? null : ALLOWING,
      text: this.text,
      values,
      folderPaths: (folders ?? []).map(({ path }) => path.replace(/^~/, '/root')),
      problem: this.problem,
      restartNeeded: this.restartNeeded,
      undo: this.undo,
      settings: formFields().map((each) => ({ ...each, options: [...each.options] })),
    };
  }
}
