import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isEveryCase } from '../support/everyCase.ts';
import type { Event, EventOf, FolderRule, Settings } from './evidence.ts';
import { judge, RULES } from './oracle.ts';

const [UID, FOLDER, ARCHIVE, SECRET] = ['office', '/scans', '/kept', 'hush'];
/** Local times. */
const MORNING = new Date(2026, 0, 31, 9, 30).getTime();
const TOMORROW = new Date(2026, 1, 1).getTime();
const RULE: FolderRule = {
  path: FOLDER,
  uid: UID,
  afterUpload: 'keep',
  archive: ARCHIVE,
  shortMs: 200,
  longMs: 1_000,
  qualityCheck: 'hold',
};
const SETTINGS: Settings = {
  folders: [RULE],
  overall: { concurrency: 2, rate: { count: 10, intervalMs: 1_000 }, perDay: 50 },
  recordedMs: 1_000,
  tellsStored: true,
};

interface Office {
  readonly afterUpload: FolderRule['afterUpload'];
  /** For each image: how many answers are lost before one arrives. */
  readonly lost: readonly number[];
}

/** A history in which every promise is kept. */
function sound({ afterUpload, lost }: Office): Event[] {
  let [at, seq, id] = [0, 0, 0];
  const events: Event[] = [];
  const add = (...more: Event[]): void => void events.push(...more);
  const entry = (kind: string, facts: object, personal: object | null = null): number => {
    seq += 1;
    at += 1;
    const own = { facts: { ...facts }, personal: personal && { ...personal } };
    add({
      kind: 'entry',
      at,
      entry: { seq, kind, at: MORNING + at, ...own },
    });
    return seq;
  };
  add({ kind: 'settings', settings: { ...SETTINGS, folders: [{ ...RULE, afterUpload }] } });
  add({ kind: 'secret', secret: SECRET }, { kind: 'clock', at, wall: MORNING });
  entry('begun', { ledger: 'l', because: 'new' });
  entry('endpoint', { endpoint: 7, baseUrl: 'b', uid: UID });
  entry('folder', { folder: 8, owner: 'a', place: FOLDER });
  const files = new Map<string, string>();
  const rows = [];
  const stored = [];
  for (const [index, times] of lost.entries()) {
    const number = index + 1;
    const [name, path, sha256] = [`n${number}`, `${number}.jpg`, String(number).repeat(64)];
    add({ kind: 'content', at, content: { sha256, is: 'image', size: 9, look: 'good', paper: name } });
    add({ kind: 'file', at, folder: FOLDER, path, sha256, size: 9 });
    add({ kind: 'scanned', folder: FOLDER, path, sha256 });
    at += 500;
    const document = entry('admitted', { endpoint: 7, name, sha256, folder: 8, size: 9 }, { path });
    add({ kind: 'copied', sha256, size: 9 });
    for (let time = 0; time <= times; time += 1) {
      const isLost = time < times;
      const attempt = entry('began', { document, bytes: 9 });
      at += 200;
      add({ kind: 'request', request: { id, uid: UID, name, sha256, askedAt: at, at, life: 1 } });
      add({ kind: 'stored', id });
      at += 10;
      const status = isLost ? null : 200;
      add({ kind: 'answer', id, at, answer: { status, isRecord: !isLost, reached: true } });
      const outcome = isLost ? 'unknown' : 'accepted';
      const moved = isLost ? { state: 'queued', answerLost: true } : { state: 'accepted', status: 'DONE' };
      entry('ended', { attempt, document, outcome, ...moved });
      id += 1;
      at += 2_000;
    }
    entry('result', { document, status: 'DONE' });
    add({ kind: 'result', uid: UID, name, status: 'DONE' });
    add({ kind: 'givesUp', sha256 }, { kind: 'dropped', sha256 });
    add({ kind: 'due', uid: UID, sha256, what: name });
    const how = afterUpload === 'archive' ? 'archived' : 'deleted';
    const archivedTo = afterUpload === 'archive' ? `${ARCHIVE}/${path}` : null;
    if (afterUpload === 'keep') files.set(`${FOLDER}/${path}`, sha256);
    else {
      entry('disposing', { file: document, how });
      add({ kind: 'disposal', folder: FOLDER, path, sha256, how });
      add({ kind: 'file', at, folder: FOLDER, path, sha256: null });
      entry('disposed', { file: document, how }, archivedTo === null ? null : { archivedTo });
      if (archivedTo !== null) files.set(archivedTo, sha256);
    }
    const place = { path: `${FOLDER}/${path}`, archivedTo, createdAt: '2026-01-31T12:00:00Z' };
    const answerLost = times > 0;
    rows.push({
      name,
      endpointUid: UID,
      sha256,
      state: 'accepted',
      reason: null,
      answerLost,
      attempts: times + 1,
      ...place,
    });
    stored.push({ uid: UID, name, sha256, actual: sha256, tries: times + 1 });
    add({ kind: 'image', uid: UID, sha256, knownAs: null });
  }
  add({ kind: 'text', where: 'the log', text: 'Accepted' }, { kind: 'journal', where: 'it', problem: null });
  add({ kind: 'listing', where: 'at the end', files });
  const process = { run: 'the run', command: 'daemon', status: 0, signal: null, output: '' } as const;
  add({ kind: 'ended', ended: { ...process, wasKilled: false } });
  const fine = { status: 0, text: '' };
  const stateFiles = ['ledger.db', 'ledger.journal'];
  add({ kind: 'end', end: { rows, stored, audit: fine, verify: fine, stateFiles, mostAtOnce: 1 } });
  return events;
}

type Break = (history: Event[]) => Event[];

/** Changes events of a kind; the first one only, unless told otherwise. */
function change<K extends Event['kind']>(
  kind: K,
  to: (event: EventOf<K>) => Partial<EventOf<K>>,
  { every = false } = {},
): Break {
  return (history) => {
    let isDone = false;
    return history.map((event) => {
      if (event.kind !== kind || (isDone && !every)) return event;
      isDone = true;
      return { ...event, ...to(event as EventOf<K>) };
    });
  };
}

/** Changes the facts of the first entry of a kind that has these. */
function entry(kind: string, has: object, facts: Readonly<Record<string, unknown>>): Break {
  return (history) => {
    let isDone = false;
    return history.map((event) => {
      if (event.kind !== 'entry' || isDone || event.entry.kind !== kind) return event;
      if (!Object.entries(has).every(([key, value]) => event.entry.facts[key] === value)) return event;
      isDone = true;
      return { ...event, entry: { ...event.entry, facts: { ...event.entry.facts, ...facts } } };
    });
  };
}

const without =
  (is: (event: Event) => boolean): Break =>
  (history) =>
    history.filter((event) => !is(event));

const isEntry = (event: Event, kind: string): boolean => event.kind === 'entry' && event.entry.kind === kind;

/** Inserts events behind the last one of that kind. */
const behind =
  (is: (event: Event) => boolean, ...more: Event[]): Break =>
  (history) =>
    history.toSpliced(history.findLastIndex(is) + 1, 0, ...more);

const ends = (more: EventOf<'end'>['end']): Break =>
  change('end', ({ end }) => ({ end: { ...end, ...more } }));

const [A, B] = ['1'.repeat(64), 'b'.repeat(64)];
const AFTER_ALL = (event: Event): boolean => event.kind === 'text';
const LATE = 1e6;

function request(id: number, more: object = {}): EventOf<'request'> {
  const own = { id, uid: UID, name: 'n1', sha256: A, askedAt: LATE, at: LATE, life: 1, ...more };
  return { kind: 'request', request: own };
}

function answer(id: number, status: number, more: object = {}): Event {
  return { kind: 'answer', id, at: LATE, answer: { status, isRecord: false, reached: true, ...more } };
}

const status = (more: Partial<EventOf<'status'>['status']>): Event => ({
  kind: 'status',
  at: LATE,
  status: { inFlight: 0, spoolUsed: 0, spent: [], ...more },
});

/** The entry with which the first document is admitted. */
const FIRST = 4;

const seen = (seq: number, facts: Readonly<Record<string, unknown>>): Event => ({
  kind: 'entry',
  at: LATE,
  entry: { seq, kind: 'file', facts, personal: { path: 'pages.pdf' } },
});
const SPLIT = { verdict: 'split', sha256: B, folder: 8, pages: 1 };

/** At least one for each rule: one thing that is wrong, whatever else follows from it. */
const BREAKS: Readonly<Record<string, Break | readonly Break[]>> = {
  'named at rest': change('file', () => ({ at: 490 })),
  'only complete images are sent': [
    change('content', ({ content }) => ({ content: { ...content, is: 'torn' } })),
    change('end', ({ end }) => ({
      end: { ...end, stored: end.stored!.map((each) => ({ ...each, actual: B })) },
    })),
    change('image', () => ({ sha256: B }), { every: true }),
  ],
  'accepted means stored': ends({ stored: [] }),
  'accepted means that the service said so': change(
    'answer',
    (event) => ({
      answer: { ...event.answer, status: event.answer.status === 200 ? 202 : null },
    }),
    { every: true },
  ),
  'lost only if nothing was left': [
    entry('ended', { state: 'accepted' }, { state: 'lost' }),
    change('end', ({ end }) => ({
      end: { ...end, rows: end.rows!.map((row) => ({ ...row, state: 'lost' })) },
    })),
  ],
  'every image becomes a document': [
    behind(
      AFTER_ALL,
      { kind: 'content', at: LATE, content: { sha256: B, is: 'image' } },
      { kind: 'file', at: LATE, folder: FOLDER, path: 'x.jpg', sha256: B },
    ),
    ends({ rows: [] }),
  ],
  'every file has its verdict': [
    behind(
      AFTER_ALL,
      { kind: 'content', at: LATE, content: { sha256: B, is: 'junk' } },
      { kind: 'file', at: LATE, folder: FOLDER, path: 'x.jpg', sha256: B },
    ),
    change('end', ({ end }) => ({
      end: { ...end, rows: [...end.rows!, { ...end.rows![0]!, state: 'duplicate', name: 'x' }] },
    })),
  ],
  'nothing waits for ever': change('end', ({ end }) => ({
    end: { ...end, rows: end.rows!.map((row) => ({ ...row, state: 'queued' })) },
  })),
  'unconfirmed only after a refusal': entry('ended', { state: 'accepted' }, { state: 'unconfirmed' }),
  'results are kept': without((event) => isEntry(event, 'result')),
  'copies stay while they are needed': (history) =>
    history.toSpliced(history.findIndex(({ kind }) => kind === 'copied') + 1, 0, {
      kind: 'givesUp',
      sha256: A,
    }),
  'images that look wrong are held back, and no others': change('content', ({ content }) => ({
    content: { ...content, look: 'blank' },
  })),
  'a split file ends with all its pages': behind(
    AFTER_ALL,
    {
      kind: 'content',
      at: LATE,
      content: { sha256: B, is: 'file', pages: [{ isDamaged: false, look: 'good' }] },
    },
    seen(998, { ...SPLIT, into: 7 }),
    seen(999, { ...SPLIT, again: 998 }),
  ),
  'the books are sound': [
    change('journal', () => ({ problem: 'entry 3 does not follow entry 1' })),
    ends({ verify: { status: 3, text: '' } }),
    ends({ audit: { status: 3, text: '' } }),
    behind(AFTER_ALL, { kind: 'restarted', where: 'then', isShorter: false }),
    entry('ended', { state: 'accepted' }, { state: 'queued' }),
  ],
  'nothing is left over': [
    ends({ stateFiles: [`spool/aa/.${A}.new`] }),
    ends({ stateFiles: [`spool/11/${A}`] }),
    ends({ stateFiles: ['ledger.db.aside-1'] }),
    ends({ left: ['a lock'] }),
  ],
  'processes end as they should': [
    change('ended', ({ ended }) => ({ ended: { ...ended, status: 1 } })),
    change('ended', ({ ended }) => ({
      ended: { ...ended, output: 'Error\n    at commit (store.js:1:2)\n' },
    })),
    change('ended', ({ ended }) => ({ ended: { ...ended, command: 'once', status: 3 } })),
    behind(AFTER_ALL, { kind: 'stuck', what: 'no event is left' }),
  ],
  'one image, one name': [
    behind(AFTER_ALL, request(900, { name: 'other' })),
    change('end', ({ end }) => ({
      end: { ...end, stored: [...end.stored!, { ...end.stored![0]!, name: 'n-2' }] },
    })),
    entry('admitted', { name: 'n1' }, { name: 'twin' }),
  ],
  'named before it is sent': (history) => history.toSpliced(4, 0, request(901, { at: 0, askedAt: 0 })),
  'sent with its own bytes': change('request', (event) => ({ request: { ...event.request, sha256: B } })),
  'not sent again after its acceptance': [
    behind(AFTER_ALL, request(902)),
    behind(AFTER_ALL, {
      kind: 'entry',
      at: LATE,
      entry: { seq: 999, kind: 'began', facts: { document: FIRST }, personal: null },
    }),
  ],
  'sent again only after a lost answer, and marked': change('end', ({ end }) => ({
    end: { ...end, stored: end.stored!.map((each) => ({ ...each, tries: each.tries + 3 })) },
  })),
  'taken away only as configured, and once accepted': (history) =>
    history.toSpliced(history.findIndex((event) => isEntry(event, 'admitted')) + 1, 0, {
      kind: 'disposal',
      folder: FOLDER,
      path: '1.jpg',
      sha256: A,
      how: 'deleted',
    }),
  'announced before it is taken away': behind(AFTER_ALL, {
    kind: 'disposal',
    folder: FOLDER,
    path: '1.jpg',
    sha256: A,
    how: 'deleted',
  }),
  'in place, unchanged, or in the archive': [
    behind(AFTER_ALL, { kind: 'file', at: LATE, folder: FOLDER, path: 'y.jpg', sha256: B }),
    change('listing', ({ files }) => ({ files: new Map([...files, [`${FOLDER}/z.jpg`, A]]) })),
    change('listing', ({ files }) => ({ files: new Map([...files, [`${ARCHIVE}/z.jpg`, B]]) })),
  ],
  'archived or deleted in the end, and nothing left aside': (history) =>
    behind(AFTER_ALL, { kind: 'file', at: LATE, folder: FOLDER, path: '.aside-1/1.jpg', sha256: B })(
      change('listing', ({ files }) => ({ files: new Map([...files, [`${FOLDER}/.aside-1/1.jpg`, B]]) }))(
        history,
      ),
    ),
  'a good image passes beside trouble': behind(AFTER_ALL, {
    kind: 'due',
    uid: UID,
    sha256: B,
    what: 'a good one',
  }),
  'failed only by a verdict': [
    entry('ended', { state: 'accepted' }, { state: 'failed' }),
    change('end', ({ end }) => ({
      end: { ...end, rows: end.rows!.map((row) => ({ ...row, state: 'failed' })) },
    })),
  ],
  'no secret is written down or shown': [
    change('text', () => ({ text: `Bearer ${SECRET}` })),
    entry('admitted', {}, { type: SECRET }),
    change('ended', ({ ended }) => ({ ended: { ...ended, output: SECRET } })),
  ],
  'recorded before it is sent': [
    without((event) => isEntry(event, 'began')),
    change('end', ({ end }) => ({
      end: { ...end, rows: end.rows!.map((row) => ({ ...row, attempts: 0 })) },
    })),
  ],
  concurrency: [ends({ mostAtOnce: 9 }), behind(AFTER_ALL, request(903), request(904), request(905))],
  rate: behind(AFTER_ALL, ...Array.from({ length: 11 }, (_, n) => request(910 + n, { at: LATE + n }))),
  budgets: [
    behind(AFTER_ALL, ...Array.from({ length: 51 }, (_, n) => request(930 + n, { at: LATE + n * 1_000 }))),
    behind(AFTER_ALL, status({ spent: [{ uid: null, period: 'day', until: TOMORROW }] })),
    behind(AFTER_ALL, status({ spent: [{ uid: null, period: 'day', until: TOMORROW - 1 }] })),
  ],
  'what was taken is given back': [
    behind(AFTER_ALL, status({ inFlight: 1 })),
    behind(AFTER_ALL, status({ spoolUsed: 9 })),
    behind(AFTER_ALL, { kind: 'copied', sha256: A, size: 9 }),
    change('end', ({ end }) => ({
      end: { ...end, rows: end.rows!.map((row) => ({ ...row, state: 'uploading' })) },
    })),
  ],
  'Retry-After is heeded': behind(
    AFTER_ALL,
    request(990),
    answer(990, 429, { retryAfterMs: 60_000 }),
    request(991, { askedAt: LATE + 5_000, at: LATE + 5_000 }),
  ),
  'one probe at a time': behind(
    AFTER_ALL,
    request(992, { name: 'new', sha256: null }),
    answer(992, 403),
    request(993, { askedAt: LATE + 2_000, at: LATE + 2_000 }),
    request(994, { askedAt: LATE + 2_000, at: LATE + 2_001 }),
  ),
};

const offices: fc.Arbitrary<Office> = fc.record({
  afterUpload: fc.constantFrom('keep' as const, 'archive' as const, 'delete' as const),
  lost: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 }),
});

it('finds nothing in a history in which every promise was kept', () => {
  fc.assert(
    fc.property(offices, (office) => {
      expect(judge(sound(office))).toEqual([]);
    }),
  );
});

it.each(RULES.map(({ rule }) => rule))('names the rule that is broken: %s', (rule) => {
  const breaks = BREAKS[rule];
  expect(breaks, 'a break of this rule').toBeDefined();
  for (const broken of typeof breaks === 'function' ? [breaks] : (breaks ?? []))
    fc.assert(
      fc.property(offices, (office) => {
        const history = sound(office);
        expect(judge(broken(history)).map((breach) => breach.rule)).toContain(rule);
      }),
      { numRuns: isEveryCase ? 20 : 4 },
    );
});

it('promises.md names every rule below its promise, and files that exist', () => {
  const root = join(import.meta.dirname, '../..');
  const text = readFileSync(join(root, 'test/reliability/promises.md'), 'utf8');
  const sections = text.split(/^## (?=P\d)/m).slice(1);
  const named = sections.flatMap((section) =>
    [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, rule = '']) => `${section.slice(0, 2)} ${rule}`),
  );
  expect(named.sort()).toEqual(RULES.map(({ promise, rule }) => `${promise} ${rule}`).sort());
  for (const [, file = ''] of text.matchAll(/`(test\/[^`{]+)`/g))
    expect(existsSync(join(root, file)), file).toBe(true);
});

it('reads the rows of a snapshot as the entries that made them', () => {
  const at = MORNING;
  const document = { id: 4, endpoint_id: 7, folder_id: 8, name: 'n1', sha256: A };
  const file = { id: 4, folder_id: 8, verdict: 'document', document_id: 4 };
  const rows: readonly (readonly [table: string, row: object, own?: object])[] = [
    ['endpoints', { id: 7, base_url: 'b', uid: UID, seq: 0 }],
    ['folders', { id: 8, owner: 'a', path: FOLDER }],
    ['documents', { ...document, state: 'accepted' }, { path: '1.jpg' }],
    ['files', file, { dir: '', name: '1.jpg' }],
    ['attempts', { id: 5, document_id: 4, began_at: at, ended_at: at, outcome: 'unknown' }],
    ['attempts', { id: 7, document_id: 4, began_at: at, ended_at: at, outcome: 'accepted' }],
    ['results', { id: 9, document_id: 4, status: 'DONE' }],
  ];
  const snapshot: Event[] = rows.map(([table, row, own], index) => ({
    kind: 'entry',
    at: LATE,
    entry: {
      seq: 100 + index,
      kind: 'row',
      facts: { table, row },
      personal: own === undefined ? null : { own },
    },
  }));
  const again: Event = { kind: 'restarted', where: 'then', isShorter: false };
  const history = sound({ afterUpload: 'keep', lost: [1] }).map((event) =>
    event.kind === 'settings' ? { ...event, settings: { ...event.settings, journalWasLost: true } } : event,
  );
  const judged = (entries: readonly Event[]): readonly string[] =>
    judge(behind(AFTER_ALL, again, ...entries)(history)).map(({ what }) => what);
  expect(judged(snapshot)).toEqual([]);
  for (const left of ['documents', 'files', 'attempts', 'results'])
    expect(judged(snapshot.filter((_, index) => rows[index]?.[0] !== left))).not.toEqual([]);
});

const LOST = { state: 'lost', reason: 'GONE' };

it('accepts a loss that was unavoidable, and no other', () => {
  const isOther = ({ kind }: Event): boolean =>
    ['request', 'stored', 'answer', 'result', 'due', 'copied', 'givesUp', 'dropped'].includes(kind);
  const history = sound({ afterUpload: 'keep', lost: [0] })
    .filter((event) => !isOther(event) && !['began', 'result'].some((kind) => isEntry(event, kind)))
    .map((event) =>
      event.kind === 'entry' && isEntry(event, 'ended')
        ? { ...event, entry: { ...event.entry, kind: 'moved', facts: { documents: [FIRST], ...LOST } } }
        : event,
    );
  const gone = behind((event) => isEntry(event, 'admitted'), {
    kind: 'file',
    at: 600,
    folder: FOLDER,
    path: '1.jpg',
    sha256: null,
  });
  const ending = change('end', ({ end }) => ({
    end: { ...end, stored: [], rows: end.rows!.map((row) => ({ ...row, state: 'lost', attempts: 0 })) },
  }));
  const lost = (knownAs: 'named' | 'copied'): readonly string[] =>
    judge(
      change('listing', () => ({ files: new Map() }))(
        change('image', () => ({ knownAs }))(ending(gone(history))),
      ),
    ).map(({ rule }) => rule);
  expect(lost('named')).toEqual([]);
  expect(lost('copied')).toEqual(['lost only if nothing was left']);
});

/** Requests at these local times, each recorded a second before, with a budget of two a day; nothing else happens. */
function requestsAt(...times: readonly number[]): Event[] {
  const settings = { ...SETTINGS, overall: { perDay: 2 } };
  return times.flatMap((at, id): Event[] => [
    ...(id === 0
      ? ([
          { kind: 'settings', settings },
          { kind: 'clock', at, wall: at },
        ] as const)
      : []),
    request(id, { name: `n${id}`, sha256: null, at, askedAt: at }),
  ]);
}

it('judges the requests of each local day by its own budget', () => {
  const exceeds = (history: readonly Event[]): boolean =>
    judge(history).some(({ rule }) => rule === 'budgets');
  const evening = TOMORROW - 2_000;
  expect(exceeds(requestsAt(evening, evening + 1_000, TOMORROW, TOMORROW + 1))).toBe(false);
  expect(exceeds(requestsAt(evening, TOMORROW, TOMORROW + 1, TOMORROW + 2))).toBe(true);
  // A request that arrives at midnight may have been sent before it.
  const slowly = requestsAt(evening, TOMORROW, TOMORROW + 1_000, TOMORROW + 2_000).map((event) =>
    event.kind === 'settings' ? { ...event, settings: { ...event.settings, leewayMs: 100 } } : event,
  );
  expect(exceeds(slowly)).toBe(false);
});

it('excuses a document that waits for a spent budget until the next local day', () => {
  const entryAt = (seq: number, at: number, kind: string, facts: object): Event => ({
    kind: 'entry',
    at,
    entry: { seq, kind, at, facts: { ...facts }, personal: null },
  });
  const waits = (now: number, perDay: number): readonly string[] =>
    judge([
      { kind: 'settings', settings: { folders: [RULE], overall: { perDay } } },
      { kind: 'clock', at: MORNING, wall: MORNING },
      { kind: 'file', at: MORNING - 5_000, folder: FOLDER, path: '1.jpg', sha256: A },
      entryAt(1, MORNING, 'endpoint', { endpoint: 7, uid: UID }),
      entryAt(2, MORNING, 'folder', { folder: 8, place: FOLDER }),
      entryAt(3, MORNING, 'admitted', { endpoint: 7, name: 'n1', sha256: A, folder: 8 }),
      entryAt(4, MORNING + 1, 'began', { document: 3 }),
      entryAt(5, MORNING + 2, 'ended', { attempt: 4, document: 3, outcome: 'unknown', state: 'queued' }),
      entryAt(6, now, 'other', {}),
    ]).flatMap(({ rule }) => (rule === 'nothing waits for ever' ? rule : []));
  expect(waits(TOMORROW - 1, 1)).toEqual([]);
  expect(waits(TOMORROW - 1, 2)).toEqual(['nothing waits for ever']);
  expect(waits(TOMORROW, 1)).toEqual(['nothing waits for ever']);
});
