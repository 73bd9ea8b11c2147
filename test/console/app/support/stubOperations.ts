import { parseDocument } from 'yaml';
import { configSchema } from '../../../../src/config/schema.ts';
import { expectedIn } from '../../../../src/config/values.ts';
import type { SETUP } from '../../../../src/control/protocol/setup.ts';
import type { Operations } from '../../../../src/control/protocol/protocol.ts';
import type { ResultDetailJson, ResultJson } from '../../../../src/control/protocol/results.ts';
import { ReceiptdError } from '../../../../src/core/domain/errors.ts';
import type { StubAgent } from './stubAgent.ts';
import { counts, facets, isMeant, page } from './stubList.ts';
import { BASE_URL, UIDS, detailOf, makeHistory, type Row } from './stubData.ts';

/** The operations of the pages, answered from the agent's memory. */
export function operationsOf(agent: StubAgent): Omit<Operations, 'openConsole' | keyof typeof SETUP> {
  const unused = async (): Promise<never> => {
    throw new ReceiptdError({ code: 'USAGE', message: 'The console does not ask for this.' });
  };
  return {
    status: async () => agent.overview().status,
    overview: async () => agent.overview(),
    history: async ({ minutes = 60 }) => makeHistory(minutes, Date.now(), agent.slowness),
    documents: async (request) => page(agent.rows, request),
    neighbours: async ({ id, order, ...filter }) => {
      const rows = order === 'oldest' ? agent.rows.toReversed() : agent.rows;
      const at = rows.findIndex(({ documentId }) => documentId === id);
      const isIt = (row: Row) => row.fileId === null && row.documentId !== id && isMeant(row, filter);
      return {
        previous: rows.slice(0, at).findLast(isIt)?.documentId ?? null,
        next: rows.slice(at).find(isIt)?.documentId ?? null,
      };
    },
    facets: async (request) => facets(agent.rows, request),
    countDocuments: async (request) => ({
      count: agent.rows.filter((row) => isMeant(row, request)).length,
      next: null,
    }),
    document: async ({ id, name }) => {
      const row = agent.rows.find((each) => (id === undefined ? each.name === name : each.documentId === id));
      if (row === undefined) {
        throw id === undefined
          ? new ReceiptdError('DOCUMENT_UNKNOWN.name', { name: name ?? '' })
          : new ReceiptdError('DOCUMENT_UNKNOWN.number', { id });
      }
      const results = agent.results.filter(({ document }) => document?.id === row.documentId);
      const detail = detailOf(row);
      const attempts = agent.attempts ?? detail.attempts;
      return { documents: [{ ...detail, attempts, results: [...results] }] };
    },
    ledgerHead: unused,
    fleet: unused,
    pauseAgent: unused,
    retireAgent: unused,
    resumeAgent: unused,
    results: async ({ unmatched = false, before = Infinity, limit = 50 }) => {
      const all = agent.results.filter(({ document }) => !unmatched || document === null);
      const wanted = all.filter(({ id }) => id < before);
      const page = wanted.slice(0, limit).map(withoutPayload);
      return {
        results: page,
        next: wanted.length > limit ? (page.at(-1)?.id ?? null) : null,
        total: all.length,
      };
    },
    result: async ({ id }) => {
      const result = agent.results.find((each) => each.id === id);
      if (result === undefined)
        throw new ReceiptdError({ code: 'USAGE', message: `There is no result ${id}.` });
      return { result };
    },
    resultsPath: unused,
    send: unused,
    alerts: async () => ({
      channels: agent.tested.map(({ channel }) => channel),
      quietUntil: null,
      open: [],
    }),
    testAlerts: async ({ channel }) => ({
      results: agent.tested.filter((each) => channel === undefined || each.channel === channel),
    }),
    mailPassword: async () => ({ where: agent.mailPassword }),
    setMailPassword: async () => {
      agent.mailPassword = 'stored';
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
      const queued = agent.rows.filter(isMeant).length;
      agent.rows = agent.rows.map((row) =>
        isMeant(row) ? { ...row, state: 'queued', message: null, reason: null } : row,
      );
      return { queued, names, next: null };
    },
    seenCounts: async ({ since, until }) => {
      const seen = agent.rows.filter((row) => isMeant(row, { since, until }));
      return {
        counts: counts(seen).map(({ folder, state, needsPerson, count }) => {
          const its = seen.filter((row) => row.folder === folder && row.state === state);
          const newest =
            its
              .map(({ createdAt }) => createdAt)
              .toSorted()
              .at(-1) ?? since;
          return { folder, state, ...(needsPerson && { needsPerson }), count, newest };
        }),
      };
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
    actOnMany: async ({ act, documents = [], files = [], filter }) => {
      const fits = ({ state, needsPerson, dismissedAt, fileId }: Row) =>
        ({
          retry: ['failed', 'unconfirmed', 'lost'].includes(state),
          resend: state === 'accepted' && fileId === null,
          move: state === 'queued',
          dismiss: needsPerson,
          undismiss: dismissedAt !== null,
        })[act];
      const isChosen = (row: Row) =>
        filter === undefined
          ? row.fileId === null
            ? documents.includes(row.documentId ?? -1)
            : files.includes(row.fileId)
          : isMeant(row, filter);
      const meant = agent.rows.filter((row) => fits(row) && isChosen(row));
      const dismissal = { dismissedBy: 'anna', dismissedAt: new Date().toISOString() };
      const after: Readonly<Record<typeof act, Partial<Row>>> = {
        retry: { state: 'queued', needsPerson: false },
        resend: { state: 'queued' },
        move: { state: 'failed', needsPerson: false, ...dismissal },
        dismiss: { needsPerson: false, ...dismissal },
        undismiss: { needsPerson: true, dismissedBy: null, dismissedAt: null },
      };
      agent.rows = agent.rows.map((row) => (meant.includes(row) ? { ...row, ...after[act] } : row));
      const done = {
        documents: meant.filter((row) => row.fileId === null).flatMap((row) => row.documentId ?? []),
        files: meant.flatMap((row) => row.fileId ?? []),
      };
      return { count: meant.length, done, failed: 0, next: null };
    },
    dismiss: async ({ targets = [], undo = false }) => {
      const isMeant = ({ name, path, needsPerson, dismissedAt }: Row) =>
        targets.includes(name ?? path) && (undo ? dismissedAt !== null : needsPerson);
      const dismissed = agent.rows.filter(isMeant).length;
      const now = {
        needsPerson: undo,
        dismissedBy: undo ? null : 'anna',
        dismissedAt: undo ? null : new Date().toISOString(),
      };
      agent.rows = agent.rows.map((row) => (isMeant(row) ? { ...row, ...now } : row));
      return { dismissed, next: null };
    },
    tryHeld: async () => {
      agent.held = 0;
      return {};
    },
    resend: async ({ name, endpoint }) => ({
      name,
      endpointUid: endpoint === 'branch' ? UIDS.branch : UIDS.office,
      outcome: endpoint === 'branch' ? 'duplicate' : 'queued',
    }),
    pause: async ({ target = '' }) => {
      agent.paused.add(target);
      return { targets: [target] };
    },
    resume: async ({ target = '' }) => {
      agent.paused.delete(target);
      return { targets: [target] };
    },
    recordEndpoint: unused,
    erase: unused,
    backup: unused,
    config: async () => agent.config(),
    undoConfig: async () => {
      agent.text = agent.former;
      agent.undo = null;
      return agent.config();
    },
    reload: async () => agent.config(),
    changeConfig: async ({ revision, edits, dryRun }) => {
      if (dryRun) return { ...agent.config(), originals: agent.originals, consequences: agent.consequences };
      if (revision !== agent.revision)
        throw new ReceiptdError({
          code: 'USAGE',
          message: 'The file is another by now.',
          hint: 'Read it again.',
        });
      const document = parseDocument(agent.text);
      for (const edit of edits) {
        if (edit.kind === 'remove') document.deleteIn(edit.path);
        else if (edit.kind === 'set') document.setIn(edit.path, document.createNode(edit.value));
        else document.addIn(edit.path, document.createNode(edit.value));
      }
      const checked = configSchema.safeParse(document.toJS());
      const issue = checked.error?.issues[0];
      if (issue !== undefined) {
        const key = issue.path.join('.');
        const flaw = { is: 'missing', expected: expectedIn([issue]) } as const;
        const problems = [{ key, line: 1, col: 1, flaw }];
        throw new ReceiptdError('CONFIG_INVALID.settings', { file: null, problems });
      }
      agent.former = agent.text;
      agent.text = document.toString();
      agent.undo = {
        at: new Date().toISOString(),
        by: 'console',
        keys: edits.map(({ path }) => path.join('.')),
      };
      return agent.config();
    },
    testFolder: async ({ path, settings }) => {
      const isMissing = path.includes('missing');
      return {
        path,
        findings: isMissing
          ? [
              {
                level: 'warn',
                kind: 'FOLDER_MISSING',
                message: 'It is not there.',
                fact: { is: 'problem', problem: { code: 'FOLDER_MISSING', params: { folder: path } } },
              },
            ]
          : [
              { level: 'ok', message: 'It can be read.', fact: { is: 'readable', count: 1234 } },
              { level: 'warn', message: '2 are not watched.', fact: { is: 'subfolders', count: 2 } },
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
                fact: null,
              },
              {
                file: 'readme.txt',
                would: 'reject',
                name: null,
                why: 'Not an image: it looks like text.',
                fact: null,
              },
            ],
      };
    },
    directories: async ({ path }) => {
      const places = { '/mnt': ['/mnt/new', '/mnt/share'], '/srv/scans': ['/srv/scans/depot'] };
      const inside = path === undefined ? Object.keys(places) : (places[path as keyof typeof places] ?? []);
      const folders = inside.map((each) => ({
        path: each,
        name: path === undefined ? each : each.slice(path.length + 1),
      }));
      return { path: path ?? null, parent: null, folders, isCut: false };
    },
    createEndpoint: async ({ name, alias }) => {
      const document = parseDocument(agent.text);
      if (document.hasIn(['endpoints', alias]))
        throw new ReceiptdError({
          code: 'USAGE',
          message: `There is an endpoint "${alias}" already.`,
          hint: 'Choose another name.',
        });
      const uid = '0c9d1f70-1111-4222-8333-944455556666';
      document.setIn(['endpoints', alias], document.createNode({ uid }));
      agent.text = document.toString();
      return { uid, name, config: agent.config() };
    },
  };
}

function withoutPayload(result: ResultDetailJson): ResultJson {
  const { payload: _, ...rest } = result;
  return rest;
}
