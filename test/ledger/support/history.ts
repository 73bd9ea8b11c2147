import { createHash } from 'node:crypto';
import type {
  AdmitItem,
  BeginAnswer,
  EndItem,
  FolderKey,
  MoveItem,
  NextState,
  NoteItem,
} from '../../../src/core/messages.ts';
import { CHAIN, idOf, holdKeyOf } from '../../../src/ledger/entries.ts';
import type { LedgerCore, Step } from '../../../src/ledger/ledger.ts';

/** Numbers from 0 to 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const ENDPOINTS = ['u1', 'u2', 'u3'].map((uid) => ({ baseUrl: 'https://service.example', uid }));
const ENDPOINT_IDS = ENDPOINTS.map(({ baseUrl, uid }) => idOf(baseUrl, uid));
const FOLDERS = ['/scans/a', '/scans/b', '/scans/ü'];
/** What the two engines would quote, refuse or compare differently. */
const ODD = [
  '',
  'é',
  '"a\\b\t{NULL,c}',
  "'; --",
  'nul \0 here',
  'lone \ud800',
  '😀 zwj \u200d',
  'line\nfeed\u2028',
  ' NULL',
  'İI',
];

/** A ledger merges only where it is moved to. */
type Kind = Exclude<Step[0], 'merge'>;
type Maker = (history: History) => Step | Promise<Step>;

/**
 * A random history from a seed, one transaction after another. It knows only what the ledger that leads it answered, whose numbers are relative to its
 * chain, so the same transactions can be run on another one.
 */
export class History {
  readonly #next: () => number;
  readonly #core: LedgerCore;
  readonly folders: readonly FolderKey[];
  now = 1_700_000_000_000;
  readonly documents = new Set<number>();
  readonly splits = new Set<number>();
  underWay: { readonly attempt: number; readonly document: number }[] = [];

  /** @param core the ledger that leads: its ids are those of its entries */
  /** @param owner of the folders; '' in a ledger with one agent */
  constructor(seed: number, core: LedgerCore, owner = 'agent:one') {
    this.#next = random(seed);
    this.#core = core;
    this.folders = FOLDERS.map((path) => ({ owner, path }));
  }

  /** The steps of the next transaction. */
  async steps(): Promise<readonly Step[]> {
    this.now += this.below(20_000);
    const kinds = this.chance(0.25) ? (['end', 'admit', 'begin'] as const) : [this.pick(KINDS)];
    const steps: Step[] = [];
    for (const kind of kinds) steps.push(await MAKERS[kind](this));
    return steps.filter(([, items]) => items.length > 0);
  }

  learn(steps: readonly Step[], answers: readonly (readonly unknown[])[]): void {
    for (const [s, [name, items]] of steps.entries()) {
      if (name === 'recover') this.underWay = [];
      for (const [i, item] of (items as readonly object[]).entries()) {
        const answer = answers[s]?.[i] as { document?: number; split?: number | null } & Partial<BeginAnswer>;
        if (typeof answer.document === 'number') this.documents.add(answer.document);
        if (typeof answer.split === 'number') this.splits.add(answer.split);
        if (answer.kind === 'begun' && answer.attempt !== undefined)
          this.underWay.push({ attempt: answer.attempt, document: (item as { document: number }).document });
        if (name === 'end') {
          const { attempt, next } = item as EndItem;
          if (next !== null) this.underWay = this.underWay.filter((each) => each.attempt !== attempt);
        }
      }
    }
  }

  below(n: number): number {
    return Math.floor(this.#next() * n);
  }
  chance(p: number): boolean {
    return this.#next() < p;
  }
  pick<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }
  some<T>(make: () => T, most = 10): T[] {
    return Array.from({ length: 1 + this.below(most) }, make);
  }
  share(p: number): number[] {
    return [...this.documents].filter(() => this.chance(p));
  }
  /** Rows of the ledger that leads, in an order of its own. */
  async rows<Row>(text: string): Promise<readonly Row[]> {
    return this.#core.engine.reader.each<Row>(text, null);
  }

  file(n = this.below(300)) {
    return {
      folder: this.folders[n % 3] as FolderKey,
      path: `${n % 5 === 0 ? 'sub/dir/' : ''}scan ${ODD[n % ODD.length]}${n}.png`,
      size: 100 + (n % 2),
      identity: `${this.below(3)}`,
      at: this.now,
    };
  }

  image(): AdmitItem {
    const content = this.below(200);
    const odd = ODD[content % ODD.length] ?? '';
    const name = content % 4 === 0 ? `same-${content % 12}` : `name-${odd}${content}`;
    const hash = sha(`image ${content}`);
    const page = this.splits.size > 0 && this.chance(0.1) ? this.pick([...this.splits]) : undefined;
    const numbered = {
      parts: [{ text: 'no-', kept: true, size: 3 }, { width: 3 }],
      hash,
      maxBytes: 200,
    };
    return {
      ...this.file(),
      ...(page !== undefined && { page, path: `pages/${content}.png` }),
      endpoint: ENDPOINTS[content % 3] as AdmitItem['endpoint'],
      sha256: hash,
      type: 'png',
      priority: this.below(2),
      naming:
        content % 60 === 1 ? ['taken'] : content % 7 === 0 ? numbered : [name, `${name}-${hash.slice(0, 8)}`],
      ...(this.chance(0.2) && { reason: 'BLURRED', message: this.pick(ODD) }),
      ...(this.chance(0.05) && { isElsewhere: true }),
    };
  }
}

function note(history: History): NoteItem {
  const verdict = history.pick(['rejected', 'skipped', 'incomplete', 'unreadable'] as const);
  return {
    ...history.file(),
    verdict,
    sha256: verdict === 'unreadable' ? null : sha(`image ${history.below(200)}`),
    policy: history.chance(0.3) ? 'accept: png' : null,
    reason: history.pick(['NOT_AN_IMAGE', 'TOO_LARGE']),
    message: history.pick(ODD),
    ...(history.chance(0.2) && { unlessSent: true }),
  };
}

/** How requests end, by what the service answers. */
const ENDS: readonly ((now: number) => Omit<EndItem, 'attempt' | 'document' | 'at'>)[] = [
  () => of('accepted', 200, { state: 'accepted', status: 'RECEIVED', response: '{"name":"x \ud83d"}' }),
  () => of('accepted', 200, { state: 'accepted', status: 'DONE' }),
  () => of('refused', 422, { state: 'failed', reason: 'REFUSED', message: 'unreadable \0' }),
  (now) => of('limited', 429, { state: 'queued', due: now + 5_000.5, reason: 'LIMITED' }),
  (now) => of('trouble', 503, { state: 'queued', due: now + 1_000, reason: 'SERVICE', isOdd: true }),
  (now) => of('unknown', null, { state: 'queued', due: now, reason: 'NO_ANSWER', answerLost: true }),
  () => of('refused', 409, { state: 'unconfirmed', reason: 'CONFLICT', answerLost: true }),
  (now) => of('notSent', null, { state: 'queued', due: now, reason: 'NOT_SENT' }),
  () => of('refused', 401, null),
];

function of(outcome: EndItem['outcome'], http: number | null, next: NextState | null) {
  return { outcome, http, message: next === null ? 'Unauthorized' : null, next };
}

const MOVES: readonly ((at: number, history: History) => MoveItem)[] = [
  (at, h) => ({ move: 'retry', documents: h.share(0.1), at }),
  (at, h) => ({ move: 'resend', documents: h.share(0.03), at }),
  (at, h) => ({
    move: 'postpone',
    documents: h.share(0.05),
    due: at + 60_000.2,
    reason: 'PARKED',
    message: h.pick(ODD),
    at,
  }),
  (at, h) => ({ move: 'lose', documents: h.share(0.03), message: 'gone', filesBefore: null, at }),
  (at, h) => ({ move: 'lose', documents: h.share(0.03), message: 'gone', filesBefore: h.below(4), at }),
];

const MAKERS: { readonly [Name in Kind]: Maker } = {
  admit: (h) => ['admit', h.some(() => h.image())],
  copy: (h) => [
    'copy',
    h.share(0.03).map((document) => ({
      document,
      endpoint: h.pick(ENDPOINTS),
      by: h.chance(0.5) ? 'me' : null,
      at: h.now,
    })),
  ],
  note: (h) => ['note', h.some(() => note(h), 6)],
  gone: (h) => [
    'gone',
    h.some(() => {
      const { folder, path, at } = h.file();
      return { folder, paths: [path, h.file().path], at };
    }, 4),
  ],
  folder: (h) => [
    'folder',
    [
      h.pick([
        { change: 'watched' },
        { change: 'placed', mark: `fs ${h.below(2)}` },
        {
          change: 'originals',
          rule: `archive ${h.below(3)}`,
          existing: h.pick(['leave', 'include', 'new'] as const),
        },
      ] as const),
    ].map((change) => ({ ...change, folder: h.pick(h.folders), at: h.now })),
  ],
  split: (h) => [
    'split',
    h.some(() => ({ ...h.file(), endpoint: h.pick(ENDPOINTS), sha256: sha(`pdf ${h.below(20)}`) }), 2),
  ],
  endSplit: (h) => [
    'endSplit',
    [...h.splits]
      .filter(() => h.chance(0.4))
      .map((split) => ({
        split,
        pages: h.below(5),
        reason: h.chance(0.3) ? 'TOO_MANY_PAGES' : null,
        message: null,
        policy: null,
        at: h.now,
      })),
  ],
  async dispose(h) {
    const rows = await h.rows<{ readonly id: number; readonly disposing: string | null }>(
      `SELECT f.id, f.disposing FROM files f JOIN documents d ON d.id = f.document_id
        WHERE d.state = 'accepted' AND f.gone_at IS NULL AND f.disposed IS NULL ORDER BY f.id LIMIT 20`,
    );
    return [
      'dispose',
      rows
        .filter(() => h.chance(0.5))
        .map(({ id: file, disposing }) =>
          disposing === null
            ? ({ file, step: 'begin', how: 'archived', at: h.now } as const)
            : h.pick([
                { file, step: 'cancel', at: h.now },
                { file, step: 'done', how: 'archived', archivedTo: `/archive/${h.pick(ODD)}`, at: h.now },
                { file, step: 'keep', seen: { size: 100, identity: '0' }, at: h.now },
              ] as const),
        ),
    ];
  },
  async begin(h) {
    const endpoint = ENDPOINT_IDS[h.below(3)];
    const rows = await h.rows<{ readonly id: number }>(
      `SELECT id FROM documents WHERE state = 'queued' AND due <= ${h.now} AND endpoint_id = ${endpoint} ORDER BY priority, due, id LIMIT 12`,
    );
    const limit = h.chance(0.5) ? { count: 6, windowMs: 30_000 } : undefined;
    const again = h.underWay.filter(() => h.chance(0.1));
    return [
      'begin',
      [...rows.filter(() => h.chance(0.7)), ...again.map(({ document: id }) => ({ id }))].map(
        ({ id: document }) => ({
          document,
          bytes: 10,
          at: h.now,
          limit,
        }),
      ),
    ];
  },
  end: (h) => [
    'end',
    h.underWay
      .filter(() => h.chance(0.6))
      .map((request) => ({
        ...request,
        at: h.now,
        ...h.pick(ENDS)(h.now),
        ...(h.chance(0.2) && {
          requeue: {
            documents: h.share(0.1),
            reason: 'ENDPOINT_HELD',
            message: 'many refusals',
            due: h.now + 60_000,
          },
        }),
      })),
  ],
  move: (h) => ['move', h.some(() => h.pick(MOVES)(h.now, h), 3)],
  retire: (h) => ['retire', [{ base: 5 * CHAIN, results: [], at: h.now }]],
  position: () => ['position', [{}]],
  recover: (h) => ['recover', h.chance(0.2) ? [{ at: h.now }] : []],
  async result(h) {
    const rows = await h.rows<{ readonly name: string; readonly endpoint_id: number }>(
      'SELECT name, endpoint_id FROM documents ORDER BY id DESC LIMIT 40',
    );
    return [
      'result',
      h.some(() => {
        const row = h.chance(0.8) && rows.length > 0 ? h.pick(rows) : null;
        const payload = JSON.stringify({ total: h.below(3), text: h.pick(ODD) });
        return {
          baseUrl: 'https://service.example',
          uid: h.chance(0.7) ? (ENDPOINTS[ENDPOINT_IDS.indexOf(row?.endpoint_id ?? 0)]?.uid ?? 'none') : null,
          name: row?.name ?? h.pick([null, 'unknown', 'odd \0']),
          status: h.pick(['DONE', 'REVIEW', null]),
          encoding: 'utf8' as const,
          sha256: sha(payload),
          size: payload.length,
          payload,
          at: h.now,
        };
      }, 4),
    ];
  },
  hold: (h) => [
    'hold',
    h.some(() => {
      const [scope, key] = h.pick([
        ['endpoint', String(ENDPOINT_IDS[2])],
        ['folder', holdKeyOf(h.folders[0] as FolderKey)],
        ['service', 'https://elsewhere.example'],
      ] as const);
      const until = h.chance(0.5) ? h.now + 1_000.5 : null;
      return {
        scope,
        key,
        hold: h.chance(0.5) ? { reason: 'R', message: h.pick(ODD), until, demandedUntil: null } : null,
        isPause: h.chance(0.3),
        at: h.now,
        ...(h.chance(0.3) && { sharedMs: 5_000 }),
      };
    }, 2),
  ],
  dismiss: (h) => [
    'dismiss',
    [{ documents: h.share(0.1), files: [h.below(200)], isUndo: h.chance(0.3), by: 'me', at: h.now }],
  ],
  record: (h) => [
    'record',
    [
      h.pick([
        { record: 'act', act: 'retry', by: 'me', detail: h.pick(ODD), at: h.now },
        { record: 'endpoint', endpoint: h.pick(ENDPOINTS), name: 'Office', verbatim: '{"a":1}', at: h.now },
      ] as const),
    ],
  ],
  erase: (h) => ['erase', h.chance(0.5) ? [{ documents: h.share(0.1), at: h.now }] : []],
};

const KINDS: readonly Kind[] = [
  'admit',
  'admit',
  'admit',
  'begin',
  'begin',
  'begin',
  'end',
  'end',
  'end',
  'move',
  'move',
  'result',
  'dispose',
  'dispose',
  'note',
  'copy',
  'gone',
  'folder',
  'split',
  'endSplit',
  'recover',
  'position',
  'retire',
  'hold',
  'dismiss',
  'record',
  'erase',
];
