/** P1: every image that came to rest ends as exactly one of the permitted states. */
import { isRefusal } from './answers.ts';
import { isBudgetSpent } from './budgets.ts';
import type { Content, KnownAs } from './evidence.ts';
import type { FileVersion, KnownDocument } from './journal.ts';
import { fatesOf, isHeld, isKept, looksOdd, pagesWithout, type Fate } from './looks.ts';
import type { Rule } from './rule.ts';
import { keyOf, type Lying, type Seen, type Standing } from './seen.ts';

/** The agent must have seen a file after this time: it looks twice, 15 s apart. */
const OVERLOOKED_MS = 25_000;
/** Upper limit of the spool space that an image of a page takes. */
const PAGE_ROOM = 300;
const SENDABLE = ['queued', 'uploading', 'accepted', 'failed', 'unconfirmed'];
const WAITING = new Set(['queued', 'uploading', 'held']);

/** Documents that the last entry moved to this state. */
export function* moved({ books }: Seen, state: string): Generator<KnownDocument> {
  for (const id of books.news.moved) {
    const document = books.documents.get(id);
    if (document?.state === state) yield document;
  }
}

export const NOTHING_LOST: readonly Rule[] = [
  {
    promise: 'P1',
    rule: 'named at rest',
    on: {
      *entry(_, seen) {
        const { named } = seen.books.news;
        if (named) yield* restless(seen, named.document.name, named.document.sha256, named.folder);
      },
      *request({ request: { uid, name, sha256 } }, seen) {
        const content = seen.contents.get(sha256 ?? '');
        const [folder] = seen.settings.folders.filter((each) => each.uid === uid);
        if (content && folder) yield* restless(seen, name, content.sha256, folder.path);
      },
    },
  },
  {
    promise: 'P1',
    rule: 'only complete images are sent',
    on: {
      *request({ request: { name, sha256 } }, seen) {
        if (sha256 === null || seen.contents.size === 0 || seen.isWhole(sha256)) return;
        const { is } = seen.contents.get(sha256) ?? { is: 'in no folder' };
        if (is !== 'any') yield `${name} was sent, but is not a complete image: ${is}`;
      },
    },
    *end(seen) {
      for (const { name, uid, sha256, actual } of seen.stored()) {
        if (actual !== undefined && actual !== sha256)
          yield `${name} is stored with different bytes than it was sent with`;
        if (seen.images.size > 0 && !seen.images.has(keyOf(uid, sha256)))
          yield `${name} is stored with bytes that were never an image in a folder`;
      }
      if (seen.images.size === 0) return;
      for (const { uid, sha256, name, path } of seen.standings())
        if (!seen.images.has(keyOf(uid, sha256))) yield `nobody scanned ${name ?? path}`;
    },
  },
  {
    promise: 'P1',
    rule: 'accepted means stored',
    on: {
      *entry(_, seen) {
        for (const { uid, name, sha256 } of moved(seen, 'accepted'))
          if (seen.settings.tellsStored && !isStored(seen, uid, name, sha256))
            yield `${name} counts as accepted, but the service does not have it`;
      },
    },
    *end(seen) {
      for (const { state, uid, name, sha256 } of seen.standings())
        if (state === 'accepted' && !isStored(seen, uid, name, sha256))
          yield `${name} is accepted, but the service does not have it`;
    },
  },
  {
    promise: 'P1',
    rule: 'accepted means that the service said so',
    on: {
      *entry(_, seen) {
        for (const { uid, name, hasResult } of moved(seen, 'accepted'))
          if (!hasResult && !isSaid(seen, uid, name))
            yield `${name} is accepted, but the service never said so`;
      },
    },
    *end(seen) {
      for (const { state, uid, name } of seen.standings())
        if (state === 'accepted' && seen.arrivals.length > 0 && !isSaid(seen, uid, name))
          if (!seen.books.documentNamed(uid, name ?? '')?.hasResult)
            yield `${name} is accepted, but the service never said so`;
    },
  },
  {
    promise: 'P1',
    rule: 'lost only if nothing was left',
    on: {
      *entry(_, seen) {
        for (const { name, sha256 } of moved(seen, 'lost')) {
          if (seen.copies.has(sha256)) yield `${name} counts as lost, but its copy is in the spool`;
          else if (seen.copied.has(sha256)) yield `${name} is lost although it had a copy in the spool`;
          for (const { folder, path, since, sha256: lying } of seen.files.values())
            if (
              lying === sha256 &&
              seen.now - since > OVERLOOKED_MS &&
              seen.books.isSeenAt(sha256, folder, path)
            )
              yield `${name} counts as lost, but is at ${folder}/${path}`;
        }
      },
    },
    *end(seen) {
      for (const each of seen.standings()) {
        if (each.state !== 'lost') continue;
        if (dutyOf(seen.images.get(keyOf(each.uid, each.sha256)) ?? ['unseen']) === 'must')
          yield `${each.name} is lost, but its bytes were there, or were accepted or copied before they went`;
        if (each.name === null || each.createdAt === '' || each.path === '')
          yield `a lost document must keep its name, time and path: ${each.name} ${each.path}`;
      }
    },
  },
  {
    promise: 'P1',
    rule: 'every image becomes a document',
    *owed(seen) {
      for (const file of seen.files.values()) {
        const { sha256, folder, path, size } = file;
        const { uid = '' } = seen.folder(folder) ?? {};
        if (!isOwed(seen, file) || isSplit(seen, sha256) || !seen.isWhole(sha256)) continue;
        if (isKept(seen, folder, path, sha256) || !seen.hasRoom(size)) continue;
        const { label = sha256.slice(0, 12) } = seen.contents.get(sha256) ?? {};
        const document = seen.books.documentOf(uid, sha256);
        if (!document) yield `${folder}/${path} (${label}) has no name`;
        else if (document.state === 'lost') yield `${folder}/${path} counts as lost`;
      }
    },
    *end(seen) {
      const known = new Set(seen.standings().map(({ uid, sha256 }) => keyOf(uid, sha256)));
      for (const [key, known_] of seen.images)
        if (dutyOf(known_) !== 'free' && !known.has(key)) yield `image ${key} is not in the ledger`;
    },
  },
  {
    promise: 'P1',
    rule: 'every file has its verdict',
    *owed(seen) {
      for (const file of seen.files.values()) {
        const { folder, path, sha256, size } = file;
        if (!isOwed(seen, file) || isKept(seen, folder, path, sha256) || !seen.hasRoom(size)) continue;
        const { verdict = 'nothing', sha256: known, reason } = versionOf(seen, file) ?? {};
        const fine = verdictsOf(seen, sha256);
        const where = `${folder}/${path}`;
        if (fine === null ? known !== sha256 : fine.includes('document') && known !== sha256)
          yield `${where} is not in the ledger with its present bytes`;
        else if (fine !== null && !fine.includes(verdict)) yield `${where} is recorded as ${verdict}`;
        else if (verdict === 'rejected' && reason === null) yield `${where} is rejected without a reason`;
      }
    },
    *end(seen) {
      for (const row of seen.end.rows ?? []) {
        if (row.state !== 'duplicate') continue;
        const isOf = ({ uid, name, sha256 }: Standing): boolean =>
          name === row.name && sha256 === row.sha256 && (row.endpointUid === null || uid === row.endpointUid);
        if (!seen.standings().some(isOf))
          yield `${row.path} is a duplicate of ${row.name}, which is no document`;
      }
    },
  },
  {
    promise: 'P1',
    rule: 'nothing waits for ever',
    *owed(seen) {
      for (const { uid, name, state, reason, sha256 } of seen.standings()) {
        if (!WAITING.has(state) || seen.hopeless.has(uid) || seen.hopeless.has(sha256)) continue;
        if (!isBudgetSpent(seen, uid)) yield `${name} is ${state} (${reason ?? 'no reason'})`;
      }
      for (const { sha256 } of seen.books.open.values())
        if (seen.hasRoom(PAGE_ROOM)) yield `a file (${sha256.slice(0, 8)}) is not split yet`;
      for (const { folder, path, uid, sha256, since, begun, size } of seen.again) {
        const document = seen.books.documentOf(uid, sha256);
        const file = seen.files.get(`${folder}/${path}`);
        const lies = file?.sha256 === sha256 && file.since === since;
        if (lies && document?.state === 'failed' && document.begun === begun && seen.hasRoom(size))
          yield `${folder}/${path} was refused before and scanned again, but is not sent`;
      }
    },
  },
  {
    promise: 'P1',
    rule: 'unconfirmed only after a refusal',
    on: {
      *entry(_, seen) {
        for (const { uid, name } of moved(seen, 'unconfirmed'))
          if (!hasAnswer(seen, uid, name, isRefusal)) yield `${name} is unconfirmed without a refusal`;
      },
    },
    *end(seen) {
      for (const { state, uid, name, attempts } of seen.standings()) {
        if (state !== 'unconfirmed') continue;
        const isConflict = hasAnswer(seen, uid, name, (status) => status === 409);
        if (!isConflict && !hasAnswer(seen, uid, name, isRefusal))
          yield `${name} is unconfirmed without a refusal`;
        else if (!isConflict && (attempts ?? 2) < 2) yield `${name} is unconfirmed, but was sent only once`;
      }
    },
  },
  {
    promise: 'P1',
    rule: 'results are kept',
    on: {
      *result({ uid, name }, seen) {
        if (!seen.books.documentNamed(uid, name)?.hasResult)
          yield `a result for ${name} was confirmed, but is not in the journal`;
      },
    },
    *end(seen) {
      for (const { uid, name, state, status, hasResult } of seen.books.documents.values()) {
        const said = seen.results.get(keyOf(uid, name));
        if (hasResult && (state === 'unconfirmed' || state === 'lost'))
          yield `${name} is ${state}, but a result shows that the service has it`;
        if (said !== undefined && state === 'accepted' && status !== said)
          yield `${name} has the status ${status}, but its result said ${said}`;
      }
    },
  },
  {
    promise: 'P1',
    rule: 'copies stay while they are needed',
    on: {
      *givesUp({ sha256 }, seen) {
        for (const { name } of seen.waitingFor(sha256))
          yield `the copy of ${name} is given up, but the image is still waiting to be sent`;
        if ([...seen.books.open.values()].some((each) => each.sha256 === sha256))
          yield 'the copy of a file is given up while the file is being split';
      },
      *dropped({ sha256 }, seen) {
        for (const image of seen.deferred)
          if (image.sha256 === sha256 && !(image.isFile ? seen.isAdmitted(image) : seen.hasDocument(image)))
            yield `the copy of ${image.path} was removed before the deferred image was in the ledger`;
      },
      *tickedOff({ image }, seen) {
        if (!seen.isAdmitted(image)) yield `${image.path} counts as admitted, but is not in the journal`;
      },
    },
    *owed(seen) {
      for (const image of seen.deferred)
        if (!seen.isAdmitted(image))
          yield `${image.folder}/${image.path} was deferred, but is not in the ledger`;
    },
  },
  {
    promise: 'P1',
    rule: 'images that look wrong are held back, and no others',
    on: {
      *entry(_, seen) {
        const { named, file } = seen.books.news;
        if (named) yield* wronglySent(seen, named.folder, named.path, named.document.sha256);
        if (!file) return;
        const { folder, path, verdict, reason, message, pageOf, isSplit } = file;
        const told = /looks like (.*), scanned/.exec(message ?? '')?.[1];
        if (told !== undefined && ![...seen.books.documents.values()].some(({ name }) => name === told))
          yield `${folder}/${path} is said to look like ${told}, which does not exist`;
        if (verdict !== 'rejected' || !looksOdd(reason)) return;
        const { qualityCheck = 'off' } = seen.folder(folder) ?? {};
        const page = pageIn(path);
        const bytes = pageOf === null ? undefined : seen.books.open.get(pageOf)?.sha256;
        const isRight =
          page === null
            ? qualityCheck === 'hold' || (qualityCheck === 'warn' && isSplit)
            : bytes === undefined ||
              ['held', 'leftOut'].includes(fatesOf(seen, folder, bytes)[page - 1] ?? '');
        if (!isRight) yield `${folder}/${path} is not sent (${reason}), but looks fine`;
      },
      *deferred({ image }, seen) {
        // Bytes that are a document already are not sent once more.
        if (!seen.hasDocument(image)) yield* wronglySent(seen, image.folder, image.path, image.sha256);
      },
    },
  },
  {
    promise: 'P1',
    rule: 'a split file ends with all its pages',
    on: {
      *entry(_, seen) {
        const { splitFor: uid, file: version } = seen.books.news;
        if (uid === undefined || !version || version.sha256 === null) return;
        const { folder, path, verdict, sha256: file } = version;
        const fates = fatesOf(seen, folder, file);
        const has = (...some: Fate[]): boolean => fates.some((fate) => some.includes(fate));
        const without = (fate: Fate): number[] => pagesWithout(seen, { uid, folder, file }, [fate]);
        // A page that this folder does not send may have a document by way of another folder.
        const mustReject = has('damaged') || without('held').length > 0;
        const mayReject = mustReject || has('held') || !has('sent', 'held', 'damaged');
        if (verdict === 'rejected' ? !mayReject : mustReject)
          yield `${path} was split and is recorded as ${verdict}`;
        if (without('sent').length > 0)
          yield `${path} ended without a name for pages ${without('sent').join(', ')}`;
      },
    },
    *owed(seen) {
      for (const file of seen.files.values()) {
        const { folder, path, sha256 } = file;
        if (!isOwed(seen, file) || !isSplit(seen, sha256)) continue;
        if (!seen.hasRoom(Math.max(file.size, PAGE_ROOM))) continue;
        if (seen.books.fileAt(folder, path)?.sha256 !== sha256) continue;
        const { uid = '' } = seen.folder(folder) ?? {};
        const without = pagesWithout(seen, { uid, folder, file: sha256 }, ['sent'], SENDABLE);
        if (without.length > 0) yield `${folder}/${path} has no document for its pages ${without.join(', ')}`;
      }
    },
  },
  {
    promise: 'P1',
    rule: 'the books are sound',
    on: {
      *journal({ where, problem }) {
        if (problem !== null) yield `${where}: ${problem}`;
      },
      *restarted({ where, isShorter }, seen) {
        const { journalWasLost = false, ledgerWasDamaged = false } = seen.settings;
        if (isShorter || !(journalWasLost || ledgerWasDamaged))
          yield `${where} the journal is not the one of before`;
      },
    },
    *end(seen) {
      const { rows, verify, audit } = seen.end;
      if (verify && verify.status !== 0) yield `ledger verify ended with ${verify.status}: ${verify.text}`;
      if (audit && audit.status !== 0) yield `audit ended with ${audit.status}: ${audit.text}`;
      if (!rows || seen.books.entries === 0) return;
      const listed = new Map(seen.standings().map((each) => [keyOf(each.uid, each.name), each]));
      for (const { uid, name, state, named, accepted } of seen.books.documents.values()) {
        const row = listed.get(keyOf(uid, name));
        if (!row) yield `${name} is in the journal, but not in the ledger`;
        else if (row.state !== state && row.state !== 'held')
          yield `${name} is ${state} in the journal, but ${row.state} in the ledger`;
        if (named !== 1) yield `the journal names ${name} ${named} times`;
        if (accepted > 1) yield `the journal accepts ${name} ${accepted} times`;
      }
      for (const { uid, name } of listed.values())
        if (!seen.books.documentNamed(uid, name ?? ''))
          yield `${name} is in the ledger, but not in the journal`;
    },
  },
  {
    promise: 'P1',
    rule: 'nothing is left over',
    *end(seen) {
      yield* leftOver(seen);
      for (const what of seen.end.left ?? []) yield what;
    },
  },
  {
    promise: 'P1',
    rule: 'processes end as they should',
    on: {
      *stuck({ what }) {
        yield what;
      },
      *ended({ ended: { run, command, status, signal, output, wasKilled } }, seen) {
        const trace = TRACE.exec(output)?.[0];
        if (trace !== undefined) yield `${run} printed a stack trace: ${trace.trim()}`;
        const right: readonly number[] = wasKilled
          ? BEFORE_ITS_KILL[command]
          : command === 'once'
            ? statusesOf(seen)
            : [0];
        if ((wasKilled && signal === 'SIGKILL') || right.includes(status ?? -1)) return;
        yield `${run} ended with ${status ?? signal} instead of ${right.join(' or ')}: ${output.slice(-600)}`;
      },
    },
  },
];

/** A stack trace, or what Node.js prints when it dies. */
export const TRACE = /^\s+at .+:\d+:\d+\)?$|\\n\s+at |node:internal|^Node\.js v|\bERR_[A-Z_]+|Unhandled/m;

/** How a process may have ended before it could be killed. */
const BEFORE_ITS_KILL = { daemon: [], stopped: [0, 130], once: [0, 3, 4, 5, 130], restore: [0] } as const;

/** A run that ends by itself reports what it found itself, not what was known before and has not changed since. */
function statusesOf({ settings, cases, casesBefore }: Seen): readonly number[] {
  // What a damaged ledger still knew can't be determined from outside.
  const isSure = !settings.ledgerWasDamaged;
  const met = [...cases].flatMap(([key, status]) => (isSure && casesBefore.has(key) ? [] : [status]));
  return isSure ? [met.includes(3) ? 3 : met.includes(4) ? 4 : 0] : [...met, 0];
}

function* restless(seen: Seen, name: string, sha256: string, folder: string): Generator<string> {
  const { shortMs, longMs = 0 } = seen.folder(folder) ?? {};
  if (shortMs === undefined) return;
  const behind = seen.pagesBehind.get(sha256) ?? [];
  const rested = Math.max(...[sha256, ...behind.map(({ file }) => file)].map((each) => seen.restedMs(each)));
  const { restSlackMs = 0 } = seen.settings;
  const least = restSlackMs > 0 && seen.contents.get(sha256)?.is === 'growing' ? longMs : shortMs;
  if (rested < least - restSlackMs)
    yield `${name} was named with bytes that had been unchanged for only ${rested.toFixed(0)} ms`;
}

function isStored(seen: Seen, uid: string, name: string | null, sha256: string): boolean {
  if (seen.end.stored) return seen.isStored(uid, name, sha256);
  return seen.arrivalsOf(uid, name).some((each) => each.isStored && each.sha256 === sha256);
}

function isSaid(seen: Seen, uid: string, name: string | null): boolean {
  return seen
    .arrivalsOf(uid, name)
    .some(({ answer }) => answer?.status === 200 && answer.isRecord && answer.reached !== false);
}

/** Whether the last answer that got through is such, or may be. */
export function hasAnswer(
  seen: Seen,
  uid: string,
  name: string | null,
  is: (status: number | null) => boolean,
): boolean {
  const told = seen
    .arrivalsOf(uid, name)
    .filter(({ answer }) => answer !== null && answer.reached !== false)
    .toSorted((a, b) => a.answeredAt - b.answeredAt);
  const from = told.findLastIndex(({ answer }) => answer?.reached === true);
  return told.slice(Math.max(0, from)).some(({ answer }) => is(answer?.status ?? null));
}

/** `must`: is there, or was accepted or copied before it went; `maybeLost`: was only named; `free`: went unseen. */
function dutyOf(known: readonly (KnownAs | null)[]): 'must' | 'maybeLost' | 'free' {
  if (known.some((each) => each === null || each === 'accepted' || each === 'copied')) return 'must';
  return known.includes('named') ? 'maybeLost' : 'free';
}

function isOwed(seen: Seen, { folder, path, sha256 }: Lying): boolean {
  // Not promised (docs/reliability.md), because it can't be detected.
  return !seen.untellable.has(keyOf(folder, sha256)) && !isAside(path);
}

export function isAside(path: string): boolean {
  return /(^|\/)\.(receiptd-)?aside-/.test(path);
}

export function isSplit(seen: Seen, file: string): boolean {
  return seen.pagesOf(file) !== null;
}

/** The version of a file that is there, or the last one of a file that the agent took away. */
function versionOf(
  seen: Seen,
  { folder, path }: Lying,
): Pick<FileVersion, 'verdict' | 'sha256' | 'reason'> | undefined {
  if (seen.books.entries === 0) return seen.rowAt(`${folder}/${path}`);
  const isTaken = seen.listing !== null && !seen.listing.has(`${folder}/${path}`);
  return isTaken ? seen.books.lastSeen.get(`${folder}/${path}`) : seen.books.fileAt(folder, path);
}

/** Permitted verdicts on a file with these bytes; null: any, as long as it is about them. */
function verdictsOf(seen: Seen, sha256: string): readonly string[] | null {
  if (isSplit(seen, sha256)) return null;
  if (seen.isWhole(sha256)) return ['document', 'duplicate'];
  const known: Partial<Record<Content['is'], readonly string[]>> = {
    junk: ['rejected'],
    cutShort: ['incomplete'],
    badName: ['unreadable'],
    any: ['document', 'duplicate', 'rejected', 'incomplete'],
  };
  return known[seen.contents.get(sha256)?.is ?? 'torn'] ?? ['incomplete', 'rejected'];
}

/** The number of a page by its path, `FILE//page N`; null for a file. */
function pageIn(path: string): number | null {
  const number = /\/\/page (\d+)$/.exec(path)?.[1];
  return number === undefined ? null : Number(number);
}

function* wronglySent(seen: Seen, folder: string, path: string, sha256: string): Generator<string> {
  const rule = seen.folder(folder);
  const content = seen.contents.get(sha256);
  const behind = seen.pagesBehind.get(sha256) ?? [];
  const isHeldBack =
    pageIn(path) === null
      ? content?.is === 'image' && isHeld(rule, content.look)
      : behind.length > 0 &&
        behind.every(({ file, page }) => fatesOf(seen, folder, file)[page - 1] !== 'sent');
  if (isHeldBack && rule) yield `${folder}/${path} is going to be sent, but should be held back`;
}

/** Files that an agent may have in its state directory, relative to it. */
const STATE_FILES =
  /^(ledger\.db(-wal|-shm|\.sound)?|ledger\.journal|backups\/ledger-\d{8}T\d{9}Z\.db|reserve|instance\.lock|logs\/receiptd\.log(\.\d+)?)$/;
/** Those that only a running or killed agent has. */
const OF_RUNNING = /^(control\.sock|instance\.json)$/;
/** Set aside, or restored by a power failure right after their removal; the agent removes them after a day. */
const SET_ASIDE = /^ledger\.db(-wal|-shm)?\.aside-|^before-restore-|^backups\/ledger-\d{8}T\d{9}Z\.db\.new$/;
const COPY = /^spool\/[0-9a-f]{2}\/([0-9a-f]{64})$/;
/** States in which the spool keeps a copy. */
const KEPT = new Set(['failed', 'unconfirmed']);

function* leftOver(seen: Seen): Generator<string> {
  const { stateFiles = [], isStopped = false } = seen.end;
  for (const file of stateFiles) {
    const [, copy] = COPY.exec(file) ?? [];
    if (copy !== undefined) {
      if (!seen.standings().some(({ sha256, state }) => sha256 === copy && KEPT.has(state)))
        yield `a copy is left in the spool, but nothing needs it: ${copy}`;
    } else if (file.endsWith('/')) {
      if (!/^(backups|spool|logs)\/|^[^/]+\/.+/.test(file)) yield `the directory ${file} is left over`;
    } else if (SET_ASIDE.test(file)) {
      if (!seen.settings.ledgerWasDamaged) yield `${file} was set aside, but was not damaged`;
    } else if (!STATE_FILES.test(file) && (isStopped || !OF_RUNNING.test(file)))
      yield `${file} is left in the state directory`;
  }
}
